// SPDX-License-Identifier: Apache-2.0
import OffstageRuntime

/// Whether the machine is busy. Becoming busy takes more than staying busy; between the two bounds nothing changes.
package struct LoadRule: Sendable, Hashable {
    /// The kernel's report of the load.
    package enum Measure: Sendable, Hashable {
        /// Percent of the last 10 s in which some program waited for a processor.
        case pressure(Double)
        /// Programs that ran or waited in the last minute, per processor.
        case average(Double)

        /// The load from which an idle machine becomes busy.
        package var busyFrom: Double {
            switch self {
            case .pressure: 20
            case .average: 1
            }
        }

        /// The load below which a busy machine becomes idle.
        package var idleBelow: Double {
            switch self {
            case .pressure: 10
            case .average: 0.7
            }
        }

        fileprivate var value: Double {
            switch self {
            case .pressure(let value), .average(let value): value
            }
        }
    }

    package private(set) var isBusy = false

    package init() {}

    /// Adds a measurement; nil if nothing is known, which counts as idle.
    package mutating func add(_ measure: Measure?) {
        guard let measure else {
            isBusy = false
            return
        }
        isBusy = isBusy ? measure.value >= measure.idleBelow : measure.value >= measure.busyFrom
    }
}

extension LoadRule.Measure {
    /// - Parameter text: the contents of `/proc/pressure/cpu`: `some avg10=0.69 avg60=…`.
    package init?(pressure text: String) {
        guard let reading = PressureReading(text) else { return nil }
        self = .pressure(reading.average10)
    }

    /// - Parameters:
    ///   - text: the contents of `/proc/loadavg`: the means of 1, 5 and 15 minutes come first.
    ///   - processors: their number.
    package init?(average text: String, processors: Int) {
        guard processors > 0, let first = text.split(separator: " ").first, let programs = Double(first),
            programs.isFinite
        else { return nil }
        self = .average(programs / Double(processors))
    }
}
