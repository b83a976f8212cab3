// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
package import OffstageCore

/// Records what the calling thread is working on, for the mark that a trap leaves. Costs a few nanoseconds.
///
/// Only for work that does not suspend: a task that continues elsewhere would leave its note with the thread.
package enum Doing {
    package static func transfer<Result, Failure: Error>(
        _ id: TransferID,
        _ step: DaemonWork.Step,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = begin(id, step)
        defer { end(before) }
        return try body()
    }

    /// What the thread was working on before.
    package struct Before {
        fileprivate let doing: offstage_doing
    }

    /// Begins work that `end` ends, where the cost of a closure per call would be noticeable: libcurl calls back for
    /// every 16 KiB.
    package static func begin(_ id: TransferID, _ step: DaemonWork.Step) -> Before {
        Before(doing: offstage_doing_begin(DaemonWork.Kind.transfer.rawValue, step.rawValue, id.rawValue))
    }

    package static func end(_ before: Before) {
        offstage_doing_end(before.doing)
    }

    package static func named<Result, Failure: Error>(
        _ kind: DaemonWork.Kind,
        _ step: DaemonWork.Step,
        _ name: String,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = offstage_doing_begin_named(kind.rawValue, step.rawValue, name)
        defer { offstage_doing_end(before) }
        return try body()
    }

    /// A point at which the fault switch for tests may trap.
    package static func faultPoint(_ point: String, _ id: TransferID, _ text: @autoclosure () -> Substring = "") {
        guard FaultSwitch.isOn else { return }
        offstage_fault(point, id.rawValue, String(text()))
    }

    /// A point at which the fault switch for tests may trap.
    package static func faultPoint(_ point: String, _ name: String) {
        guard FaultSwitch.isOn else { return }
        offstage_fault(point, 0, name)
    }
}
