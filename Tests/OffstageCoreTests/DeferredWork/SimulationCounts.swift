// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The totals of simulated weeks.
struct SimulationCounts: CustomStringConvertible {
    var weeks = 0
    var events = 0
    var looks = 0
    var submitted = 0
    var replaced = 0
    var cancelled = 0
    var starts = 0
    var forced = 0
    var handlers = 0
    var expiries = 0
    var kills = 0
    var returned = 0
    var interrupted = 0
    var adopted = 0
    var appCrashes = 0
    var daemonCrashes = 0
    var machineCrashes = 0
    var suspends = 0
    var clockJumps = 0
    var forecasts = 0
    /// How often each cause was compared.
    var whys: [String: Int] = [:]

    mutating func add(_ other: SimulationCounts) {
        for path in Self.paths { self[keyPath: path] += other[keyPath: path] }
        whys.merge(other.whys, uniquingKeysWith: +)
    }

    var description: String {
        let causes = whys.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return """
            \(weeks) machine-weeks: \(events) events (\(looks) of them looks), \(submitted) requests, \(replaced) replaced, \
            \(cancelled) cancelled or dropped, \(starts) starts (\(forced) forced), \(handlers) handlers entered, \
            \(expiries) expired, \(kills) killed, \(returned) returned, \(interrupted) interrupted, \(adopted) adopted; \
            \(appCrashes) crashes of apps, \(daemonCrashes) of the daemon, \(machineCrashes) of the machine, \
            \(suspends) suspends, \(clockJumps) jumps of the clock; \
            \(whys.values.reduce(0, +)) whys compared (\(causes)), \(forecasts) forecasts
            """
    }

    private static var paths: [WritableKeyPath<SimulationCounts, Int>] {
        [
            \.weeks, \.events, \.looks, \.submitted, \.replaced, \.cancelled, \.starts, \.forced, \.handlers,
            \.expiries,
            \.kills, \.returned, \.interrupted, \.adopted, \.appCrashes, \.daemonCrashes, \.machineCrashes, \.suspends,
            \.clockJumps, \.forecasts,
        ]
    }
}
