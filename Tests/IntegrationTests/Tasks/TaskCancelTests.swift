// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Tasks that are cancelled in progress, apps that are removed with their tasks, and a store that refuses a change.
@Suite(.serialized) struct `A task that is to go` {
    private func start(
        _ settings: String = #"{"backgroundTime": "3"}"#,
        flags: String = "completesTasks"
    ) throws -> (daemon: DaemonFixture, app: WiredApp, driver: TaskDriver) {
        let daemon = try DaemonFixture(settings: settings)
        let app = try WiredApp(daemon, flags: flags, bundle: "org.example.app", permits: TaskDriver.all)
        try daemon.pretend()
        try app.open()
        return (daemon, app, try TaskDriver(app))
    }

    @Test func `an app that was quit and removed has its tasks run when it is back`() throws {
        let (daemon, app, driver) = try start()
        try driver.submit()
        try daemon.ending(TaskDriver.refresh)
        try app.act(.quit(keepsTransfers: nil), waits: true)
        try app.wait(for: .terminated)
        try app.act(.remove)
        try app.open()
        let again = try TaskDriver(app)
        try again.submit(TaskDriver.cleanup, .processing)
        #expect(try daemon.ending(TaskDriver.cleanup) == .completed(success: true))
    }

    @Test(arguments: [true, false])
    func `one whose app is stopped before its handler is entered does not run`(isByPerson: Bool) throws {
        let (daemon, app, driver) = try start(flags: "")
        let process = try app.processID()
        #expect(kill(process, SIGSTOP) == 0)
        try driver.submit()
        try eventually("it is starting") { try daemon.cause(TaskDriver.refresh) == .starting ? true : nil }
        if isByPerson {
            try daemon.stopTask(TaskDriver.refresh)
        } else {
            try driver.cancel(TaskDriver.refresh)
        }
        #expect(kill(process, SIGKILL) == 0)
        try eventually("it is gone, as \(try daemon.outcomes(TaskDriver.refresh))") {
            try daemon.tasks().rows.isEmpty ? true : nil
        }
        let outcome = TaskEntry.Outcome.dropped("a person cancelled it")
        #expect(try daemon.outcomes(TaskDriver.refresh).first == (isByPerson ? outcome : .cancelled))
        #expect(!app.texts.contains { $0.hasPrefix("entered") })
    }

    @Test func `one that was cancelled before its handler is entered is not begun by the next daemon`() throws {
        let (daemon, app, driver) = try start(flags: "")
        let process = try app.processID()
        #expect(kill(process, SIGSTOP) == 0)
        try driver.submit()
        try eventually("it is starting") { try daemon.cause(TaskDriver.refresh) == .starting ? true : nil }
        try driver.cancel(TaskDriver.refresh)
        try daemon.killDaemon()
        #expect(kill(process, SIGKILL) == 0)
        try daemon.startOnDemand()
        #expect(try daemon.tasks().rows.isEmpty)
    }

    @Test func `texts of progress are as long as those of requests`() throws {
        let (daemon, app, driver) = try start(flags: "")
        let identifier = TaskDriver.export + ".1"
        try driver.submit(identifier, .continued, failsUnlessImmediate: true)
        try eventually("it runs") { try daemon.cause(identifier) == .running ? true : nil }
        try app.order("progress 1 40 20000")
        let progress = try eventually("it has come further") { try daemon.tasks().rows.first?.progress }
        #expect(progress.completed == 40)
        #expect(progress.title.utf8.count <= 4096)
        #expect(progress.title.hasPrefix("ü"))
    }

    @Test func `a change that the store refuses holds up nothing`() throws {
        let (daemon, _, driver) = try start()
        try driver.submit(after: 3600)
        try sql(
            """
            CREATE TRIGGER refusal BEFORE INSERT ON tasks WHEN NEW.identifier = 'org.example.tasks.second'
            BEGIN SELECT RAISE(ABORT, 'not this one'); END
            """,
            daemon
        )
        try driver.submit("org.example.tasks.second")
        try driver.submit(TaskDriver.cleanup, .processing)
        #expect(try daemon.ending(TaskDriver.cleanup) == .completed(success: true))
        #expect(daemon.log.contains("not this one"))
    }

    /// Changes the store that the daemon has open.
    private func sql(_ text: String, _ daemon: DaemonFixture) throws {
        let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], timeout=20); c.executescript(sys.argv[2])"
        let done = try ChildProcess("/usr/bin/python3", ["-c", script, daemon.storePath, text]).result()
        #expect(done.isSuccess, "\(done)")
    }
}
