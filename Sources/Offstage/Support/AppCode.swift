// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// The app's code that is currently running in calls from the library: launch and expiration handlers, delegate calls,
/// completion handlers, and requests to the daemon that a caller waits for. Safe to use from any thread.
///
/// An app is not suspended until that code has returned and the code after the call has had a moment to run: statements
/// that follow the call that ended the last hold still run.
package final class AppCode: Sendable {
    private struct State: Sendable {
        var running = 0
        /// When app code last returned; nil if none has yet.
        var lastReturn: ContinuousClock.Instant?
        var waiting: [@Sendable () -> Void] = []
    }

    /// How long the code after a call may take. On a busy machine, a returning thread has to wait for its turn.
    package static let momentBehindCalls = Duration.milliseconds(250)

    /// The instance of this process.
    package static let current = AppCode()

    private let state = Mutex(State())

    package init() {}

    /// Runs code of the app, or something that the app waits for.
    package func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        state.withLock { $0.running += 1 }
        defer { ended() }
        return try body()
    }

    /// Counts as running code until it is ended, which must happen exactly once; for work that remains to be done on
    /// another thread.
    package func hold() -> Hold {
        state.withLock { $0.running += 1 }
        return Hold(code: self)
    }

    package struct Hold: Sendable {
        fileprivate let code: AppCode

        package func end() { code.ended() }
    }

    /// Runs the work once no code is running and none has returned for a moment. On any thread.
    package func whenQuiet(for moment: Duration = momentBehindCalls, _ work: @escaping @Sendable () -> Void) {
        whenIdle { [self] in
            let rest = rest(of: moment, at: .now)
            guard rest > .zero else { return work() }
            let time = Double(rest.components.seconds) + Double(rest.components.attoseconds) / 1e18
            DispatchQueue.global().asyncAfter(deadline: .now() + time) { self.whenQuiet(for: moment, work) }
        }
    }

    /// The remaining time of the moment granted to the code after the last call.
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
