// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport

/// An app and its process, as far as deferred work is concerned.
struct SimulatedTaskApp {
    /// A request that the app submits again and again.
    struct Habit {
        var identifier: String
        var kind: TaskRequest.Kind
        var requiresNetwork: Bool
        var requiresPower: Bool
        /// Seconds between two submissions, and for a run.
        var interval: Double
        var work: Double
    }

    var name: String
    var habits: [Habit]
    /// Percent of its runs in which it crashes.
    var clumsiness: Int

    /// The number of its current process, which counts up; nil if there is none.
    var process: Int?
    var processCount = 0
    var isLaunched = false
    /// Tasks it was notified of that have not reached their handler.
    var told: [UInt64: TaskRecord] = [:]
    /// Tasks whose handler is running.
    var running: [UInt64: TaskRecord] = [:]
    /// Tasks that its process has completed.
    var completed: Set<UInt64> = []
    var hold: AppHold?
    var crashes = 0

    /// Its process is gone, and with it everything that it knew.
    mutating func forget() {
        process = nil
        isLaunched = false
        told.removeAll()
        running.removeAll()
        completed.removeAll()
    }
}

extension SimulatedTaskApp {
    /// An app with its own habits; a higher pace is slower.
    init(number: Int, pace: Double, random: inout SeededGenerator) {
        name = "app.\(number)"
        clumsiness = [0, 0, 1, 5, 30][Int.random(in: 0..<5, using: &random)]
        habits = []
        for index in 0..<Int.random(in: 1...3, using: &random) {
            let kinds: [TaskRequest.Kind] = [.refresh, .refresh, .processing, .processing, .healthResearch]
            let kind = kinds[Int.random(in: 0..<5, using: &random)]
            let isRefresh = kind == .refresh
            let habit = Habit(
                identifier: "work.\(index)",
                kind: kind,
                requiresNetwork: !isRefresh && Bool.random(using: &random),
                requiresPower: !isRefresh && Bool.random(using: &random),
                interval: Double.random(in: 1800...20_000, using: &random) * pace,
                work: isRefresh
                    ? Double.random(in: 0.2...35, using: &random) : Double.random(in: 5...700, using: &random)
            )
            habits.append(habit)
        }
    }
}
