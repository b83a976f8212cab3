// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
import Synchronization

/// The chronicle of a daemon. Engines record events on the loop, and the store's thread takes the entries that it
/// writes with a commit. Nothing here waits, wakes a thread or reads a file.
package final class ChronicleRecorder: Sendable {
    private let chronicle: Mutex<Chronicle>
    private let clock = Mutex<Clock?>(nil)

    /// Wraps the closure: a closure that is itself the value of a `Mutex` gets another wrapper each time it is read,
    /// without end.
    private struct Clock {
        let now: @Sendable () -> Date
    }

    /// - Parameter nextNumber: greater than every number in the store.
    package init(nextNumber: Int64 = 1) { chronicle = Mutex(Chronicle(nextNumber: nextNumber)) }

    /// Called when the daemon begins to run.
    ///
    /// - Parameter clock: returns the current time; called from any thread.
    package func begin(clock: @escaping @Sendable () -> Date) {
        self.clock.withLock { $0 = Clock(now: clock) }
        stand(.daemon, in: .daemon, at: clock())
    }

    /// Called when the daemon ends: spans that have lasted until now are written when the store is closed.
    package func finish() {
        guard let now else { return }
        chronicle.withLock { $0.finish(at: now) }
    }

    /// Records a span that has lasted until now.
    package func record(_ span: TimelineSpan) { chronicle.withLock { $0.record(span) } }

    /// Records that a lane is in this state from now on; nil for no state, or an unknown one.
    package func stand(_ subject: TimelineSpan.Subject?, in lane: Chronicle.Lane, at date: Date) {
        chronicle.withLock { $0.stand(subject, in: lane, at: date) }
    }

    /// The spans that have not ended.
    package func lasting() -> [TimelineSpan] {
        guard let now else { return [] }
        return chronicle.withLock { $0.lasting(at: now) }
    }

    // MARK: For the store

    /// Whether entries are waiting to be written.
    package var hasWaiting: Bool { chronicle.withLock { $0.hasWaiting } }

    /// Whether the store lacks a span that has ended, which may be in the commit under way.
    package var isAhead: Bool { chronicle.withLock { $0.isAhead } }

    /// Takes the entries for the next commit.
    package func take() -> [Chronicle.Entry] {
        let now = now
        return chronicle.withLock { $0.take(at: now) }
    }

    /// Called when the entries taken are in the store, or never will be.
    package func written() { chronicle.withLock { $0.written() } }

    /// Puts entries back after a failed commit.
    package func putBack(_ entries: [Chronicle.Entry]) {
        guard !entries.isEmpty else { return }
        chronicle.withLock { $0.putBack(entries) }
    }

    private var now: Date? { clock.withLock { $0 }?.now() }
}
