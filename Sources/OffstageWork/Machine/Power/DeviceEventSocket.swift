// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// Receives the kernel's events about devices of one subsystem.
///
/// Used on one thread; never waits.
package final class DeviceEventSocket {
    /// The descriptor to watch for reading.
    package let descriptor: Int32
    private let subsystem: String

    /// Nil if the kernel provides no such socket, as in a sandbox.
    package init?(subsystem: String) {
        descriptor = offstage_uevent_open(subsystem)
        guard descriptor >= 0 else { return nil }
        self.subsystem = subsystem
    }

    deinit { close(descriptor) }

    /// Handles all received events.
    ///
    /// - Returns: whether there was an event of the subsystem, or one may have been lost.
    package func readable() -> Bool {
        var hasNews = false
        // The kernel's limit is 2 KiB of fields after a heading with the device's path.
        withUnsafeTemporaryAllocation(byteCount: 8 << 10, alignment: 1) { buffer in
            while true {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                if count >= 0 {
                    // checked: recv(2) has filled so many bytes of the buffer
                    if DeviceEvent(Array(buffer[..<count])[...])?.subsystem == subsystem { hasNews = true }
                } else if errno == ENOBUFS {
                    hasNews = true
                } else if errno != EINTR {
                    return
                }
            }
        }
        return hasNews
    }

    /// Whether the kernel reports devices here at all: it does not report them to a separate user namespace, as in
    /// rootless containers.
    package static func isSpokenTo(in proc: SystemFolder) -> Bool {
        guard let map = proc.text("self/uid_map") else { return true }
        return map.split(separator: " ") == ["0", "0", "4294967295"]
    }
}
