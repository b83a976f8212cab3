// SPDX-License-Identifier: Apache-2.0

/// The life of one app: which state it is in, what follows from what happens, and when to look again.
///
/// A pure value: the daemon carries its actions out, and tells it what came of them.
package struct AppLife: Sendable {
    /// What decides besides events.
    package struct Policy: Sendable, Hashable {
        package var time: BackgroundTimeProfile
        /// Apple's rate limiter.
        package var isStrict: Bool

        package init(time: BackgroundTimeProfile = .ios13, isStrict: Bool = false) {
            self.time = time
            self.isStrict = isStrict
        }
    }

    /// What is kept in the store; changed by `handle`, which then asks for `persist`.
    package private(set) var registration: AppRegistration
    package private(set) var state: LifeState
    package var policy: Policy
    /// Seconds on the boot-time clock at which `timeIsUp` is due; nil for never.
    package private(set) var nextLook: Double?
    /// Open background tasks.
    package private(set) var tasks: [BackgroundTask] = []

    package init(_ registration: AppRegistration, policy: Policy) {
        self.registration = registration
        self.policy = policy
        state = .terminated
    }

    /// Takes up one event.
    ///
    /// - Parameters:
    ///   - event: what has happened.
    ///   - now: when.
    ///   - token: a fresh random text, for a launch.
    /// - Returns: what is to be done, in order.
    package mutating func handle(_ event: AppEvent, now: Moment, token: @autoclosure () -> String) -> [AppAction] {
        []
    }
}
