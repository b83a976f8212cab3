// SPDX-License-Identifier: Apache-2.0
import COffstageOS
import Glibc
import Synchronization

/// A socket for sending entries to journald. From any thread; it never waits.
package final class JournalSocket: Sendable {
    /// A descriptor and the identity of its socket: an app that closes unknown descriptors may soon reuse the number.
    private struct Held: Equatable {
        var descriptor: Int32
        var device: dev_t
        var number: ino_t

        init?(_ descriptor: Int32) {
            var status = stat()
            guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return nil }
            self.descriptor = descriptor
            device = status.st_dev
            number = status.st_ino
        }
    }

    /// The path where journald listens.
    package static let usualPath = "/run/systemd/journal/socket"

    private let path: String
    private let held = Mutex<Held?>(nil)

    /// - Parameter path: the path where journald listens.
    package init(path: String = JournalSocket.usualPath) { self.path = path }

    /// Sends an entry; returns whether journald has received it. The socket's path is resolved each time, which finds a
    /// restarted journald.
    package func send(_ bytes: [UInt8]) -> Bool {
        guard let descriptor = descriptor() else { return false }
        return bytes.withUnsafeBytes { offstage_os_send(descriptor, path, $0.baseAddress, $0.count) } == 0
    }

    private func descriptor() -> Int32? {
        held.withLock { held in
            if let known = held, Held(known.descriptor) == known { return known.descriptor }
            held = Held(offstage_os_socket())
            return held?.descriptor
        }
    }
}
