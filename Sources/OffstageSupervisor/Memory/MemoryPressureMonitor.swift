// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Hears from the kernel when programs wait for memory (pressure stall information).
package final class MemoryPressureMonitor: Sendable {
    /// To be watched for `EPOLLPRI`, which comes at most once in a window while memory is short. Needs no reading.
    package let descriptor: Int32

    /// Two seconds is the shortest window that needs no privilege.
    private static let window = 2_000_000
    /// Microseconds of waiting in a window from which memory counts as short.
    private static let stall = 200_000

    /// Nil where the kernel does not tell.
    ///
    /// - Parameter path: the machine's, or a group's, pressure file.
    package init?(path: String = "/proc/pressure/memory") {
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let trigger = Array("some \(Self.stall) \(Self.window)\0".utf8)
        guard write(descriptor, trigger, trigger.count) == trigger.count else { return nil }
    }

    deinit {
        // A failed init comes here as well, since every property is set by then.
        if descriptor >= 0 { close(descriptor) }
    }
}
