// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// The conditions that hold tasks back, how they are reported, and what people and apps do with waiting tasks.
@Suite(.serialized) struct `A task that waits` {
    private func start(
        _ settings: String = "{}",
        flags: String = "completesTasks"
    ) throws -> (daemon: DaemonFixture, app: WiredApp, driver: TaskDriver) {
        let daemon = try DaemonFixture(settings: settings)
        let app = try WiredApp(daemon, flags: flags, bundle: "org.example.app", permits: TaskDriver.all)
        try daemon.pretend()
        try app.open()
        return (daemon, app, try TaskDriver(app))
    }

    @Test func `each condition says why, since when, and lets it go`() throws {
        let (daemon, _, driver) = try start()
        let changes: [(TaskReason.Cause, (inout PretendedConditions) -> Void)] = [
            (.noNetwork, { $0.network = MachineConditions.Network.none }),
            (.noExternalPower, { $0.hasExternalPower = false }),
            (
                .lowBattery(charge: 0.1, least: 0.2),
                {
                    $0.hasExternalPower = false
                    $0.batteryCharge = 0.1
                }
            ),
            (.diskFull, { $0.isDiskFull = true }), (.machineBusy, { $0.isBusy = true }),
        ]
        for (number, (cause, change)) in changes.enumerated() {
            try daemon.pretend(change)
            let power = cause == .noExternalPower
            try driver.submit(TaskDriver.cleanup, .processing, network: true, power: power)
            let row = try #require(try daemon.why(TaskDriver.cleanup).rows.first)
            #expect(row.reason.cause == cause)
            #expect(row.reason.nextLook == nil)
            #expect(row.record.phase == .pending)
            try daemon.pretend()
            #expect(try daemon.ending(TaskDriver.cleanup, count: number + 1) == .completed(success: true))
        }
    }

    @Test func `conditions are read without being changed`() throws {
        let daemon = try DaemonFixture(settings: "{}")
        try daemon.startOnDemand()
        try daemon.pretend { $0.batteryCharge = 0.5 }
        let client = try WireClient.greeted(daemon)
        let read = try client.send(GetConditions()).machine
        #expect(read.pretended.batteryCharge == 0.5 && read.conditions.batteryCharge == 0.5)
        // The way in which commands read them before there was a request for it.
        #expect(try client.send(PretendConditions(pretended: nil)).machine.pretended == read.pretended)
    }

    @Test(.enabled(if: Privileges.canMount, "needs the right to mount"))
    func `a disk that has filled up meanwhile is seen before one is started`() throws {
        let daemon = try DaemonFixture(settings: "{}")
        let disk = try MountedDisk(daemon.home, megabytes: 80)
        defer { disk.unmount() }
        let app = try WiredApp(daemon, flags: "completesTasks", bundle: "org.example.app", permits: TaskDriver.all)
        try daemon.pretend {
            $0.isDiskFull = nil
            $0.isBusy = nil
            $0.network = MachineConditions.Network.none
        }
        try app.open()
        let driver = try TaskDriver(app)
        // A due task makes the daemon watch the load, and everything else that it can watch.
        try driver.submit(TaskDriver.cleanup, .processing, network: true)
        try TestFiles.write(String(repeating: "x", count: 30 << 20), to: daemon.home + "/filler")
        // Later than the daemon trusts its last look at the disk.
        try driver.submit(after: 1.5)
        try eventually("it waits for room") { try daemon.cause(TaskDriver.refresh) == .diskFull ? true : nil }
        #expect(app.texts.count { $0.hasPrefix("entered") } == 0)
    }

    @Test func `one that runs is told to end when the machine is busy again`() throws {
        let (daemon, _, driver) = try start(flags: "completesAtExpiry")
        try driver.submit(TaskDriver.cleanup, .processing)
        try eventually("it runs") { try daemon.cause(TaskDriver.cleanup) == .running ? true : nil }
        try daemon.pretend { $0.isBusy = true }
        #expect(try daemon.ending(TaskDriver.cleanup) == .expired(.machineBusy, success: false))
    }

