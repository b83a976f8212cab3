// SPDX-License-Identifier: Apache-2.0

/// Where the machine's condition is read: the kernel's folders and the system's bus, or a test's.
package struct MachineSources: Sendable {
    /// The path of sysfs, or of a folder like it.
    package var sys: String
    /// The path of procfs, or of a folder like it.
    package var proc: String
    /// The socket of the system's D-Bus.
    package var bus: String
    /// The kernel's devices whose events cause power to be read again; nil to listen for no events.
    package var subsystem: String?

    package init(
        sys: String = "/sys",
        proc: String = "/proc",
        bus: String = "/run/dbus/system_bus_socket",
        subsystem: String? = "power_supply"
    ) {
        self.sys = sys
        self.proc = proc
        self.bus = bus
        self.subsystem = subsystem
    }

    /// A machine that says nothing: everything may run on it.
    package static let silent = MachineSources(
        sys: "/nonexistent",
        proc: "/nonexistent",
        bus: "/nonexistent",
        subsystem: nil
    )
}
