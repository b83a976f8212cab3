// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Receives reports of the kernel that programs wait for memory (pressure stall information).
package final class MemoryPressureMonitor: Sendable {
    /// Watch it for `EPOLLPRI`, which comes at most once per window while memory is short. It need not be read.
    package let descriptor: Int32

    /// Two seconds is the shortest window that needs no privilege.
    private static let window = 2_000_000
    /// Microseconds of waiting within a window that count as a shortage of memory.
    private static let stall = 200_000

    /// Nil if the kernel does not report it.
    ///
    /// - Parameter path: the machine's, or a group's, pressure file.
    package init?(path: String = "/proc/pressure/memory") {
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let trigger = Array("some \(Self.stall) \(Self.window)\0".utf8)
        guard write(descriptor, trigger, trigger.count) == trigger.count else { return nil }
    }

    deinit {
        // A failed init also gets here, because all properties are set by then.
        if descriptor >= 0 { close(descriptor) }
    }
}
