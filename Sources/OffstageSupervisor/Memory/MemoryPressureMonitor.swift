// SPDX-License-Identifier: Apache-2.0
package import OffstageRuntime

/// Receives the kernel's reports that programs wait for memory, and says which of them are true.
package final class MemoryPressureMonitor: Sendable {
    private let trigger: PressureTrigger

    /// Watch it for `EPOLLPRI`, then ask `isShort`.
    package var descriptor: Int32 { trigger.descriptor }

    /// Microseconds of waiting within two seconds that count as a shortage of memory.
    private static let stall = 200_000

    /// Nil if the kernel does not report it.
    ///
    /// - Parameter path: the machine's, or a group's, pressure file.
    package init?(path: String = "/proc/pressure/memory") {
        guard let trigger = PressureTrigger(path: path, stall: Self.stall) else { return nil }
        self.trigger = trigger
    }

    /// Whether memory is short now, as the kernel measures it.
    package var isShort: Bool { Self.isShort(trigger.reading) }

    /// Whether a reading shows a shortage, which a report of the kernel does not always mean.
    ///
    /// - Parameter reading: the kernel's averages; nil if there are none.
    /// - Returns: false without a reading: nothing is reclaimed without proof.
    package static func isShort(_ reading: PressureReading?) -> Bool {
        // 200 ms within two seconds raise the average of 10 s by 1.6 percent or more.
        reading.map { $0.average10 >= 1 } ?? false
    }
}
