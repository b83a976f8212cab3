// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport

/// An app with its process, as far as deferred work goes.
struct SimulatedTaskApp {
    /// What it submits again and again.
    struct Habit {
        var identifier: String
        var kind: TaskRequest.Kind
        var requiresNetwork: Bool
        var requiresPower: Bool
        /// Seconds from one to the next, and of a run.
        var interval: Double
        var work: Double
    }

    var name: String
    var habits: [Habit]
    /// Percent of its runs in which it crashes.
    var clumsiness: Int

    /// Of its present process, which counts up; nil while it has none.
    var process: Int?
    var processCount = 0
    var isLaunched = false
    /// Told, and not come to its handler.
    var told: [UInt64: TaskRecord] = [:]
    /// In its handler.
    var running: [UInt64: TaskRecord] = [:]
    /// Its process has completed them.
    var completed: Set<UInt64> = []
    var hold: AppHold?
    var crashes = 0

    /// Its process is gone, with all that it knew.
    mutating func forget() {
        process = nil
        isLaunched = false
        told.removeAll()
        running.removeAll()
        completed.removeAll()
    }
}

extension SimulatedTaskApp {
    /// An app with habits of its own; a greater pace is a slower one.
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
