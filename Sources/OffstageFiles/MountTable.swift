// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import Synchronization

/// Finds the file system that a path leads to. It uses the kernel's list of mounts, and rereads it after a change. May
/// be used from any thread, and never waits for a file system.
package final class MountTable: Sendable {
    private struct State {
        var list = MountList(mountinfo: [])
        var isRead = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    /// The list's bytes beyond this number are not read.
    private static let limit = 4 << 20

    package init() {
        descriptor = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The file system of a file, judged only by its path.
    ///
    /// - Parameter path: absolute.
    /// - Returns: its number; nil if the kernel does not report it.
    package func device(of path: String) -> MountList.Device? {
        guard descriptor >= 0 else { return nil }
        return state.withLock { state in
            if !state.isRead || hasChanged { read(&state) }
            return state.list.device(of: path)
        }
    }

    /// Whether a file system has been mounted or unmounted since the last check.
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
