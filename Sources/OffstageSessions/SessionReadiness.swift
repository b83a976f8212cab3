// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageRuntime

/// How far the daemon has got with background sessions, and the waits for its progress.
///
/// `@unchecked Sendable`: belongs to the loop, like all code that waits or reports.
package final class SessionReadiness: @unchecked Sendable {
    /// The events that can be waited for.
    package enum Event: Hashable {
        /// Everything from the daemon before is known.
        case ready
        /// Everything that the app left behind is in the store.
        case imported(app: String)
        case released(SessionName)
        /// One of the app's journals is completely in the store.
        case journalDeleted(app: String)
        /// No step of a journal is under way.
        case rested(journal: String)
        /// Apps may be called for events from the daemon before.
        case mayCall
        /// A session's questions have been sent to its holder.
        case asked(SessionName)
    }

    /// Whether everything from the daemon before is known.
    package private(set) var isReady = false
    package private(set) var isStopping = false
    private let waiters = Waiters<Event, Void>()

    package init() {}

    package func becomeReady() {
        isReady = true
        happened(.ready)
    }

    /// Ends all waits because the daemon is stopping; the next daemon continues.
    package func stop() { isStopping = true }

    /// - Parameters:
    ///   - event: the event that may end the wait.
    ///   - isNeeded: whether there is anything to wait for; evaluated where the wait begins.
    package func wait(for event: Event, while isNeeded: () -> Bool) async {
        await waiters.wait(for: event, while: isNeeded)
    }

    /// Waits until everything from the daemon before is known.
    package func waitUntilReady() async { await wait(for: .ready) { !isReady } }

    package func happened(_ event: Event) { waiters.resume(event) }
}
