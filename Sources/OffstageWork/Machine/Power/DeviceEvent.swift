// SPDX-License-Identifier: Apache-2.0

/// The kernel's event about one device (a uevent): a heading such as `change@/devices/…`, then `NAME=value` fields,
/// each terminated by a zero byte.
package struct DeviceEvent: Sendable, Hashable {
    package let action: String
    package let subsystem: String

    /// Nil for other messages, such as a device manager's messages in their own format.
    package init?(_ message: ArraySlice<UInt8>) {
        let fields = message.split(separator: 0)
        guard let heading = fields.first, heading.contains(UInt8(ascii: "@")), !heading.contains(UInt8(ascii: "="))
        else { return nil }
        func value(_ name: String) -> String? {
            fields.dropFirst().first { $0.starts(with: name.utf8) }
                .map { String(decoding: $0.dropFirst(name.utf8.count), as: UTF8.self) }
        }
        guard let action = value("ACTION="), let subsystem = value("SUBSYSTEM=") else { return nil }
        self.action = action
        self.subsystem = subsystem
    }
}
