// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// The code of the app that runs just now in calls of the library's: launch and expiration handlers, delegate calls,
/// completion handlers, and questions to the daemon that somebody waits for. From any thread.
///
/// An app is not suspended before it has returned, and the code behind the call has had a moment: what stands behind the call
/// that has ended its last hold still happens.
package final class AppCode: Sendable {
    private struct State: Sendable {
        var running = 0
        /// When the last of it returned; nil before any has.
        var lastReturn: ContinuousClock.Instant?
        var waiting: [@Sendable () -> Void] = []
    }

    /// How long code may take that stands behind a call. On a busy machine, a thread that returns waits for its turn.
    package static let momentBehindCalls = Duration.milliseconds(250)

    /// That of this process.
    package static let current = AppCode()

    private let state = Mutex(State())

    package init() {}

    /// Runs code of the app, or something that the app waits for.
    package func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        state.withLock { $0.running += 1 }
        defer { ended() }
        return try body()
    }

    /// Counts as code that runs until it is ended, which has to be done once: for something that is still to be done on another
    /// thread.
    package func hold() -> Hold {
        state.withLock { $0.running += 1 }
        return Hold(code: self)
    }

    package struct Hold: Sendable {
        fileprivate let code: AppCode

        package func end() { code.ended() }
    }

    /// Does something as soon as none runs, and none has returned for a moment. On any thread.
    package func whenQuiet(for moment: Duration = momentBehindCalls, _ work: @escaping @Sendable () -> Void) {
        whenIdle { [self] in
            let rest = rest(of: moment, at: .now)
            guard rest > .zero else { return work() }
            let time = Double(rest.components.seconds) + Double(rest.components.attoseconds) / 1e18
            DispatchQueue.global().asyncAfter(deadline: .now() + time) { self.whenQuiet(for: moment, work) }
        }
    }

    /// What is left of the moment that code behind the last call has.
    package func rest(of moment: Duration, at now: ContinuousClock.Instant) -> Duration {
        guard let last = state.withLock({ $0.lastReturn }) else { return .zero }
        return max(.zero, moment - last.duration(to: now))
    }

    private func whenIdle(_ work: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.running > 0 { state.waiting.append(work) }
            return state.running == 0
        }
        if isIdle { work() }
    }

    fileprivate func ended() {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            state.running -= 1
            state.lastReturn = .now
            guard state.running == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for work in waiting { work() }
    }
}
