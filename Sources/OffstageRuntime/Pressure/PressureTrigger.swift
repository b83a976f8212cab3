// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Receives the kernel's reports that programs wait for a processor or for memory (pressure stall information).
///
/// A report alone proves nothing: without privilege, the kernel compares the first stall after the trigger's creation
/// with an outdated count, and reports it however short it was. So read `reading` before you act on a report.
package final class PressureTrigger: Sendable {
    /// Watch it for `EPOLLPRI`, which occurs at most once in two seconds while programs wait. It need not be read.
    package let descriptor: Int32

    /// Two seconds is the shortest window that needs no privilege, in microseconds.
    private static let window = 2_000_000
    /// The text of a pressure file is 140 bytes long.
    private static let mostBytes = 512

    /// Nil if the kernel does not report it, or not to this user.
    ///
    /// - Parameters:
    ///   - path: the pressure file of the machine or of a group.
    ///   - stall: the threshold for a report, in microseconds of waiting within two seconds.
    package init?(path: String, stall: Int) {
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let trigger = Array("some \(stall) \(Self.window)\0".utf8)
        guard write(descriptor, trigger, trigger.count) == trigger.count else { return nil }
    }

    deinit {
        // A failed init also gets here, because all properties are set by then.
        if descriptor >= 0 { close(descriptor) }
    }

    /// The kernel's current measurement, read from the open file; nil if it cannot be read.
    package var reading: PressureReading? {
        let text = withUnsafeTemporaryAllocation(byteCount: Self.mostBytes, alignment: 1) { buffer -> String? in
            let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
        }
        return text.flatMap(PressureReading.init)
    }
}
