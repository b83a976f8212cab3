// SPDX-License-Identifier: Apache-2.0
import Glibc
import Offstage
import OffstageTestSupport
import Testing

/// Ends of tasks whose process is gone, and what the next process receives of them.
@Suite struct UnheardTests {
    private let fixture: DaemonFixture
    private let server: FaultServer

    init() throws {
        fixture = try DaemonFixture()
        server = try FaultServer()
    }

    private func launch(_ orders: String...) throws -> ChildProcess { try fixture.launchSessionApp(orders) }

    private func line(_ beginning: String, of app: ChildProcess) throws -> String {
        try app.line(within: 30) { $0.hasPrefix(beginning) ? $0 : nil }
    }

    /// As when the disk with its log is full.
    @Test func `an app whose standard error cannot be written goes on`() throws {
        let app = try fixture.launchSessionApp(["delegates"], shell: "exec \"$@\" 2>/dev/full")
        #expect(try line("given", of: app) == "given")
        app.kill(SIGKILL)
    }

    @Test func `a task that ended while its app was dead is among the tasks until its delegate was called`() throws {
        let gate = FaultGate()
        server.script("/up", .held(gate, then: .status(201)))
        let file = try fixture.makeFile("photo", bytes: 1000).path
        let first = try launch("upload \(file) \(server.url("/up"))", "upload \(file) \(server.url("/up"))")
        _ = try line("resumed 2", of: first)
        first.kill(SIGKILL)
        _ = try first.exitStatus()
        gate.open()
        for number in 1...2 {
            _ = try eventually("the end") { (try? fixture.show(number))?.state.string == "finished" ? true : nil }
        }
        let second = try launch("tasks")
        #expect(try line("tasks", of: second) == "tasks 2 1:photo:0 2:photo:0")
        _ = try line("completed 2 photo 201 0", of: second)
        let output = second.output.split(separator: "\n").map(String.init)
        let listed = try #require(output.firstIndex { $0.hasPrefix("tasks") })
        let told = try #require(output.firstIndex { $0.hasPrefix("completed") })
        #expect(listed < told, "it can take the tasks up again before it hears of their ends")
        second.kill(SIGKILL)
    }

    @Test func `tasks that end while their session is taken up are all among the tasks, and told after that`() throws {
        // More than one page of unfinished tasks.
        let count = 700
        let gate = FaultGate()
        server.script("/up", .held(gate, then: .status(201)))
        let file = try fixture.makeFile("photo", bytes: 10).path
        let orders = Array(repeating: "upload \(file) \(server.url("/up"))", count: count)
        let first = try fixture.launchSessionApp(orders)
        _ = try line("resumed \(count)", of: first)
        first.kill(SIGKILL)
        _ = try first.exitStatus()
        gate.open()
        let second = try launch("tasks")
        let tasks = try line("tasks", of: second)
        #expect(tasks.hasPrefix("tasks \(count) "), "\(tasks.prefix(20))")
        let told = second.output.split(separator: "\n").prefix { !$0.hasPrefix("tasks") }
        #expect(!told.contains { $0.hasPrefix("completed") }, "\(told.count)")
        second.kill(SIGKILL)
    }

    @Test func `a task that is under way says at once how far it is`() throws {
        let gate = FaultGate()
        server.script("/up", .reads(heldAt: [(position: 6_000_000, gate: gate)]))
        let file = try fixture.makeFile("film", bytes: 20_000_000).path
        let first = try launch("upload \(file) \(server.url("/up"))")
        _ = try line("resumed 1", of: first)
        _ = try eventually("half of it") { (try? fixture.show(1))?.bytesDone.integer ?? 0 > 5_000_000 ? true : nil }
        first.kill(SIGKILL)
        _ = try first.exitStatus()
        let second = try launch("progress")
        let sent = try #require(Int(try line("progress 1", of: second).split(separator: " ").last ?? ""))
        #expect(sent > 5_000_000)
        gate.open()
        second.kill(SIGKILL)
    }

    @Test func `ends that nobody hears keep nothing from the next upload`() throws {
        let count = 350
        let file = try fixture.makeFile("photo", bytes: 10).path
        let gate = FaultGate()
        server.script("/up", .held(gate, then: .status(201)))
        let first = try launch("handled \(count) \(file) \(server.url("/up"))", "die")
        _ = try first.exitStatus()
        gate.open()
        _ = try eventually("all have ended", within: 60) {
            let rows = try fixture.json("list", "--all", "--limit", "1000").transfers.array
            return rows.allSatisfy { $0.state.string == "finished" } ? true : nil
        }
        let second = try launch("handled 1 \(file) \(server.url("/up"))")
        _ = try line("handler 201", of: second)
        second.kill(SIGKILL)
        _ = try second.exitStatus()
        let third = try launch("handled-rest")
        _ = try line("handled all", of: third)
        third.kill(SIGKILL)
    }
}
