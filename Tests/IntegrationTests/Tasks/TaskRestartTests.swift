// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageStore
import OffstageTestSupport
import Testing

/// The daemon is killed at some point of a task's life, and another starts: no task is lost, and none runs twice.
@Suite(.serialized) struct `A task whose daemon is killed` {
    private let daemon: DaemonFixture

    init() throws { daemon = try DaemonFixture(settings: #"{"backgroundTime": "3"}"#) }

    private func app(_ flags: String = "completesTasks") throws -> WiredApp {
        let app = try WiredApp(daemon, flags: flags, bundle: "org.example.app", permits: TaskDriver.all)
        try daemon.pretend()
        try app.open()
        return app
    }

    private func restart() throws {
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try daemon.pretend()
    }

    private func runningNumber() throws -> UInt64 {
        try eventually("it runs") {
            let row = try daemon.why(TaskDriver.refresh).rows.first
            return row?.reason.cause == .running ? row?.record.request.number : nil
        }
    }

    @Test func `one that was answered is there, and becomes due in the meantime`() throws {
        let app = try app()
        let driver = try TaskDriver(app)
        try driver.submit(TaskDriver.cleanup, .processing, after: 3600)
        try driver.submit(after: 0.3)
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try daemon.pretend()
        #expect(try daemon.ending(TaskDriver.refresh) == .completed(success: true))
        #expect(try daemon.cause(TaskDriver.cleanup) == .earliestBegin)
        #expect(app.texts.count { $0.hasPrefix("entered") } == 1)
    }

    @Test func `one that runs goes on with its app, and ends once`() throws {
        let app = try app("")
        let driver = try TaskDriver(app)
        try driver.submit()
        let number = try runningNumber()
        try restart()
        #expect(try runningNumber() == number)
        try app.order("complete \(number)")
        #expect(try daemon.ending(TaskDriver.refresh) == .completed(success: true))
        #expect(app.texts.count { $0.hasPrefix("entered") } == 1)
    }

    @Test func `one that was completed without a daemon has ended`() throws {
        let app = try app("")
        let driver = try TaskDriver(app)
        try driver.submit()
        let number = try runningNumber()
        try daemon.killDaemon()
        try app.order("complete \(number)")
        try app.line("completed \(number)")
        try daemon.startOnDemand()
        #expect(try daemon.ending(TaskDriver.refresh) == .completed(success: true))
        #expect(app.texts.count { $0.hasPrefix("entered") } == 1)
        #expect(try daemon.tasks().rows.isEmpty)
    }

    @Test func `one whose app ended with the daemon waits again, and runs once more`() throws {
        let app = try app("")
        let driver = try TaskDriver(app)
        try driver.submit()
        let number = try runningNumber()
        let process = try app.processID()
        try daemon.killDaemon()
        #expect(kill(process, SIGKILL) == 0)
        try app.waitUntilGone()
        try daemon.startOnDemand()
        try daemon.pretend()
        let row = try #require(try daemon.why(TaskDriver.refresh).rows.first)
        #expect(row.record.attempts == 1)
        #expect(row.record.request.number == number)
        try daemon.simulate(.launch, TaskDriver.refresh)
        try app.line("attached task \(TaskDriver.refresh)")
        #expect(try runningNumber() == number)
    }

    @Test func `one that is the first of a new store is not taken for one that its app has run`() throws {
        let app = try app()
        try TaskDriver(app).submit()
        try daemon.ending(TaskDriver.refresh)
        try daemon.killDaemon()
        for companion in ["", "-wal", "-shm"] { unlink(daemon.storePath + companion) }
        try daemon.startOnDemand()
        try daemon.pretend()
        try app.wait(for: .active)
        try TaskDriver(app).submit()
        #expect(try daemon.ending(TaskDriver.refresh) == .completed(success: true))
        #expect(app.texts.count { $0.hasPrefix("entered") } == 2)
    }

    /// Lengthens the history, so that a daemon needs a moment to read it.
    private func lengthenHistory() async throws {
        let store = try SQLiteStore.open(path: daemon.storePath).store
        defer { store.close() }
        let sentence = String(repeating: "why ", count: 100)
        let entries = (0..<1500).map { number in
            TaskEntry(
                number: UInt64(1_000_000 + number),
                app: "org.example.another",
                identifier: "\(number)",
                kind: .refresh,
                date: Date(),
                outcome: .interrupted(sentence)
            )
        }
        try await store.commit(tasks: entries.map { .append($0) })
    }

    @Test func `one whose app was killed and opened again meanwhile waits again first`() async throws {
        let app = try app("")
        for attempts in 1...3 {
            if attempts == 1 {
                try TaskDriver(app).submit()
            } else {
                try daemon.simulate(.launch, TaskDriver.refresh)
            }
            _ = try runningNumber()
            let process = try app.processID()
            try daemon.killDaemon()
            #expect(kill(process, SIGKILL) == 0)
            try app.waitUntilGone()
            try await lengthenHistory()
            // The app connects as soon as there is a daemon again, while that daemon is reading the budgets used
            // before.
            let before = app.lines.count
            _ = try app.start()
            try eventually("it was started") { app.lines.count > before ? true : nil }
            try daemon.startOnDemand()
            try app.line("state active", after: before)
            try eventually("it waits again") {
                try daemon.why(TaskDriver.refresh).rows.first?.record.attempts == attempts ? true : nil
            }
            #expect(app.texts.dropFirst(before).count { $0.hasPrefix("entered") } == 0)
            guard case .interrupted = try daemon.outcomes(TaskDriver.refresh).first else {
                Issue.record("no word of it: \(try daemon.outcomes(TaskDriver.refresh))")
                return
            }
        }
    }

    @Test func `one that is sent once more, since nobody has answered, is there once`() throws {
        let app = try app("")
        let request = SubmitTask(draft: TaskDraft(identifier: TaskDriver.refresh, kind: .refresh), nonce: 4711)
        #expect(try TaskDriver(app).send(request) == nil)
        let number = try runningNumber()
        try restart()
        let driver = try TaskDriver(app)
        #expect(try driver.send(request.repeated) == nil)
        #expect(try daemon.tasks().rows.map(\.record.request.number) == [number])
        // A request that was not accepted before is accepted now.
        let other = TaskDraft(identifier: TaskDriver.cleanup, kind: .processing, earliestBegin: Date() + 3600)
        #expect(try driver.send(SubmitTask(draft: other, nonce: 4712).repeated) == nil)
        #expect(try daemon.tasks().rows.count == 2)
        // The handler submits the next request of the same name.
        #expect(try driver.send(SubmitTask(draft: request.draft, nonce: 4713)) == nil)
        #expect(try daemon.tasks().rows.count == 3)
    }

    @Test func `one that is just being begun is entered once`() throws {
        let app = try app()
        let driver = try TaskDriver(app)
        for pause in [0, 1, 2, 3, 5, 8, 13] {
            let driver = pause == 0 ? driver : try TaskDriver(app)
            let before = app.lines.count
            try driver.submit()
            _ = poll(nil, 0, Int32(pause))
            try restart()
            try eventually("it has ended, as \(try daemon.outcomes(TaskDriver.refresh))") {
                try daemon.tasks().rows.isEmpty ? true : nil
            }
            #expect(app.texts.dropFirst(before).count { $0.hasPrefix("entered") } == 1)
            try app.wait(for: .active)
        }
    }
}
