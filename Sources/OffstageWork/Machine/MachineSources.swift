// SPDX-License-Identifier: Apache-2.0

/// The sources of the machine's conditions: the kernel's folders, the system's bus and a disk, or a test's.
package struct MachineSources: Sendable {
    /// The path of sysfs, or of a folder like it.
    package var sys: String
    /// The path of procfs, or of a folder like it.
    package var proc: String
    /// The socket of the system's D-Bus.
    package var bus: String
    /// The kernel's devices whose events cause power to be read again; nil to listen for no events.
    package var subsystem: String?
    /// Bytes that this user may write on a folder's disk; nil if that cannot be determined. May block.
    package var space: @Sendable (_ folder: String) -> UInt64?

    package init(
        sys: String = "/sys",
        proc: String = "/proc",
        bus: String = "/run/dbus/system_bus_socket",
        subsystem: String? = "power_supply",
        space: @escaping @Sendable (_ folder: String) -> UInt64? = { DiskSpace.free(at: $0) }
    ) {
        self.sys = sys
        self.proc = proc
        self.bus = bus
        self.subsystem = subsystem
        self.space = space
    }

    /// A machine that reports nothing: everything may run on it.
    package static let silent = MachineSources(
        sys: "/nonexistent",
        proc: "/nonexistent",
        bus: "/nonexistent",
        subsystem: nil,
        space: { _ in nil }
    )
}
