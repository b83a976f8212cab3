// SPDX-License-Identifier: Apache-2.0

/// One process, whatever becomes of its number.
package struct ProcessIdentity: Sendable, Hashable {
    package var number: Int32
    /// When it was started, in the kernel's ticks since the boot: a later process with the number has another.
    package var startedAt: UInt64

    package init(number: Int32, startedAt: UInt64) {
        self.number = number
        self.startedAt = startedAt
    }
}
