// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Knows whether the machine is busy: from pressure stall information, or from the load average where there is none.
///
/// Used on one thread; never waits.
package final class LoadMonitor {
    private let proc: SystemFolder
    private let processors: Int
    private var rule = LoadRule()
    /// What was read last; nil when neither file has an answer.
    private var measure: LoadRule.Measure?

    package var isBusy: Bool { rule.isBusy }

    /// - Parameters:
    ///   - proc: where procfs is, or a folder that looks like it.
    ///   - processors: how many there are, for the load average.
    package init(proc: SystemFolder, processors: Int) {
        self.proc = proc
        self.processors = processors
    }

    private static let pressureFile = "pressure/cpu"

    package func look() {
        measure =
            proc.text(Self.pressureFile).flatMap(LoadRule.Measure.init(pressure:))
            ?? proc.text("loadavg").flatMap { LoadRule.Measure(average: $0, processors: processors) }
        rule.take(measure)
    }

    /// What hears of the machine becoming busy; nil where it has to be looked at instead.
    package func makeTrigger() -> PressureTrigger? { PressureTrigger(path: proc.path(Self.pressureFile)) }

    /// A few words for people.
    package var source: String {
        switch measure {
        case .pressure: "processor pressure"
        case .average: "load average"
        case nil: "unknown: counts as idle"
        }
    }
}
