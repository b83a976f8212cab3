// SPDX-License-Identifier: Apache-2.0
import Glibc
import Offstage
import OffstageTestSupport
import Testing

/// The app in `Tests/Fixtures/SessionApp`, written as for iOS, ended and launched again.
@Suite struct RelaunchTests {
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

    @Test func `an app that was killed hears after its relaunch what ended meanwhile, once`() throws {
        let gate = FaultGate()
        server.script("/up", .held(gate, then: .status(201, body: "stored")))
        let file = try fixture.makeFile("photo", bytes: 1000).path
        let first = try launch("upload \(file) \(server.url("/up"))")
        _ = try line("resumed 1", of: first)
        first.kill(SIGKILL)
        _ = try first.exitStatus()
        gate.open()
        _ = try eventually("the end") { (try? fixture.show(1))?.state.string == "finished" ? true : nil }
        let second = try launch()
        _ = try line("completed 1 photo 201 0", of: second)
        _ = try line("finished events org.example.transfers", of: second)
        second.kill(SIGKILL)
        _ = try second.exitStatus()
        let third = try launch("tasks")
        #expect(try line("tasks", of: third) == "tasks 0 ")
        #expect(!third.output.contains("completed"))
        third.kill(SIGKILL)
    }

    @Test func `a download has the mode that the app's umask leaves, not the daemon's`() throws {
        server.script("/down", .status(200, body: "secret"))
        // The daemon is started with the tests' umask.
        #expect(try fixture.run("list").isSuccess)
        let target = fixture.path("target")
        let order = "download \(server.url("/down")) \(target)"
        let app = try fixture.launchSessionApp([order], shell: "umask 027; exec \"$@\"")
        defer { app.kill(SIGKILL) }
        _ = try line("completed 1", of: app)
        #expect(try TestFiles.text(target) == "secret")
        var status = stat()
        #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o640)
    }

    @Test func `an app whose output is closed prints to none of its connections`() throws {
        server.script("/down", .status(200, body: "content"))
        let target = fixture.path("target")
        let order = "download \(server.url("/down")) \(target)"
        let app = try fixture.launchSessionApp([order], shell: "exec \"$@\" >&- 2>&-")
        defer { app.kill(SIGKILL) }
        _ = try eventually("the file") { (try? TestFiles.text(target)) == "content" ? true : nil }
        for number in 1...2 {
            let path = "/proc/\(app.processID)/fd/\(number)"
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/dev/null")
        }
    }

    @Test func `a task's own delegate is not called, and standard error says so once`() throws {
        let app = try launch("delegates", "quit")
        let result = try app.result()
        #expect(result.output.contains("given\n"))
        let hint = "Offstage: A background session calls only its own delegate, not a task's"
        #expect(result.errors.split(separator: "\n").count { $0.hasPrefix(hint) } == 1, "\(result)")
    }

    @Test func `a task that is under way at the relaunch is found again`() throws {
        let gate = FaultGate()
        let content = FaultFile(random: 3000, seed: 2)
        server.script("/down", .held(gate, then: .file(content)))
        let target = fixture.path("target")
        let first = try launch("download \(server.url("/down")) \(target)")
        _ = try line("resumed 1", of: first)
        first.kill(SIGKILL)
        _ = try first.exitStatus()
        let second = try launch("tasks")
        #expect(try line("tasks", of: second) == "tasks 1 1:\(target):0")
        gate.open()
        _ = try line("completed 1 \(target) 200 0", of: second)
        #expect(try TestFiles.read(target) == content.bytes)
        second.kill(SIGKILL)
    }

    @Test func `what a task waits for is asked of the app once it is launched again`() throws {
        let directory = try TemporaryDirectory()
        let nginx = try NginxServer(.init(certificate: try TestCertificate(in: directory.path)))
        try TestFiles.write("secret", to: nginx.path("a"))
        nginx.stop()
        let target = fixture.path("target")
        let first = try launch("download \(nginx.url("a")) \(target)")
        _ = try line("resumed 1", of: first)
        first.kill(SIGKILL)
        _ = try first.exitStatus()
        try nginx.start()
        _ = try eventually("the question") {
            (try? fixture.show(1))?.reason.code.string == "appDecides" ? true : nil
        }
        let second = try launch()
        _ = try line("trust true", of: second)
        _ = try line("completed 1 \(target) 200 0", of: second)
        #expect(try TestFiles.text(target) == "secret")
        second.kill(SIGKILL)
    }

    @Test func `what was resumed happens although app and daemon are killed at once`() throws {
        server.script("/up", .status(201))
        let file = try fixture.makeFile("photo", bytes: 1000).path
        let first = try launch("tasks", "upload \(file) \(server.url("/up"))", "upload \(file) \(server.url("/up"))")
        _ = try line("resumed 2", of: first)
        first.kill(SIGKILL)
        try fixture.killDaemon()
        _ = try first.exitStatus()
        let second = try launch()
        _ = try line("completed 1 photo 201 0", of: second)
        _ = try line("completed 2 photo 201 0", of: second)
        second.kill(SIGKILL)
    }

    @Test func `another process of the app cannot have the session, and its tasks fail with -996`() throws {
        server.script("/up", .status(201))
        let file = try fixture.makeFile("photo", bytes: 1000).path
        let first = try launch("tasks")
        _ = try line("tasks", of: first)
        let second = try launch("upload \(file) \(server.url("/up"))")
        _ = try line("completed 1 photo 0 -996", of: second)
        second.kill(SIGKILL)
        first.kill(SIGKILL)
    }

    @Test func `a process that was not given the session cannot cancel its tasks`() throws {
        let gate = FaultGate()
        server.script("/up", .held(gate, then: .status(201)))
        let file = try fixture.makeFile("photo", bytes: 1000).path
        let first = try launch("upload \(file) \(server.url("/up"))")
        _ = try line("resumed 1", of: first)
        try server.waitForRequests("/up", count: 1)
        let second = try launch("abandon")
        _ = try line("invalid", of: second)
        second.kill(SIGKILL)
        gate.open()
        _ = try line("completed 1 photo 201 0", of: first)
        first.kill(SIGKILL)
    }

    @Test func `a process that was refused does not take the session when the daemon is started anew`() throws {
        let gate = FaultGate()
        server.script("/up", .held(gate, then: .status(201)))
        let file = try fixture.makeFile("photo", bytes: 1000).path
        let first = try launch("upload \(file) \(server.url("/up"))")
        _ = try line("resumed 1", of: first)
        let second = try launch("upload \(file) \(server.url("/up"))")
        _ = try line("completed 1 photo 0 -996", of: second)
        try fixture.killDaemon()
        gate.open()
        _ = try line("completed 1 photo 201 0", of: first)
        #expect(!second.output.contains("completed 1 photo 201"))
        second.kill(SIGKILL)
        first.kill(SIGKILL)
    }

    @Test func `a daemon that an app started leaves no zombie`() throws {
        let app = try launch("tasks")
        _ = try line("tasks", of: app)
        let daemon = try fixture.daemon()
        try fixture.killDaemon()
        let children = try TestFiles.text("/proc/\(app.processID)/task/\(app.processID)/children")
        #expect(!children.split(separator: " ").contains("\(daemon.processID)"))
        app.kill(SIGKILL)
    }
}
