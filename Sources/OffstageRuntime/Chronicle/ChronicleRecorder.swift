// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
import Synchronization

/// The chronicle of a daemon: engines say on the loop what happens, and the store takes on its thread what it writes
/// with a commit. Nothing here waits, wakes anybody or reads a file.
package final class ChronicleRecorder: Sendable {
    private let chronicle: Mutex<Chronicle>
    private let clock = Mutex<Clock?>(nil)

    /// Around the closure: one that is itself the value of a `Mutex` is wrapped anew each time it is read, without end.
    private struct Clock {
        let now: @Sendable () -> Date
    }

    /// - Parameter nextNumber: greater than every number in the store.
    package init(nextNumber: Int64 = 1) { chronicle = Mutex(Chronicle(nextNumber: nextNumber)) }

    /// The daemon runs from now on.
    ///
    /// - Parameter clock: tells the time; from any thread.
    package func begin(clock: @escaping @Sendable () -> Date) {
        self.clock.withLock { $0 = Clock(now: clock) }
        stand(.daemon, in: .daemon, at: clock())
    }

    /// The daemon ends: what has lasted until now is written when the store is closed.
    package func finish() {
        guard let now else { return }
        chronicle.withLock { $0.finish(at: now) }
    }

    /// Something has lasted until now.
    package func record(_ span: TimelineSpan) { chronicle.withLock { $0.record(span) } }

    /// A lane is in this state from now on; nil for none, or if that is not known.
    package func stand(_ subject: TimelineSpan.Subject?, in lane: Chronicle.Lane, at date: Date) {
        chronicle.withLock { $0.stand(subject, in: lane, at: date) }
    }

    /// What lasts now.
    package func lasting() -> [TimelineSpan] {
        guard let now else { return [] }
        return chronicle.withLock { $0.lasting(at: now) }
    }

    // MARK: For the store

    /// Whether something waits to be written.
    package var hasWaiting: Bool { chronicle.withLock { $0.hasWaiting } }

    /// Whether the store lacks something that has ended, which may be in the commit under way.
    package var isAhead: Bool { chronicle.withLock { $0.isAhead } }

    /// Takes what the next commit writes.
    package func take() -> [Chronicle.Entry] {
        let now = now
        return chronicle.withLock { $0.take(at: now) }
    }

    /// What was taken is in the store, or never will be.
    package func written() { chronicle.withLock { $0.written() } }

    /// A commit has failed.
    package func putBack(_ entries: [Chronicle.Entry]) {
        guard !entries.isEmpty else { return }
        chronicle.withLock { $0.putBack(entries) }
    }

    private var now: Date? { clock.withLock { $0 }?.now() }
}
