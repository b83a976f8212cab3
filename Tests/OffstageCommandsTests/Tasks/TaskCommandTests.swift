// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Synchronization
import Testing

/// The commands for deferred work against a scripted daemon; the integration tests run them against the real one.
@Suite struct TaskCommandTests {
    private let directory: TemporaryDirectory
    /// The last request of each name.
    private let sent = Sent()

    private final class Sent: Sendable {
        let payloads = Mutex<[String: [UInt8]]>([:])
    }

    init() throws { directory = try TemporaryDirectory() }

    private func run(
        _ words: [String],
        columns: Int = 0,
        signals: Int32 = -1,
        _ answers: [String: any Encodable & Sendable] = [:]
    ) throws -> CommandRun {
        let sent = sent
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, payload in
            sent.payloads.withLock { $0[name] = payload }
            if name == Hello.name { return try ScriptedPeer.hello() }
            if name == ListApps.name {
                return [try ScriptedPeer.reply(ListApps.Reply(rows: [AppSamples.row(.suspended)]))]
            }
            if let failure = answers[name] as? WireFailure { return [.refuse(failure)] }
            return try answers[name].map { [try ScriptedPeer.reply($0)] } ?? [.close]
        }
        return withExtendedLifetime(peer) {
            CommandRun(words + ["--no-start"], home: directory.path("h"), columns: columns, signals: signals)
        }
    }

    private func request<R: WireRequest>(_ type: R.Type) throws -> R {
        let payload = try #require(sent.payloads.withLock { $0[R.name] })
        return try WireCoding.decode(type, from: payload)
    }

    @Test func `everything at one look`() throws {
        let rows = [
            TaskSamples.row(
                7,
                .running,
                AppSamples.id + ".export",
                kind: .continued,
                progress: TaskProgress(title: "Export", subtitle: "9 of 20", completed: 9, total: 20)
            ),
            TaskSamples.row(12, .earliestBegin, nextLook: noon.addingTimeInterval(3600)),
            TaskSamples.row(13, .noNetwork, "odd", kind: .healthResearch),
        ]
        let refusal = TaskSamples.entry(nil, .refused(code: 3, "'x' is not permitted."), "x")
        let done = TaskSamples.entry(3, TaskSamples.outcomes[0])
        let reply = TaskSamples.list(rows, count: 500, history: [refusal, done, refusal])
        let run = try run(["tasks", "--app", "dropoff", "-n", "3"], [ListTasks.name: reply])
        #expect(try request(ListTasks.self).app == AppSamples.id)
        let lines = run.lines
        #expect(lines[0].split(separator: " ") == ["TASK", "IDENTIFIER", "STATE", "WHY", "NEXT", "KIND"])
        #expect(lines[1].hasPrefix(" task:7  com.example.dropoff.export"))
        #expect(lines[1].contains("running  45%  Export: 9 of 20"))
        #expect(lines[2].contains("pending  waiting for its begin date") && lines[2].hasSuffix("processing"))
        #expect(lines[3].contains("com.example.dropoff/odd") && lines[3].hasSuffix("health research"))
        #expect(lines[4].hasPrefix("ENDED"))
        #expect(lines[5].hasSuffix("com.example.dropoff.sync  completed, after 2.3 s"))
        #expect(lines[6] == "REFUSED")
        #expect(lines[7].hasSuffix("com.example.dropoff/x"))
        #expect(lines[8] == "    refused: 'x' is not permitted.")
        #expect(lines[9].contains("'try?'"))
        #expect(lines[10] == "Budget:  com.example.dropoff: 12:00 of 30:00 a day left")
        let machine = "network unmetered, power external, battery 80%, load idle, disk free, lowdata off"
        #expect(lines[11] == "Machine: \(machine)")
        #expect(lines[12] == "500 tasks: 1 running, 499 pending — 3 shown; more: --limit 500")
        #expect(lines.count == 13)
        let most = try self.run(["tasks", "--history", "1", "--json"], [ListTasks.name: reply]).output
        #expect(most.ranges(of: "\"refused\"").count == 2, "Refusals besides: \(most)")
        #expect(most.contains("\"completed\""))
        let none = try self.run(["tasks", "--history", "0", "--json"], [ListTasks.name: reply]).output
        #expect(none.contains("\"refused\"") && !none.contains("\"completed\""))
        let narrow = try self.run(["tasks"], columns: 60, [ListTasks.name: reply])
        #expect(narrow.lines.prefix(4).allSatisfy { DisplayWidth.of($0) <= 60 })
    }

    @Test func `what is pretended, and a clock that is ahead, are said before anything else`() throws {
        var pretended = PretendedConditions()
        pretended.network = MachineConditions.Network.none
        pretended.isBusy = true
        let machine = TaskSamples.machine(pretended, ahead: 7 * 86_400)
        let run = try run(["tasks"], [ListTasks.name: TaskSamples.list(machine: machine)])
        #expect(run.lines[0].hasPrefix("PRETENDED: network=none load=busy. 'offstage condition clear'"))
        #expect(run.lines[1].hasPrefix("THE CLOCK IS AHEAD by 7d 00h."))
        #expect(run.lines[2] == "No task is pending or running.")
    }

    @Test func `names alone, with the app where two have the same`() throws {
        let rows = [
            TaskSamples.row(1, .running), TaskSamples.row(2, .noNetwork), TaskSamples.row(3, .noNetwork, "same"),
            TaskSamples.row(4, .noNetwork, "same", app: "other"),
        ]
        let run = try run(["tasks", "-q"], [ListTasks.name: TaskSamples.list(rows)])
        #expect(run.lines == ["com.example.dropoff.sync", "com.example.dropoff/same", "other/same"])
        let two = try self.run(["tasks", "-q", "-n", "2"], [ListTasks.name: TaskSamples.list(rows)])
        #expect(two.lines == ["com.example.dropoff.sync"])
    }

    @Test func `why says what it waits for, since when, when next, what to do, and what is pretended`() throws {
        var pretended = PretendedConditions()
        pretended.hasExternalPower = false
        let row = TaskSamples.row(12, .noExternalPower)
        let entries = [
            TaskSamples.entry(nil, .refused(code: 2, "Too many.")), TaskSamples.entry(9, TaskSamples.outcomes[2]),
        ]
        let reply = ShowTask.Reply(rows: [row], history: entries, machine: TaskSamples.machine(pretended))
        let lines = try run(["why", TaskSamples.identifier], [ShowTask.name: reply]).lines
        #expect(try request(ShowTask.self).task == TaskSamples.identifier)
        #expect(lines[0] == "task:12  com.example.dropoff.sync  (processing task of com.example.dropoff)")
        #expect(lines[1].hasPrefix("    waiting for external power, since "))
        #expect(lines[1].hasSuffix(" (1:05), checked when something changes"))
        #expect(lines[2] == "    Plug the machine in.")
        #expect(lines[3] == "    Only pretended: power battery. 'offstage condition clear power' undoes that.")
        #expect(lines[4].hasPrefix("    Submitted at ") && lines[4].contains(", not before "))
        #expect(
            lines[4].hasSuffix(
                ", with a network, external power and an idle machine; started 2 times, and came back."
            )
        )
        #expect(lines[5] == "    Before:")
        #expect(lines[6].hasSuffix("  refused: Too many."))
        #expect(lines[7].hasSuffix("in time, after 30 s"))
        #expect(lines[8].contains("'try?'"))
        #expect(lines[9].hasPrefix("PRETENDED: power=battery."))
    }

    @Test func `why has a sentence for every reason, with the words to type`() throws {
        let causes: [TaskReason.Cause] = [
            .running, .starting, .earliestBegin, .appQuit, .appEnding, .appBackedOff(crashes: 3), .refreshOff,
            .noNetwork,
            .noExternalPower, .lowBattery(charge: 0.1, least: 0.2), .diskFull, .machineBusy,
            .budgetSpent(seconds: 1800),
            .othersRun(running: 4, limit: 4), .retry(attempts: 2),
        ]
        let rows = causes.enumerated().map { index, cause in
            TaskSamples.row(UInt64(index + 1), cause, nextLook: noon.addingTimeInterval(90))
        }
        let reply = ShowTask.Reply(rows: rows, history: [], machine: TaskSamples.machine())
        let lines = try run(["why", "x"], [ShowTask.name: reply]).lines
        #expect(lines.count == 4 * causes.count)
        for (index, row) in rows.enumerated() {
            #expect(lines[4 * index + 1].hasPrefix("    \(row.reason.summary), since "))
            #expect(lines[4 * index + 1].hasSuffix(index == 0 ? "(1:05)" : "(in 1:30)"))
            #expect(!lines[4 * index + 2].contains(" TASK") && !lines[4 * index + 2].contains(" APP"))
        }
        #expect(lines[2].contains("task:1'"))
    }

    @Test func `without a name, why tells of transfers and of every task that waits`() throws {
        let none = ListTransfers.Reply(rows: [], hasMore: false, counts: [:])
        let rows = [TaskSamples.row(1, .running), TaskSamples.row(2, .machineBusy)]
        let run = try run(["why"], [ListTransfers.name: none, ListTasks.name: TaskSamples.list(rows, count: 52)])
        #expect(run.lines[0].hasPrefix("task:2  "))
        #expect(run.lines.last == "… and 50 more tasks; 'offstage tasks' shows them.")
        let nothing = try self.run(["why"], [ListTransfers.name: none, ListTasks.name: TaskSamples.list()])
        #expect(nothing.output == "Every transfer is done and no task is waiting.\n")
    }

    @Test func `a task that is gone is told of by its history`() throws {
        let entries = [TaskSamples.entry(9, TaskSamples.outcomes[0])]
        let reply = ShowTask.Reply(rows: [], history: entries, machine: TaskSamples.machine())
        let run = try run(["why", "task:9"], [ShowTask.name: reply])
        #expect(try request(ShowTask.self).task == "task:9")
        #expect(run.lines[0] == "No task 'task:9' is pending or running.")
        #expect(run.lines[2].hasSuffix("completed, after 2.3 s"))
        let unknown = try self.run(["why", "x"], [ShowTask.name: WireFailure(.notFound, "No task x.")])
        #expect(unknown.status == .notFound)
        #expect(unknown.errors.hasPrefix("offstage: 'x' is neither a submitted task nor a transfer's number"))
    }

    @Test func `a forecast says when, and what stays held`() throws {
        let start = TaskForecast(
            number: 12,
            app: AppSamples.id,
            identifier: TaskSamples.identifier,
            kind: .refresh,
            date: noon.addingTimeInterval(7200),
            reason: .earliestBegin
        )
        let forecast = ForecastTasks.Reply(starts: [start], held: [TaskSamples.row(13, .appQuit)])
        let answers: [String: any Encodable & Sendable] = [
            ForecastTasks.name: forecast,
            GetConditions.name: GetConditions.Reply(machine: TaskSamples.machine()),
        ]
        let lines = try run(["tasks", "forecast", "--for", "2d"], answers).lines
        #expect(try request(ForecastTasks.self).seconds == 172_800)
        #expect(lines[0].split(separator: " ").prefix(4) == ["WHEN", "IN", "TASK", "IDENTIFIER"])
        #expect(lines[1].contains("  2:00:00  task:12  com.example.dropoff.sync  waiting for its begin date  refresh"))
        #expect(lines[2] == "Not within 2d 00h, unless something changes:")
        #expect(lines[4].contains("a person quit its app"))
        let empty: [String: any Encodable & Sendable] = [
            ForecastTasks.name: ForecastTasks.Reply(starts: [], held: []),
            GetConditions.name: GetConditions.Reply(machine: TaskSamples.machine()),
        ]
        let nothing = try run(["tasks", "forecast"], empty)
        #expect(nothing.output == "Nothing would run within 7d 00h, as things stand.\n")
    }

    @Test func `what is done with a task`() throws {
        let pending = TaskSamples.row(12, .noNetwork).record
        let running = TaskSamples.row(12, .running).record
        let cancelled = try run(["tasks", "cancel", "12"], [CancelTask.name: CancelTask.Reply(record: pending)])
        #expect(cancelled.output == "Cancelled task:12 (com.example.dropoff.sync).\n")
        #expect(try request(CancelTask.self).task == "task:12")
        let told = try run(["tasks", "cancel", "a/b"], [CancelTask.name: CancelTask.Reply(record: running)])
        #expect(told.output == "Told task:12 (com.example.dropoff.sync) to end.\n")
        #expect(try request(CancelTask.self).task == "a/b")
        let launched = try run(["simulate", "launch", "x"], [SimulateTask.name: SimulateTask.Reply(record: pending)])
        #expect(launched.output.hasPrefix("Starting task:12 (com.example.dropoff.sync);"))
        #expect(try request(SimulateTask.self).verb == .launch)
        let expired = try run(["simulate", "expire", "x"], [SimulateTask.name: SimulateTask.Reply(record: running)])
        #expect(expired.output == "Told task:12 (com.example.dropoff.sync) that its time is over.\n")
        #expect(try request(SimulateTask.self).verb == .expire)
        let refused = try run(
            ["simulate", "expire", "x"],
            [SimulateTask.name: WireFailure(.notApplicable, "The task x is not running.")]
        )
        #expect(refused.status == .failure)
    }

    @Test func `a clock that is let run ahead tells where it is, and lets go of who presses Ctrl-C`() throws {
        let reply = AdvanceTime.Reply(now: noon.addingTimeInterval(604_800), ahead: 604_800, ended: 14)
        let run = try run(["simulate", "advance", "7d"], [AdvanceTime.name: reply])
        #expect(run.output.hasSuffix(" now, 7d 00h ahead of the machine's clock; 14 tasks have run.\n"))
        #expect(try request(AdvanceTime.self).seconds == 604_800)
        let refused = try self.run(
            ["simulate", "advance", "1h"],
            [AdvanceTime.name: WireFailure(.notApplicable, "Time was not advanced further.")]
        )
        #expect(refused.status == .failure)
        #expect(refused.errors == "offstage: Time was not advanced further.\n")
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        #expect(write(ends[1], "x", 1) == 1)
        let peer = try ScriptedPeer(home: directory.path("silent")) { _, name, _ in
            name == Hello.name ? try ScriptedPeer.hello() : []
        }
        let left = withExtendedLifetime(peer) {
            // The command closes the descriptor that it is given.
            CommandRun(
                ["simulate", "advance", "1h", "--no-start"],
                home: directory.path("silent"),
                signals: dup(ends[0])
            )
        }
        #expect(left.status == .detached)
    }

    @Test func `conditions are shown, pretended one by one, and cleared`() throws {
        var before = PretendedConditions()
        before.isBusy = true
        let reply = GetConditions.Reply(machine: TaskSamples.machine(before))
        let answers = [GetConditions.name: reply, PretendConditions.name: reply]
        let shown = try run(["condition"], [GetConditions.name: reply])
        #expect(shown.lines[0] == "Network:      unmetered (netlink)")
        #expect(shown.lines[2] == "Battery:      80%")
        #expect(shown.lines[3] == "Load:         busy      (pretended)")
        #expect(shown.lines[5] == "Lowdata:      off")
        #expect(shown.lines[6].hasPrefix("PRETENDED: load=busy."))
        let words = ["network=none", "power=battery", "battery=15%", "disk=full", "lowdata=on"]
        _ = try run(["condition", "set"] + words, answers)
        var wanted = before
        wanted.network = MachineConditions.Network.none
        wanted.hasExternalPower = false
        wanted.batteryCharge = 0.15
        wanted.isDiskFull = true
        wanted.isDataLow = true
        #expect(try request(PretendConditions.self).pretended == wanted)
        _ = try run(["condition", "clear", "load"], answers)
        #expect(try request(PretendConditions.self).pretended == PretendedConditions())
        _ = try run(["condition", "clear"], [PretendConditions.name: reply])
        #expect(try request(PretendConditions.self).pretended == PretendedConditions())
    }

    @Test func `control characters in what apps say never reach the terminal`() throws {
        let evil = "\u{1B}]0;owned\u{07}"
        let progress = TaskProgress(title: evil, subtitle: evil, completed: 1, total: 2)
        let rows = [
            TaskSamples.row(1, .running, evil, app: evil, kind: .continued, progress: progress),
            TaskSamples.row(2, .noNetwork, evil, app: evil),
        ]
        let entries = [
            TaskSamples.entry(nil, .refused(code: 3, evil), evil), TaskSamples.entry(1, .dropped(evil), evil),
        ]
        let list = TaskSamples.list(rows, history: entries)
        let show = ShowTask.Reply(rows: rows, history: entries, machine: TaskSamples.machine())
        for words in [["tasks"], ["tasks", "-q"], ["why", "x"]] {
            let run = try run(words, columns: 100, [ListTasks.name: list, ShowTask.name: show])
            #expect(!run.output.contains("\u{1B}") && !run.output.isEmpty)
        }
    }
}
