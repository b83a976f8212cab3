// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Synchronization

/// A fault switch for tests (docs/testing.md): makes the daemon trap at a named point.
package enum FaultSwitch {
    private static let state = Atomic<Bool>(false)

    static var isOn: Bool { state.load(ordering: .relaxed) }

    /// - Parameter text: `POINT:WHAT`.
    package static func set(_ text: String) {
        offstage_fault_set(text)
        state.store(true, ordering: .relaxed)
    }
}
