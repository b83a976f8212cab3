// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

/// The shapes of deferred work that docs/json.md promises.
@Suite struct TaskJSONShapeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func document(_ words: [String], _ answers: [String: any Encodable & Sendable]) throws -> JSONValue {
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, _ in
            if name == Hello.name { return try ScriptedPeer.hello() }
            return try answers[name].map { [try ScriptedPeer.reply($0)] } ?? [.close]
        }
        let run = withExtendedLifetime(peer) {
            CommandRun(words + ["--json", "--no-start"], home: directory.path("h"))
        }
        #expect(run.status == .success, "\(run.errors)")
        return try JSONValue(parsing: run.output)
    }

    private func described() throws -> String {
        let file = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        return try TestFiles.text("/\(file)/docs/json.md")
    }

    private let taskKeys = [
        "app", "attempts", "earliestBegin", "identifier", "kind", "number", "reason", "requiresExternalPower",
        "requiresNetwork", "state", "submittedAt",
    ]

    @Test func `what is pending, runs and has ended`() throws {
        let progress = TaskProgress(title: "Export", subtitle: "9 of 20", completed: 9, total: 20)
        let rows = [
            TaskSamples.row(7, .running, kind: .continued, progress: progress),
            TaskSamples.row(8, .lowBattery(charge: 0.1, least: 0.2), nextLook: noon),
        ]
        var pretended = PretendedConditions()
        pretended.hasExternalPower = false
        let machine = TaskSamples.machine(pretended, ahead: 60)
        let reply = TaskSamples.list(rows, history: [TaskSamples.entry(1, TaskSamples.outcomes[0])], machine: machine)
        let document = try document(["tasks"], [ListTasks.name: reply])
        #expect(document.keys == ["budgets", "conditions", "count", "history", "tasks"])
        #expect(document.budgets[0].keys == ["app", "secondsLeft", "secondsOfDay"])
        let running = document.tasks[0]
        #expect(running.keys == (taskKeys + ["completedUnits", "since", "subtitle", "title", "totalUnits"]).sorted())
        #expect(running.state.string == "running")
        #expect(running.completedUnits.integer == 9)
        let waiting = document.tasks[1]
        #expect(waiting.keys == taskKeys)
        #expect(waiting.reason.keys == ["advice", "code", "conditions", "nextLook", "since", "summary"])
        #expect(waiting.reason.code.string == "lowBattery")
        #expect(waiting.reason.conditions.array.compactMap(\.string) == ["power", "battery"])
        let conditions = document.conditions
        #expect(
            conditions.keys == [
                "batteryCharge", "clockAhead", "disk", "load", "lowData", "network", "power", "pretended", "sources",
            ]
        )
        #expect(conditions.power.string == "battery")
        #expect(conditions.pretended[0].string == "power")
        #expect(conditions.clockAhead.integer == 60)
        let text = try described()
        for keys in [document.keys, running.keys, waiting.reason.keys, conditions.keys, document.budgets[0].keys] {
            for key in keys { #expect(text.contains("`\(key)`"), "\(key)") }
        }
    }

    @Test func `every outcome has a word, a sentence and what belongs to it`() throws {
        let entries = TaskSamples.outcomes.enumerated().map { TaskSamples.entry(UInt64($0 + 1), $1) }
        let reply = TaskSamples.list(history: entries)
        let history = try document(["tasks", "--history", "100"], [ListTasks.name: reply]).history.array
        #expect(history.count == entries.count)
        let text = try described()
        for (entry, shown) in zip(entries, history) {
            #expect(["app", "date", "identifier", "kind", "number", "outcome", "text"].allSatisfy(shown.keys.contains))
            #expect(shown.text.string == entry.outcome.summary)
            #expect(text.contains("`\(shown.outcome.string ?? "")`"))
            for key in shown.keys { #expect(text.contains("`\(key)`"), "\(key)") }
        }
        #expect(history[0].success.bool == true)
        #expect(history[1].success.bool == false)
        #expect(history[2].seconds.integer == 30)
        #expect(history[8].errorCode.integer == 3)
    }

    @Test func `why, with the code of every reason`() throws {
        let causes: [TaskReason.Cause] = [
            .running, .starting, .earliestBegin, .appQuit, .appEnding, .appBackedOff(crashes: 3), .refreshOff,
            .noNetwork,
            .noExternalPower, .lowBattery(charge: 0.1, least: 0.2), .diskFull, .machineBusy,
            .budgetSpent(seconds: 1800),
            .othersRun(running: 4, limit: 4), .retry(attempts: 2),
        ]
        let rows = causes.enumerated().map { TaskSamples.row(UInt64($0 + 1), $1) }
        let reply = ShowTask.Reply(rows: rows, history: [], machine: TaskSamples.machine())
        let document = try document(["why", "x"], [ShowTask.name: reply])
        let codes = document.tasks.array.compactMap(\.reason.code.string)
        #expect(Set(codes).count == causes.count)
        let text = try described()
        for code in codes { #expect(text.contains("`\(code)`"), "\(code)") }
        #expect(document.moreTasks.integer == 0)
        #expect(document.transfers.array.isEmpty)
    }

    @Test func `a forecast, what was done, a clock and conditions`() throws {
        let start = TaskForecast(
            number: 12,
            app: "a",
            identifier: "i",
            kind: .refresh,
            date: noon,
            reason: .budgetSpent(seconds: 60)
        )
        let machine = GetConditions.Reply(machine: TaskSamples.machine())
        let forecast = try document(
            ["tasks", "forecast"],
            [ForecastTasks.name: ForecastTasks.Reply(starts: [start], held: []), GetConditions.name: machine]
        )
        #expect(forecast.keys == ["conditions", "held", "seconds", "starts"])
        #expect(forecast.starts[0].keys == ["app", "date", "identifier", "kind", "number", "reason"])
        #expect(forecast.starts[0].reason.string == "budgetSpent")
        let record = TaskSamples.row(12, .noNetwork).record
        let cancelled = try document(["tasks", "cancel", "12"], [CancelTask.name: CancelTask.Reply(record: record)])
        #expect(cancelled.keys == taskKeys.filter { $0 != "reason" })
        let advanced = try document(
            ["simulate", "advance", "60"],
            [AdvanceTime.name: AdvanceTime.Reply(now: noon, ahead: 60, ended: 2)]
        )
        #expect(advanced.keys == ["clockAhead", "ended", "now"])
        let conditions = try document(["condition"], [GetConditions.name: machine])
        #expect(conditions.network.string == "unmetered")
        #expect(conditions.sources.network.string == "netlink")
    }
}