    @Test func `one is replaced by the next of its identifier, and cancelled by its app`() throws {
        let (daemon, app, driver) = try start()
        try driver.submit(after: 3600)
        try driver.submit(after: 7200)
        #expect(try driver.pending().count == 1)
        #expect(try daemon.outcomes(TaskDriver.refresh) == [.replaced])
        try driver.cancel("org.example.other")
        #expect(try driver.pending().count == 1)
        try driver.cancel(TaskDriver.refresh)
        #expect(try driver.pending().isEmpty)
        try driver.submit(after: 3600)
        try driver.submit("org.example.tasks.second", .processing, after: 3600)
        try driver.cancel(nil)
        #expect(try daemon.tasks(app.id).count == 0)
    }

    @Test func `one that was begun is left alone by its app, and ended by a person`() throws {
        let (daemon, _, driver) = try start(flags: "completesAtExpiry")
        try driver.submit()
        try eventually("it runs") { try daemon.cause(TaskDriver.refresh) == .running ? true : nil }
        try driver.cancel(TaskDriver.refresh)
        #expect(try daemon.cause(TaskDriver.refresh) == .running)
        try driver.submit(after: 3600)
        let failure = #expect(throws: WireFailure.self) { try daemon.stopTask(TaskDriver.refresh) }
        #expect(failure?.message.contains("matches 2 tasks: name one of task:1 ") == true, "\(failure as Any)")
        try daemon.stopTask("task:1")
        #expect(try daemon.ending(TaskDriver.refresh) == .expired(.cancelledByPerson, success: false))
        try daemon.stopTask(TaskDriver.refresh)
        #expect(try daemon.tasks().count == 0)
    }

