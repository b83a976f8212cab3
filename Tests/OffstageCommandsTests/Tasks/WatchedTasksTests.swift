// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

@Suite struct WatchedTasksTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func export(_ number: UInt64, _ completed: Int64) -> TaskRow {
        let progress = TaskProgress(title: "Export", subtitle: "\(completed) of 20", completed: completed, total: 20)
        return TaskSamples.row(number, .running, AppSamples.id + ".export", kind: .continued, progress: progress)
    }

    private func lines(_ tasks: WatchedTasks, height: Int = 20) -> [String] {
        tasks.lines(width: 80, height: height, usesColour: false)
    }

    /// Types the keys, and returns the tasks to cancel.
    private func type(_ text: String, _ tasks: inout WatchedTasks) -> [UInt64] {
        text.utf8.compactMap { tasks.press(key: $0) }
    }

    @Test func `tasks that run are shown with title and progress, and go when they end`() {
        var tasks = WatchedTasks(usesBlocks: false)
        #expect(lines(tasks).isEmpty)
        tasks.replace([export(7, 10), TaskSamples.row(8, .noNetwork), TaskSamples.row(9, .running)])
        #expect(lines(tasks)[0] == "Running tasks:")
        #expect(lines(tasks)[1] == "7  Export: 10 of 20  [###############---------------]   50%")
        #expect(lines(tasks)[2] == "9  com.example.dropoff.sync  running")
        #expect(lines(tasks).count == 3)
        tasks.apply(.changed(export(7, 20)))
        #expect(lines(tasks)[1].hasSuffix("  100%"))
        tasks.apply(.removed(9))
        tasks.apply(.changed(TaskSamples.row(7, .retry(attempts: 1))))
        #expect(lines(tasks).isEmpty)
        tasks.replace((1...9).map { export($0, 1) })
        #expect(lines(tasks, height: 5).count == 5)
        #expect(lines(tasks, height: 5).last == "… and 6 more")
        #expect(lines(tasks).allSatisfy { DisplayWidth.of($0) < 80 })
    }

    @Test func `a task is cancelled by its number, and the only one by Enter alone`() {
        var tasks = WatchedTasks(usesBlocks: true)
        tasks.hasKeyboard = true
        #expect(type("c\n", &tasks).isEmpty)
        tasks.replace([export(7, 1)])
        #expect(lines(tasks).last == "c cancels one")
        #expect(type("c\n", &tasks) == [7])
        tasks.replace([export(7, 1), export(12, 1)])
        #expect(type("c\n", &tasks).isEmpty)
        #expect(type("c1", &tasks).isEmpty)
        #expect(lines(tasks).last?.hasPrefix("Cancel which task? 1_") == true)
        #expect(type("23\u{7F}\u{7F}2\n", &tasks) == [12])
        #expect(type("c5\n", &tasks).isEmpty)
        #expect(lines(tasks).last == "No task 5 is running.")
        #expect(type("c1\u{1B}2\n", &tasks).isEmpty)
        #expect(lines(tasks).last == "c cancels one")
    }

    @Test func `watch shows tasks as they come, and has the one that is named told to end`() throws {
        var keys: [Int32] = [0, 0]
        var signals: [Int32] = [0, 0]
        try #require(pipe(&keys) == 0 && pipe(&signals) == 0)
        let (keyboard, stop) = (keys[1], signals[1])
        defer { for end in [keys[0], keys[1], signals[1]] { close(end) } }
        let row = export(7, 1)
        let further = try WireCoding.encode(TaskEvent.changed(export(7, 15)))
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, payload in
            switch name {
            case Hello.name: return try ScriptedPeer.hello()
            case WatchTransfers.name: return [try ScriptedPeer.reply(WatchTransfers.Reply(rows: []))]
            case WatchTasks.name:
                _ = write(keyboard, "c7\n", 3)
                let frame = WireFrame(kind: .event, exchange: 0, name: TaskEvent.name, payload: further)
                return [try ScriptedPeer.reply(WatchTasks.Reply(rows: [row])), .raw(frame.encoded())]
            default:
                let task = try WireCoding.decode(CancelTask.self, from: payload).task
                _ = write(stop, "x", 1)
                return task == "task:7" ? [try ScriptedPeer.reply(CancelTask.Reply(record: row.record))] : [.close]
            }
        }
        let run = withExtendedLifetime(peer) {
            CommandRun(
                ["watch", "--no-start"],
                home: directory.path("h"),
                columns: 80,
                signals: signals[0],
                keyboard: keys[0]
            )
        }
        #expect(run.status == .detached)
        #expect(peer.requests == [Hello.name, WatchTransfers.name, WatchTasks.name, CancelTask.name])
        #expect(run.output.contains("Export: "))
    }
}
