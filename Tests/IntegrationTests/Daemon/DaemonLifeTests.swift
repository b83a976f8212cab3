// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite(.serialized) struct `The daemon's life` {
    private let daemon: DaemonFixture

    init() throws {
        daemon = try DaemonFixture()
    }

    @Test func `twenty clients at once start one daemon`() throws {
        let clients = try (0..<20).map { _ in try daemon.start(["list"]) }
        for client in clients {
            let result = try client.result()
            #expect(result.isSuccess, "\(result)")
        }
        try eventually("one daemon is left") { daemon.daemonProcessIDs.count == 1 ? true : nil }
        let status = try daemon.json("daemon", "status")
        #expect(status.processID.integer.map { [Int32($0)] } == daemon.daemonProcessIDs)
    }

    @Test func `a daemon killed while clients come is replaced by one`() throws {
        for _ in 0..<5 {
            try daemon.startOnDemand()
            try daemon.killDaemon()
            let clients = try (0..<6).map { _ in try daemon.start(["list"]) }
            for client in clients { #expect(try client.result().isSuccess) }
            // A daemon that lost the race may still be exiting.
            try eventually("one daemon is left") { daemon.daemonProcessIDs.count == 1 ? true : nil }
        }
    }

    /// A process that the daemon launches has the daemon's name until execve(2): a search must not mistake it for a
    /// second daemon.
    @Test func `a child that is not yet another program is not counted as a daemon`() throws {
        let program = daemon.home + "/offstaged"
        try TestFiles.write(try TestFiles.read("/bin/sh"), to: program)
        #expect(chmod(program, 0o700) == 0)
        let parent = try ChildProcess(
            program,
            ["-c", "(while :; do /bin/sleep 1; done) & echo started; wait"],
            environment: daemon.environment,
            directory: daemon.files
        )
        defer { parent.killGroup(SIGKILL) }
        #expect(try parent.line { $0 == "started" ? true : nil })
        #expect(daemon.daemonProcessIDs == [parent.processID])
    }

    /// The first process of a container often does not reap children.
    @Test func `the daemon's stop does not wait for a parent that never collects it`() throws {
        let parent = try ChildProcess(
            "/bin/sh",
            ["-c", "'\(try BuiltProducts.path("offstaged"))' & exec /bin/sleep 1000"],
            environment: daemon.environment,
            directory: daemon.files
        )
        defer { parent.killGroup(SIGKILL) }
        try eventually("the daemon answers") { try daemon.run("daemon", "status").isSuccess ? true : nil }
        let began = ContinuousClock.now
        #expect(try daemon.run("daemon", "stop").isSuccess)
        #expect(ContinuousClock.now - began < .seconds(5))
    }

    @Test func `what only a start needs is given back soon after it`() throws {
        try daemon.startOnDemand()
        let process = try daemon.daemon().processID
        try eventually("less than two thirds of the most is resident") {
            let status = try TestFiles.text("/proc/\(process)/status").split(separator: "\n")
            func kibibytes(_ name: String) throws -> Int {
                let line = status.first { $0.hasPrefix(name + ":") }
                return try #require(line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
            }
            return try kibibytes("VmRSS") * 3 < kibibytes("VmHWM") * 2 ? true : nil
        }
    }

    @Test func `a stop of the daemon is no failure of what is under way`() throws {
        let server = try FaultServer()
        server.script("/long", .file(FaultFile(random: 3_000_000, seed: 1), rate: 100_000))
        let id = try daemon.submit("download", server.url("/long"), "-o", "long")
        try server.waitForRequests("/long", count: 1)
        #expect(try daemon.run("daemon", "stop").isSuccess)
        let state = try daemon.show(id).state.string
        #expect(state == "queued" || state == "running")
    }

    @Test func `a second daemon is refused`() throws {
        try daemon.startOnDemand()
        let first = try daemon.daemon().processID
        let second = try daemon.startDaemon().result()
        #expect(second.status == .exited(3))
        #expect(second.errors.contains("is already running"))
        #expect(second.errors.split(separator: "\n").count == 1, "\(second.errors)")
        #expect(try daemon.daemon().processID == first)
        #expect(try daemon.run("list").isSuccess)
    }

    @Test func `a client of another protocol may ask the daemon to hand over, and the next goes on`() throws {
        let server = try NginxServer(.init(rateLimit: 2_000_000))
        defer { server.kill() }
        try TestFiles.makeRandom(server.path("file"), bytes: 4_000_000, seed: 3)
        let id = try daemon.submit("download", server.url("file"))
        try daemon.watchBytes(id, atLeast: 1_200_000)
        let process = try daemon.daemon()
        let client = try WireClient(daemon)
        #expect(throws: WireFailure.self) {
            try client.send(Hello(protocolVersion: Hello.protocolVersion + 1, client: "a newer one"))
        }
        _ = try client.send(HandOver())
        try process.awaitEnd()
        #expect(try daemon.wait(id).isSuccess)
        #expect(try TestFiles.sha256(daemon.path("file")) == TestFiles.sha256(server.path("file")))
        #expect(try server.waitForEntries("/file", count: 2).map(\.status) == [200, 206])
    }

    @Test func `the daemon stays when idle and stops when asked`() throws {
        let stopped = try daemon.run("daemon", "status")
        #expect(stopped.code == 3, "\(stopped)")
        #expect(daemon.daemonProcessIDs.isEmpty)
        try daemon.startOnDemand()
        let process = try daemon.daemon()
        let status = try daemon.run("daemon", "status")
        #expect(status.output.contains("\(process.processID)"))
        #expect(status.output.contains(daemon.socketPath))
        #expect(try daemon.run("daemon", "stop").isSuccess)
        try process.awaitEnd()
        #expect(!TestFiles.exists(daemon.socketPath))
        #expect(try daemon.run("daemon", "stop").isSuccess)
        #expect(try daemon.run("list").isSuccess)
    }

    @Test func `the daemon holds neither the shell's directory nor its output`() throws {
        // The result is available only when all copies of the output are closed.
        #expect(try daemon.run("list").isSuccess)
        let process = try daemon.daemon().processID
        let directory = try ChildProcess.run("/usr/bin/readlink", ["/proc/\(process)/cwd"]).lines.first
        #expect(directory == "/")
        let group = try TestFiles.text("/proc/\(process)/stat").split(separator: " ")
        #expect(group[5] == "\(process)", "a session of its own")
    }

    @Test func `the home is for its user alone`() throws {
        try daemon.startOnDemand()
        for path in [daemon.home + "/run", daemon.socketPath, daemon.storePath] {
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o077 == 0, "\(path)")
        }
    }

    @Test(arguments: [
        (#"{"rateLimit": 5"#, ["settings.json"]),
        (#"{"rateLimt": 5}"#, ["rateLimt", "settings.json"]),
        (#"{"rateLimit": "fast"}"#, ["rateLimit"]),
        (#"{"connectionsPerHost": 0}"#, ["connectionsPerHost"]),
        ("", ["settings.json"]),
    ])
    func `settings that cannot be used are refused by name`(text: String, words: [String]) throws {
        try daemon.settings(text)
        let result = try daemon.run("list")
        expectSentence(result, code: 3)
        for word in words { #expect(result.errors.contains(word), "\(result.errors)") }
        let byHand = try daemon.startDaemon().result()
        #expect(byHand.status == .exited(78))
        try daemon.settings("{}")
        #expect(try daemon.run("list").isSuccess)
    }

    @Test func `the daemon dumps no core, whatever the shell allows, and no command of a transfer does`() throws {
        let daemon = try DaemonFixture(prefix: ["/bin/sh", "-c", "ulimit -S -c 8; exec \"$@\"", "sh"])
        try daemon.startOnDemand()
        let limits = try TestFiles.text("/proc/\(daemon.daemon().processID)/limits").split(separator: "\n")
        let line = try #require(limits.first { $0.hasPrefix("Max core file size") })
        #expect(line.split(separator: " ")[4] == "0", "\(line)")
        let server = try FaultServer()
        server.script("/file", .status(200, body: "content"))
        let command = "grep '^Max core' /proc/self/limits > core; mv core seen"
        #expect(try daemon.run("download", server.url("/file"), "--on-done", command).isSuccess)
        let seen = try eventually("the command ran") { try? TestFiles.text(daemon.path("seen")) }
        #expect(seen.split(separator: " ")[4] == "0", "\(seen)")
    }

    @Test(arguments: ["pipe", "device", "endless"])
    func `a settings file that would never end is refused, and not waited for`(kind: String) throws {
        let path = daemon.home + "/settings.json"
        #expect(unlink(path) == 0)
        switch kind {
        case "pipe": #expect(mkfifo(path, 0o600) == 0)
        case "device": #expect(symlink("/dev/zero", path) == 0)
        default:
            try TestFiles.write("{", to: path)
            #expect(truncate(path, 1 << 40) == 0)
        }
        let byHand = try daemon.startDaemon().result(within: 20)
        #expect(byHand.status == .exited(78), "\(byHand)")
        #expect(byHand.errors.contains("settings.json cannot be read"), "\(byHand.errors)")
        #expect(try daemon.run("doctor", within: 20).output.contains("settings.json"))
    }

    @Test func `a home that cannot be used is refused with its reason`() throws {
        let long = daemon.directory.path(String(repeating: "x", count: 120))
        expectSentence(try daemon.run("list", environment: ["OFFSTAGE_HOME": long]), "107", "OFFSTAGE_HOME")
        expectSentence(try daemon.run("list", environment: ["OFFSTAGE_HOME": "here"]), "absolute")
        expectSentence(try daemon.run("list", environment: ["OFFSTAGE_HOME": "", "HOME": ""]), "HOME")
        try TestFiles.write("a file", to: daemon.path("file"))
        expectSentence(try daemon.run("list", environment: ["OFFSTAGE_HOME": daemon.path("file")]), "file")
    }

    @Test func `versions and help are told without a daemon`() throws {
        for arguments in [
            ["--version"], ["--help"], ["upload", "--help"], ["download", "--help"], ["list", "--help"],
        ] {
            let result = try daemon.run(arguments)
            #expect(result.isSuccess, "\(result)")
            #expect(!result.output.isEmpty)
        }
        expectSentence(try daemon.run("uplaod"), code: 2, "upload")
        expectSentence(try daemon.run("list", "--no-such-option"), code: 2, "--no-such-option")
        #expect(daemon.daemonProcessIDs.isEmpty)
    }
}
