// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What OffstageUIKit tells the sessions of an app whose life the daemon looks after. From any thread.
package enum LaunchEvents {
    private struct State {
        var isSupervised = false
        /// Sessions whose events the app was called for and that have not been made since.
        var expected: Set<String> = []
    }

    private static let state = Mutex(State())

    /// Whether the daemon suspends and wakes the app. Set before the first session is made: each keeps what it was then.
    ///
    /// Such an app hears `urlSessionDidFinishEvents` only after `expect`; a plain program hears it once what ended
    /// before its launch has been told.
    package static var isSupervised: Bool {
        get { state.withLock { $0.isSupervised } }
        set { state.withLock { $0.isSupervised = newValue } }
    }

    /// The app is called for a session's events: `application(_:handleEventsForBackgroundURLSession:…)`. To be told before
    /// `StageReport.announced` is sent.
    ///
    /// When the session's delegate has been told all that the daemon has for it, `urlSessionDidFinishEvents` is called on
    /// the delegate queue, also when there was nothing left, and also when the session is made only later.
    package static func expect(_ identifier: String) {
        state.withLock { _ = $0.expected.insert(identifier) }
        for session in BackgroundSessions.all(identifier) { session.core.takeExpectation() }
    }

    /// Whether the app was called for the session's events and they are not expected yet.
    static func take(_ identifier: String) -> Bool { state.withLock { $0.expected.remove(identifier) != nil } }
}
