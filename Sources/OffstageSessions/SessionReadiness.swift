// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// How far the daemon is with background sessions, and those who wait until something has come about.
///
/// `@unchecked Sendable`: belongs to the loop; whoever waits or tells is there.
package final class SessionReadiness: @unchecked Sendable {
    /// What somebody may wait for.
    package enum Event: Hashable {
        /// All that the daemon before left is known.
        case ready
        /// All that the app left behind is in the store.
        case imported(app: String)
        case released(SessionName)
        /// One of the app's journals is wholly in the store.
        case journalDeleted(app: String)
        /// Nothing is under way with a journal.
        case rested(journal: String)
        /// Apps may be called for what the daemon before left.
        case mayCall
        /// A session's questions have been sent to whoever has it.
        case asked(SessionName)
    }

    /// Whether all that the daemon before left is known.
    package private(set) var isReady = false
    package private(set) var isStopping = false
    private var waiters: [Event: [CheckedContinuation<Void, Never>]] = [:]

    package init() {}

    package func becomeReady() {
        isReady = true
        happened(.ready)
    }

    /// The daemon comes to its end: what is waited for is left to the next.
    package func stop() { isStopping = true }

    /// - Parameters:
    ///   - event: what may end the wait.
    ///   - isNeeded: whether there is anything to wait for. It is asked where nothing comes between: whoever calls may be
    ///     suspended on the way here, and what happens meanwhile would be waited for without end.
    package func wait(for event: Event, while isNeeded: () -> Bool) async {
        await withCheckedContinuation { continuation in
            guard isNeeded() else { return continuation.resume() }
            waiters[event, default: []].append(continuation)
        }
    }

    /// Waits until all that the daemon before left is known.
    package func waitUntilReady() async { await wait(for: .ready) { !isReady } }

    package func happened(_ event: Event) {
        for waiter in waiters.removeValue(forKey: event) ?? [] { waiter.resume() }
    }
}
