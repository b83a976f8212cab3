// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import Synchronization

/// Which file system a path leads to, from the kernel's list of mounts, which is read again when it has changed. May be
/// used from any thread, and never waits for a file system.
package final class MountTable: Sendable {
    private struct State {
        var list = MountList(mountinfo: [])
        var isRead = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    /// More bytes than are read of the list.
    private static let limit = 4 << 20

    package init() {
        descriptor = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The file system with a file, as far as its path says.
    ///
    /// - Parameter path: absolute.
    /// - Returns: its number; nil if the kernel does not say.
    package func device(of path: String) -> MountList.Device? {
        guard descriptor >= 0 else { return nil }
        return state.withLock { state in
            if !state.isRead || hasChanged { read(&state) }
            return state.list.device(of: path)
        }
    }

    /// Whether something has been mounted or unmounted since the kernel was asked last.
    private var hasChanged: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private func read(_ state: inout State) {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while text.count < Self.limit {
            let count = pread(descriptor, &buffer, buffer.count, off_t(text.count))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            text.append(contentsOf: buffer.prefix(count))
        }
        state.list = MountList(mountinfo: text)
        state.isRead = true
    }
}
