// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// Hears from the kernel that devices of one subsystem have come, gone or changed.
///
/// Used on one thread; never waits.
package final class DeviceEventSocket {
    /// To be watched for reading.
    package let descriptor: Int32
    private let subsystem: String

    /// Nil where the kernel gives no such socket (a sandbox).
    package init?(subsystem: String) {
        descriptor = offstage_uevent_open(subsystem)
        guard descriptor >= 0 else { return nil }
        self.subsystem = subsystem
    }

    deinit { close(descriptor) }

    /// Takes in everything that has arrived.
    ///
    /// - Returns: whether something was said of the subsystem, or may have been lost.
    package func readable() -> Bool {
        var hasNews = false
        // The kernel's limit is 2 KiB of fields behind a heading of the device's path.
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

    /// Whether the kernel speaks of devices here at all: to sockets of a user namespace of its own, as containers
    /// without root have one, it stays silent.
    package static func isSpokenTo(in proc: SystemFolder) -> Bool {
        guard let map = proc.text("self/uid_map") else { return true }
        return map.split(separator: " ") == ["0", "0", "4294967295"]
    }
}
