// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Receives reports of the kernel that programs wait for a processor (pressure stall information).
package final class PressureTrigger {
    /// Watch it for `EPOLLPRI`, which comes at most once in two seconds while programs wait. It need not be read.
    package let descriptor: Int32

    /// Two seconds is the shortest window that needs no privilege.
    private static let window = 2_000_000
    /// Microseconds of waiting within a window, a fifth of it, that make the machine busy.
    private static let stall = 400_000

    /// Nil if the kernel does not report it, or not to this user.
    ///
    /// - Parameter path: the machine's pressure file.
    package init?(path: String) {
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
