// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Information that OffstageUIKit passes to the sessions of an app whose life the daemon manages. Safe to use from any
/// thread.
package enum LaunchEvents {
    private struct State {
        var isSupervised = false
        /// The sessions for whose events the app was called, and that have not been created since.
        var expected: Set<String> = []
        /// The sessions whose delegates have not received everything since.
        var untold: Set<String> = []
        var waiting: [Waiting] = []
        var nextWaiting = 0
    }

    private struct Waiting {
        var number: Int
        var identifier: String
        var continuation: CheckedContinuation<Void, Never>
    }

    private static let state = Mutex(State())

    /// Whether the daemon suspends and wakes the app. Set before the first session is created: each session keeps the
    /// value it had at its creation.
    ///
    /// The delegate of such an app receives `urlSessionDidFinishEvents` only after `expect`. The delegate of a plain
    /// program receives it once, when everything that ended before its launch has been delivered.
    package static var isSupervised: Bool {
        get { state.withLock { $0.isSupervised } }
        set { state.withLock { $0.isSupervised = newValue } }
    }

    /// Records that the app is called for a session's events: `application(_:handleEventsForBackgroundURLSession:…)`.
    /// Must be called before `StageReport.announced` is sent.
    ///
    /// When the session's delegate has received everything that the daemon has for it, `urlSessionDidFinishEvents` is
    /// called on the delegate queue, even if nothing was left, and even if the session is created only later.
    package static func expect(_ identifier: String) {
        state.withLock { state in
            state.expected.insert(identifier)
            state.untold.insert(identifier)
        }
        for session in BackgroundSessions.all(identifier) { session.core.takeExpectation() }
    }

    /// Waits until the delegate of a session has received everything that the app was called for, including
    /// `urlSessionDidFinishEvents`. Returns immediately if no such session has been created.
    ///
    /// - Parameters:
    ///   - identifier: the session's identifier.
    ///   - seconds: the longest time to wait.
    package static func finished(_ identifier: String, within seconds: Double) async {
        guard !BackgroundSessions.all(identifier).isEmpty else { return }
        let number = state.withLock { state in
            state.nextWaiting += 1
            return state.nextWaiting
        }
        let limit = Task {
            try await Task.sleep(for: .seconds(seconds))
            resume { $0.number == number }
        }
        await withCheckedContinuation { continuation in
            let isUntold = state.withLock { state in
                guard state.untold.contains(identifier) else { return false }
                state.waiting.append(Waiting(number: number, identifier: identifier, continuation: continuation))
                return true
            }
            if !isUntold { continuation.resume() }
        }
        limit.cancel()
    }

    /// Records that a session's delegate has received everything.
    static func finished(_ identifier: String) {
        state.withLock { _ = $0.untold.remove(identifier) }
        resume { $0.identifier == identifier }
    }

    private static func resume(_ isMeant: (Waiting) -> Bool) {
        let meant = state.withLock { state in
            let meant = state.waiting.filter(isMeant)
            state.waiting.removeAll(where: isMeant)
            return meant
        }
        for waiting in meant { waiting.continuation.resume() }
    }

    /// Returns whether the app was called for the session's events, and they are not expected yet.
    static func claim(_ identifier: String) -> Bool { state.withLock { $0.expected.remove(identifier) != nil } }
}
