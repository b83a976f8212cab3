// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
package import OffstageRuntime

/// Determines whether the machine is busy, from pressure stall information or, without that, from the load average.
///
/// Used on one thread; never waits.
package final class LoadMonitor {
    private let proc: SystemFolder
    private let processors: Int
    private var rule = LoadRule()
    /// The last reading; nil if neither file can be read.
    private var measure: LoadRule.Measure?

    /// The apps with a process among the runs that need an idle machine; nil while there is no such run.
    ///
    /// While there is one, the machine is busy only if other programs use the processors as well.
    package private(set) var ownRuns: Set<OwnRun>?
    private var others: OthersLoad?
    /// The processor time of each run's app at the last reading, and of all of them since the first, in seconds.
    private var marks: [OwnRun: Double] = [:]
    private var own = 0.0

    package var isBusy: Bool { rule.isBusy && others?.isHigh != false }

    /// - Parameters:
    ///   - proc: the path of procfs, or of a folder like it.
    ///   - processors: their number, for the load average.
    package init(proc: SystemFolder, processors: Int) {
        self.proc = proc
        self.processors = processors
    }

    private static let pressureFile = "pressure/cpu"
    /// Microseconds of waiting within two seconds, a fifth of them, that make the machine busy.
    package static let stall = 400_000

    package func look() {
        measure =
            proc.text(Self.pressureFile).flatMap(LoadRule.Measure.init(pressure:))
            ?? proc.text("loadavg").flatMap { LoadRule.Measure(average: $0, processors: processors) }
        rule.add(measure)
        guard others != nil else { return }
        let isWhole = countOwnTime()
        let sample = sample()
        // The last time of an app that has ended would count as that of other programs.
        isWhole ? others?.add(sample) : others?.restart(at: sample)
    }

    /// Changes `ownRuns`.
    package func setOwnRuns(_ runs: Set<OwnRun>?) {
        guard runs != ownRuns else { return }
        let isWhole = countOwnTime()
        let isFirst = ownRuns?.isEmpty != false
        ownRuns = runs
        // An app's time before its run counts as that of other programs.
        for run in marks.keys where runs?.contains(run) != true { marks[run] = nil }
        for run in runs ?? [] where marks[run] == nil { marks[run] = run.seconds(in: proc) }
        if runs == nil {
            others = nil
        } else if others == nil {
            others = OthersLoad(since: sample())
        } else if isFirst || !isWhole {
            others?.restart(at: sample())
        }
    }

    /// Adds the time that the runs' apps have used since the last reading.
    ///
    /// - Returns: whether it is known for all of them.
    private func countOwnTime() -> Bool {
        var isWhole = true
        for (run, mark) in marks {
            let seconds = run.seconds(in: proc)
            marks[run] = seconds
            guard let seconds else {
                isWhole = false
                continue
            }
            // Less than before if a child ended that was not waited for.
            own += max(0, seconds - mark)
        }
        return isWhole
    }

    private func sample() -> OthersLoad.Sample? {
        guard let stat = proc.text("stat"), let uptime = proc.text("uptime") else { return nil }
        return OthersLoad.Sample(stat: stat, uptime: uptime, ticks: OwnRun.ticks, own: own)
    }

    /// The trigger for a busy machine; nil if the load has to be polled instead.
    package func makeTrigger() -> PressureTrigger? {
        PressureTrigger(path: proc.path(Self.pressureFile), stall: Self.stall)
    }

    /// The source of the load, in a few words for people.
    package var source: String {
        let others = others == nil ? "" : ", and the processor time that others use"
        return switch measure {
        case .pressure: "processor pressure" + others
        case .average: "load average" + others
        case nil: "unknown: counts as idle"
        }
    }
}
