// SPDX-License-Identifier: Apache-2.0

/// Holds answers back until the test lets them go.
package final class FaultGate: Sendable {
    private let isOpen = Monitor(false)

    package init() {}

    package func open() {
        isOpen.withLock { $0 = true }
    }

    func waitUntilOpen() -> Bool {
        isOpen.wait(TimeLimit(seconds: 120)) { $0 ? true : nil } ?? false
    }
}
