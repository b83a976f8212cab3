// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Hears from the kernel when programs wait for a processor (pressure stall information).
package final class PressureTrigger {
    /// To be watched for `EPOLLPRI`, which comes at most once in two seconds while programs wait. Needs no reading.
    package let descriptor: Int32

    /// Two seconds is the shortest window that needs no privilege.
    private static let window = 2_000_000
    /// Microseconds of waiting in a window: a fifth of it, from which on the machine is busy.
    private static let stall = 400_000

    /// Nil where the kernel does not tell, or not this user.
    ///
    /// - Parameter path: the machine's pressure file.
    package init?(path: String) {
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
