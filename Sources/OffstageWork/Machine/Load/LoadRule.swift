// SPDX-License-Identifier: Apache-2.0

/// Whether the machine is busy: becoming so takes more than staying so, and between the two bounds nothing changes.
package struct LoadRule: Sendable, Hashable {
    /// What the kernel says of the load.
    package enum Measure: Sendable, Hashable {
        /// Percent of the last 10 s in which some program waited for a processor.
        case pressure(Double)
        /// Programs that ran or waited in the last minute, for each processor.
        case average(Double)

        /// What makes an idle machine busy.
        package var busyFrom: Double {
            switch self {
            case .pressure: 20
            case .average: 1
            }
        }

        /// Less than this makes a busy machine idle.
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

    /// Takes in a measure; nil where nothing is known, which counts as idle.
    package mutating func take(_ measure: Measure?) {
        guard let measure else {
            isBusy = false
            return
        }
        isBusy = isBusy ? measure.value >= measure.idleBelow : measure.value >= measure.busyFrom
    }
}

extension LoadRule.Measure {
    /// - Parameter text: what `/proc/pressure/cpu` says: `some avg10=0.69 avg60=…`.
    package init?(pressure text: String) {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("some ") }),
            let field = line.split(separator: " ").first(where: { $0.hasPrefix("avg10=") }),
            let percent = Double(field.dropFirst("avg10=".count)), percent.isFinite
        else { return nil }
        self = .pressure(percent)
    }

    /// - Parameters:
    ///   - text: what `/proc/loadavg` says: the means of 1, 5 and 15 minutes come first.
    ///   - processors: how many there are.
    package init?(average text: String, processors: Int) {
        guard processors > 0, let first = text.split(separator: " ").first, let programs = Double(first),
            programs.isFinite
        else { return nil }
        self = .average(programs / Double(processors))
    }
}
