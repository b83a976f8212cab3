// SPDX-License-Identifier: Apache-2.0

/// The handling of one event: its time, a draft of the stored part, and the actions.
package struct Turn {
    package let now: Moment
    package let policy: AppLife.Policy
    /// The stored part as it will be at the end of the turn.
    package var registration: AppRegistration
    package var actions: [AppAction] = []
    /// `persist` comes last: only actions after `committed` wait for it.
    package var persists = false
    package var launches: LaunchCause?
    /// Whether deferred work has ended, and the background tasks that shared its time do not have their own moment yet.
    package var hasEndedWork = false

    package init(_ now: Moment, _ policy: AppLife.Policy, _ registration: AppRegistration) {
        self.now = now
        self.policy = policy
        self.registration = registration
    }

    package var uptime: Double { now.uptime }

    /// The app's one process, as soon as its number is known.
    package var process: ProcessIdentity? { registration.process?.identity }

    package func isDue(_ time: Double?) -> Bool { time.map { $0 <= uptime } ?? false }

    package mutating func act(_ action: AppAction) { actions.append(action) }

    package mutating func record(_ happening: AppEntry.Happening) {
        actions.append(.record(AppEntry(at: now, happening)))
    }
}
