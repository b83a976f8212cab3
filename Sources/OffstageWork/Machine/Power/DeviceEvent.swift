// SPDX-License-Identifier: Apache-2.0

/// The kernel's event about one device (a uevent): a heading such as `change@/devices/…`, then `NAME=value` fields,
/// each ended by a zero byte.
package struct DeviceEvent: Sendable, Hashable {
    package let action: String
    package let subsystem: String

    /// Nil for anything else, such as a device manager's messages in a form of their own.
    package init?(_ message: some Collection<UInt8>) {
        let fields = message.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        guard let heading = fields.first, heading.contains("@"), !heading.contains("=") else { return nil }
        func value(_ name: String) -> String? {
            fields.dropFirst().first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        guard let action = value("ACTION"), let subsystem = value("SUBSYSTEM") else { return nil }
        self.action = action
        self.subsystem = subsystem
    }
}
