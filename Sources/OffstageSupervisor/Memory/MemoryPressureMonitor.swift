// SPDX-License-Identifier: Apache-2.0
package import OffstageRuntime

/// Receives the kernel's reports that programs wait for memory, and filters out the false ones.
package final class MemoryPressureMonitor: Sendable {
    private let trigger: PressureTrigger

    /// The descriptor to watch for `EPOLLPRI`; call `isShort` afterwards.
    package var descriptor: Int32 { trigger.descriptor }

    /// Microseconds of waiting within two seconds that count as a shortage of memory.
    private static let stall = 200_000

    /// Nil if the kernel does not report memory pressure.
    ///
    /// - Parameter path: the pressure file of the machine, or of a group.
    package init?(path: String = "/proc/pressure/memory") {
        guard let trigger = PressureTrigger(path: path, stall: Self.stall) else { return nil }
        self.trigger = trigger
    }

    /// Whether memory is short now, according to the kernel's averages.
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
