// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

/// Random weeks of machines where much goes wrong. `OFFSTAGE_SIMULATION_WEEKS` is their number, and
/// `OFFSTAGE_SIMULATION_SEED` the first seed; with a seed alone, its week is printed. `scripts/simulate` sets both.
@Suite struct TaskScheduleSimulationTests {
    @Test func `whatever goes wrong, no deferred task is lost, run twice or starved, and each says why it waits`() async
    {
        let environment = ProcessInfo.processInfo.environment
        let wanted = environment["OFFSTAGE_SIMULATION_WEEKS"].flatMap(Int.init)
        let first = environment["OFFSTAGE_SIMULATION_SEED"].flatMap(UInt64.init)
        if let first, wanted == nil { return explain(first) }
        let weeks = wanted ?? 25
        let began = ContinuousClock.now
        let (counts, failed) = await Self.run(from: first ?? 1, weeks: weeks, lanes: wanted == nil ? 1 : 2)
        if wanted != nil {
            let seconds = Double((ContinuousClock.now - began) / .milliseconds(1)) / 1000
            print("\(counts); \(seconds) s, \(Int(Double(counts.weeks) / seconds)) weeks/s")
        }
        if let failed { explain(failed) }
    }

    /// Runs all weeks; also returns the lowest seed of one that failed.
    private static func run(from first: UInt64, weeks: Int, lanes: Int) async -> (SimulationCounts, UInt64?) {
        await withTaskGroup(of: (SimulationCounts, UInt64?).self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var counts = SimulationCounts()
                    for seed in stride(from: first + UInt64(lane), to: first + UInt64(weeks), by: lanes) {
                        var week = SimulatedWeek(seed: seed)
                        week.run()
                        counts.add(week.counts)
                        if week.failure != nil { return (counts, seed) }
                    }
                    return (counts, nil)
                }
            }
            var counts = SimulationCounts()
            var failed: UInt64?
            for await (part, seed) in group {
                counts.add(part)
                if let seed { failed = min(seed, failed ?? seed) }
            }
            return (counts, failed)
        }
    }

    private func explain(_ seed: UInt64) {
        var week = SimulatedWeek(seed: seed, isTraced: true)
        week.run()
        guard let failure = week.failure else { return }
        let story = (week.trace ?? []).joined(separator: "\n")
        Issue.record("OFFSTAGE_SIMULATION_SEED=\(seed): \(failure)\n\(story)")
    }
}
