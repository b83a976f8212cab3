// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Limits on waiting, and the cases in which the daemon is patient.
@Suite(.serialized) struct `Patience with an app on stage` {
    private let daemon: DaemonFixture

    init() throws { daemon = try DaemonFixture(settings: #"{"backgroundTime": "2"}"#) }

    @Test func `ending an app is answered although its session has it launched at once`() throws {
        let server = try FaultServer()
        let gate = FaultGate()
        server.script("/1", .held(gate, then: .status(201)))
        let app = try WiredApp(daemon, flags: "keepsEvents")
        try app.open()
        let file = try daemon.makeFile("body", bytes: 1000)
        try app.order("upload s \(file.path) \(server.url("/")) 1")
        try app.line("uploading")
        try server.waitForRequests("/1", count: 1)
        try app.act(.background)
        try app.waitUntilStopped()
        gate.open()
        try app.line("handleEvents s")
        let first = try app.show().row.process
        let reply = try app.act(.terminate, waits: true)
        #expect(reply.row?.process != first)
        try app.line("attached sessionEvents s")
    }

    @Test func `launching a program that never connects is answered`() throws {
        let app = try WiredApp(daemon, name: "mute", bundle: "com.example.mute")
        let client = try WireClient.greeted(daemon)
        _ = try client.send(
            InstallApp(
                path: app.executable,
                arguments: [app.folder, "hangs"],
                workingDirectory: "/",
                environment: ["OFFSTAGE_HOME": daemon.home]
            )
        )
        let request = ActOnApp(app: app.id, verb: .launch(inBackground: false), waits: true)
        #expect(try client.send(request, within: 40).row?.state == .launching)
        try app.act(.terminate, waits: true)
        try app.waitUntilGone()
    }

    @Test func `an app under a debugger is not stopped, nor its time over, until that lets go`() throws {
        let app = try WiredApp(daemon)
        let process = try app.open()
        try app.order("begin a")
        try app.line("began a")
        let debugger = try ChildProcess("/usr/bin/strace", ["-o", "/dev/null", "-p", "\(try app.processID())"])
        try eventually("it is traced") { try tracer(of: app.processID()) == debugger.processID ? true : nil }
        try app.act(.background)
        #expect(
            try app.entry("the debugger") { if case .debugged(let by) = $0 { by } else { nil } } == debugger.processID
        )
        // Its two seconds are over, at the latest, once two seconds have passed on the clock.
        let began = try app.line("enterBackground").time
        try eventually("its time is over") { uptime() > began + 3 ? true : nil }
        #expect(process.isRunning)
        #expect(try app.kills().isEmpty)
        try app.order("end a")
        try app.wait(for: .suspended)
        #expect(try app.processState() != "T")
        #expect(try app.story().count { if case .debugged = $0 { true } else { false } } == 1)
        _ = try WireClient.greeted(daemon).send(SimulateMemoryPressure())
        #expect(process.isRunning)
        debugger.kill(SIGTERM)
        _ = try debugger.exitStatus()
        try app.waitUntilStopped()
        try app.act(.foreground, waits: true)
        #expect(try app.state == .active)
    }

    /// Seconds on `CLOCK_BOOTTIME`.
    private func uptime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func tracer(of process: Int32) throws -> Int32? {
        try TestFiles.text("/proc/\(process)/status").split(separator: "\n")
            .first { $0.hasPrefix("TracerPid:") }?.split(separator: "\t").last.flatMap { Int32($0) }
    }

    @Test func `which app was used last is known to the next daemon`() throws {
        let apps = try ["first", "second"].map { try WiredApp(daemon, name: $0, bundle: "com.example.\($0)") }
        let processes = try apps.map { try $0.open() }
        for app in apps.reversed() {
            try app.act(.background)
            try app.waitUntilStopped()
        }
        try daemon.killDaemon()
        try daemon.startOnDemand()
        for app in apps { try app.wait(for: .suspended) }
        _ = try WireClient.greeted(daemon).send(SimulateMemoryPressure())
        #expect(try processes[1].exitStatus() == .signalled(SIGKILL))
        #expect(try apps[0].state == .suspended)
    }

    @Test func `a story is cut to what a person can read`() throws {
        let app = try WiredApp(daemon)
        let process = try app.open()
        let name = String(repeating: "n", count: 300)
        for number in 1...105 { try app.order("begin \(number)-\(name)") }
        try app.line("began 105-\(name)")
        try app.act(.background)
        #expect(try process.exitStatus() == .signalled(SIGKILL))
        let tasks = try app.entry("the kill") { happening in
            if case .killed(.backgroundTimeOver(_, let tasks)) = happening { tasks } else { nil }
        }
        #expect(tasks.count == 101)
        #expect(tasks.last?.name == "5 more")
        #expect(tasks.allSatisfy { $0.name.count <= 200 })
        #expect(tasks.first?.name.hasPrefix("1-n") == true)
    }

    @Test func `nothing is heard of a connection that was hung up`() throws {
        let app = try WiredApp(daemon)
        try app.open()
        let client = try WireClient(daemon)
        let damaged = WireFrame(kind: .request, exchange: 0, name: StageReport.name, payload: Array("{".utf8))
        try client.write(damaged.encoded() + client.frame(Hello(client: "tests")).encoded())
        #expect(throws: TestError.self) { try client.nextFrame(TimeLimit(seconds: 20)) }
        #expect(try app.state == .active)
    }
}