    @Test func `a phone's limits are refused with a sentence, and on record once`() throws {
        let (daemon, _, driver) = try start(#"{"strict": true}"#)
        try driver.submit(after: 3600)
        for _ in 0..<3 {
            let refusal = try driver.submit("org.example.tasks.second", after: 3600)
            #expect(refusal?.code == 2)
        }
        #expect(try driver.submit("org.example.none")?.code == 3)
        // A request's place is free again when it replaces itself.
        #expect(try driver.submit(after: 7200) == nil)
        let history = try daemon.tasks().history
        let refused = history.filter { if case .refused = $0.outcome { true } else { false } }
        #expect(refused.map(\.identifier) == ["org.example.none", "org.example.tasks.second"])
    }

    @Test func `an app whose time of the day is used waits for more`() throws {
        let (daemon, _, driver) = try start(#"{"deferredWork": {"dailySeconds": 1}}"#, flags: "")
        try driver.submit()
        let number = try eventually("it runs") { () -> UInt64? in
            let row = try daemon.why(TaskDriver.refresh).rows.first
            return row?.reason.cause == .running ? row?.record.request.number : nil
        }
        try eventually("its budget is used") {
            try daemon.tasks().budgets.first.map { $0.left <= 0 } == true ? true : nil
        }
        try driver.app.order("complete \(number)")
        try daemon.ending(TaskDriver.refresh)
        try driver.submit()
        let reason = try #require(try daemon.why(TaskDriver.refresh).rows.first?.reason)
        #expect(reason.cause == .budgetSpent(seconds: 1))
        #expect(reason.nextLook.map { $0 > reason.since } == true)
    }

    @Test func `time that an app has used stays used when the daemon begins anew, whatever else is on record`() throws {
        let (daemon, app, driver) = try start(#"{"deferredWork": {"dailySeconds": 1}}"#, flags: "")
        try driver.submit()
        let number = try eventually("it runs") { () -> UInt64? in
            let row = try daemon.why(TaskDriver.refresh).rows.first
            return row?.reason.cause == .running ? row?.record.request.number : nil
        }
        try eventually("its budget is used") {
            try daemon.tasks().budgets.first.map { $0.left <= 0 } == true ? true : nil
        }
        try app.order("complete \(number)")
        try daemon.ending(TaskDriver.refresh)
        for _ in 0..<25 { try driver.submit(after: 3600) }
        try driver.submit()
        #expect(try daemon.cause(TaskDriver.refresh) == .budgetSpent(seconds: 1))
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try daemon.pretend()
        #expect(try daemon.cause(TaskDriver.refresh) == .budgetSpent(seconds: 1))
    }

    @Test func `those of an app that a person quit are held, and of one that is removed are gone`() throws {
        let (daemon, app, driver) = try start()
        try driver.submit()
        try daemon.ending(TaskDriver.refresh)
        try driver.submit(after: 3600)
        try app.act(.quit(keepsTransfers: nil), waits: true)
        try eventually("it is held") { try daemon.cause(TaskDriver.refresh) == .appQuit ? true : nil }
        try app.wait(for: .terminated)
        try app.act(.remove)
        #expect(try daemon.tasks().count == 0)
        #expect(try daemon.outcomes(TaskDriver.refresh) == [.dropped("its app was removed")])
    }

    @Test func `an app hears what its bundle permits`() throws {
        let (_, app, driver) = try start()
        let rules = try driver.rules()
        #expect(rules.app == app.id)
        #expect(rules.permittedIdentifiers == TaskDriver.all)
        #expect(rules.backgroundModes == ["fetch", "processing"])
        #expect(rules.candidates.first?.hasSuffix("/app.app/Info.plist") == true)
    }

    @Test func `continued processing runs at once, is watched, and ends when a person cancels it`() throws {
        let (daemon, _, driver) = try start(flags: "completesAtExpiry")
        let watcher = try WireClient.greeted(daemon)
        _ = try watcher.send(WatchTasks())
        try daemon.pretend { $0.isBusy = true }
        let identifier = TaskDriver.export + ".1"
        #expect(try driver.submit(identifier, .continued, failsUnlessImmediate: true) == nil)
        try eventually("it runs") { try daemon.cause(identifier) == .running ? true : nil }
        try driver.app.order("progress 1 40")
        let limit = TimeLimit(seconds: 20)
        var told: TaskProgress?
        while told == nil, let frame = try watcher.nextFrame(limit) {
            guard frame.name == TaskEvent.name else { continue }
            if case .changed(let row) = try WireCoding.decode(TaskEvent.self, from: frame.payload) {
                told = row.progress
            }
        }
        #expect(told?.completed == 40)
        try daemon.stopTask(identifier)
        #expect(try daemon.ending(identifier) == .expired(.cancelledByPerson, success: false))
        try driver.app.act(.background)
        try driver.app.waitUntilStopped()
        #expect(try driver.submit(identifier, .continued)?.code == 4)
    }

    @Test func `nothing wakes the daemon before it is due`() throws {
        let (daemon, app, driver) = try start()
        try driver.submit(after: 3600)
        try driver.submit(TaskDriver.cleanup, .processing, after: 3600, network: true, power: true)
        try app.act(.background)
        try app.waitUntilStopped()
        try app.wait(for: .suspended)
        let process = try #require(daemon.daemonProcessIDs.first)
        var before = Self.switches(of: process)
        // Work that was put off for later is done once.
        try eventually("the daemon rests", within: 60) {
            _ = poll(nil, 0, 1500)
            let now = Self.switches(of: process)
            defer { before = now }
            return now == before && !now.isEmpty ? true : nil
        }
    }

    /// How often each of a process's threads went to sleep; a thread that ends during the count is left out.
    private static func switches(of process: Int32) -> [String: Int] {
        TestFiles.names(in: "/proc/\(process)/task").reduce(into: [:]) { counts, thread in
            guard let status = try? TestFiles.text("/proc/\(process)/task/\(thread)/status") else { return }
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
            counts[thread] = line?.split(separator: "\t").last.flatMap { Int($0) }
        }
    }
}
