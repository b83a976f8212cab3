// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import Synchronization

/// What the daemon remembers of its crashes, for whoever begins something: asked from any thread.
package final class CrashLedger: Sendable {
    private let state: Mutex<CrashContainment>
    /// Writes what is remembered; called for the few changes that there are, with each one whole.
    private let keep: @Sendable (CrashContainment) -> Void

    /// - Parameters:
    ///   - containment: what is remembered.
    ///   - keep: makes a change outlive the daemon; it must not wait for the disk.
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

    /// At how many crashes a stored record was being read, if it must not be read any more.
    package func crashesReading(_ suspect: CrashSuspect) -> Int? {
        state.withLock { $0.isUnsuspecting ? nil : $0.crashesReading(suspect) }
    }

    /// What people are told.
    package func notices(now: Moment) -> [String] { state.withLock { $0.notices(now: now) } }

    /// What was begun has come to an end of any kind, and the daemon lives.
    ///
    /// - Parameters:
    ///   - suspect: what was begun.
    ///   - step: which step of it; nil for all.
    package func survived(_ suspect: CrashSuspect, _ step: DaemonWork.Step? = nil) {
        change { $0.isUnsuspecting ? false : $0.survived(suspect, step) }
    }

    /// Somebody wants what was set aside to be begun once more.
    package func release(_ suspect: CrashSuspect) { change { $0.release(suspect) } }

    /// What was suspected does not exist any more.
    package func forget(_ suspect: CrashSuspect) { change { $0.isUnsuspecting ? false : $0.forget(suspect) } }

    private func change(_ body: (inout CrashContainment) -> Bool) {
        state.withLock { if body(&$0) { keep($0) } }
    }
}
