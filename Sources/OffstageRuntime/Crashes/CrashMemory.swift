// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import Synchronization

/// The daemon's memory of its crashes. Before work begins, it reports whether that work has crashed the daemon before.
/// From any thread.
package final class CrashMemory: Sendable {
    private let state: Mutex<CrashContainment>
    /// Writes the whole memory; called for each of the few changes.
    private let keep: @Sendable (CrashContainment) -> Void

    /// - Parameters:
    ///   - containment: the memory of earlier crashes.
    ///   - keep: makes a change survive the daemon; it must not wait for the disk.
    package init(
        _ containment: CrashContainment = CrashContainment(),
        keep: @escaping @Sendable (CrashContainment) -> Void = { _ in }
    ) {
        state = Mutex(containment)
        self.keep = keep
    }

    package func standing(of suspect: CrashSuspect) -> CrashContainment.Standing {
        state.withLock { $0.isUnsuspecting ? .free : $0.standing(of: suspect) }
    }

    /// The number of crashes during which a stored record was being read, if it must not be read again.
    package func crashesReading(_ suspect: CrashSuspect) -> Int? {
        state.withLock { $0.isUnsuspecting ? nil : $0.crashesReading(suspect) }
    }

    /// The messages for people.
    package func notices(now: Moment) -> [String] { state.withLock { $0.notices(now: now) } }

    /// Records that the work has ended in some way, and that the daemon survived it.
    ///
    /// - Parameters:
    ///   - suspect: the work.
    ///   - step: the work's step; nil for all steps.
    package func survived(_ suspect: CrashSuspect, _ step: DaemonWork.Step? = nil) {
        change { $0.isUnsuspecting ? false : $0.survived(suspect, step) }
    }

    /// Allows a suspect that was set aside to be tried again, as a person requested.
    package func release(_ suspect: CrashSuspect) { change { $0.release(suspect) } }

    /// Forgets a suspect that no longer exists.
    package func forget(_ suspect: CrashSuspect) { change { $0.isUnsuspecting ? false : $0.forget(suspect) } }

    private func change(_ body: (inout CrashContainment) -> Bool) {
        state.withLock { if body(&$0) { keep($0) } }
    }
}
