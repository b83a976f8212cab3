// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageTestSupport
import Testing

/// A shell's settings for a command take effect: its umask, its descriptors, its signals.
@Suite struct `What a shell gives a command` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        server.script("/file", .status(200, body: "content"))
    }

    /// The same daemon's home, with a shell line before each command.
    private func shell(_ line: String) throws -> DaemonFixture {
        try DaemonFixture(settings: nil, home: daemon.home, prefix: ["/bin/sh", "-c", line, "sh"])
    }

    @Test(arguments: [("077", 0o600), ("022", 0o644), ("027", 0o640), ("0", 0o666)] as [(String, UInt32)])
    func `a download has the mode that the caller's umask leaves, not the daemon's`(umask: String, mode: UInt32) throws
    {
        // The daemon is started with the mask of the tests.
        try daemon.startOnDemand()
        let caller = try shell("umask \(umask); exec \"$@\"")
        let result = try caller.run("download", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        var status = stat()
        #expect(stat(caller.path("file"), &status) == 0)
        #expect(status.st_mode & 0o777 == mode)
    }

    @Test(arguments: [">&-", "<&- >&- 2>&-", "<&-"])
    func `closed descriptors become no connection, and the transfer ends well`(closed: String) throws {
        // Such a command also starts the daemon.
        let caller = try shell("exec \"$@\" \(closed)")
        let result = try caller.run("download", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.text(caller.path("file")) == "content")
        #expect(try daemon.run("list").isSuccess)
    }

    @Test func `the daemon's program opens them on the null device, before anything else`() throws {
        let caller = try shell("exec \"$@\" <&- >&- 2>&-")
        defer { withExtendedLifetime(caller) {} }
        let process = try caller.startDaemon()
        try eventually("it answers") { try daemon.run("list", "--no-start").isSuccess ? true : nil }
        for number in 0...2 {
            let path = "/proc/\(process.processID)/fd/\(number)"
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/dev/null")
        }
    }

    @Test func `a full device is told, and is no success`() throws {
        let result = try shell("exec \"$@\" >/dev/full").run("list")
        #expect(result.status == .exited(74))
        #expect(
            result.errors.hasPrefix("offstage: Standard output cannot be written (No space left on device)"),
            "\(result)"
        )
        let caller = try shell("exec \"$@\" >/dev/full")
        let whole = try caller.run("download", server.url("/file"))
        #expect(whole.status == .exited(74), "\(whole)")
        #expect(try TestFiles.text(caller.path("file")) == "content")
    }

    @Test func `events end when what they print is lost`() throws {
        try daemon.startOnDemand()
        let waiting = try daemon.run("download", "--detach", "--begin", "+1h", "-o", "later", server.url("/file"))
        #expect(waiting.isSuccess, "\(waiting)")
        let result = try shell("exec \"$@\" >/dev/full").run("events", within: 30)
        #expect(result.status == .exited(74), "\(result)")
        #expect(result.errors.contains("Standard output cannot be written"), "\(result)")
    }

    @Test(arguments: ["--help", "--version"])
    func `the daemon's program says so as well`(option: String) throws {
        let program = try BuiltProducts.path("offstaged")
        let result = try shell("exec '\(program)' \(option) >/dev/full").run("list")
        #expect(result.status == .exited(74), "\(result)")
        #expect(result.errors.contains("Standard output cannot be written (No space left on device)"), "\(result)")
    }

    /// While nothing happens nothing is written, so there would never be a SIGPIPE.
    @Test func `events end when nobody reads them any more`() throws {
        try daemon.startOnDemand()
        let line = "{ \"$@\"; echo ended with $? >&2; } | true"
        let result = try shell(line).run("events", within: 30)
        #expect(result.errors.contains("ended with 141"), "\(result)")
    }

    @Test func `a wait ends when nobody reads it any more`() throws {
        server.script("/later", .status(200))
        let id = try daemon.submit("download", "--begin", "+1h", server.url("/later"))
        let line = "{ \"$@\"; echo ended with $? >&2; } | head -n 1"
        let result = try shell(line).run("wait", "\(id)", within: 30)
        #expect(result.errors.contains("ended with 141"), "\(result)")
    }

    @Test(arguments: [["events"], ["simulate", "advance", "1h"]])
    func `who connects to a daemon that does not answer can be ended`(words: [String]) throws {
        try daemon.startOnDemand()
        let process = try ForeignProcess(try #require(daemon.daemonProcessIDs.first))
        try process.send(SIGSTOP)
        defer { try? process.send(SIGCONT) }
        let command = try daemon.start(words)
        try eventually("it waits") { command.errors.contains("is stopped and does not answer") ? true : nil }
        command.kill(SIGTERM)
        #expect(try command.result(within: 20).status == .exited(143))
    }

    @Test(arguments: [(SIGTERM, 143), (SIGHUP, 129), (SIGINT, 130)] as [(Int32, Int32)])
    func `who is asked to end says by what`(signal: Int32, status: Int32) throws {
        server.script("/slow", .stalls)
        let follower = try daemon.start(["download", server.url("/slow")])
        // It prints only once it catches signals: the server may receive the request before that.
        _ = try follower.line { $0.contains("started") ? true : nil }
        follower.kill(signal)
        let result = try follower.result()
        #expect(result.status == .exited(status), "\(result)")
        #expect(result.errors.contains("in the background"))
    }

    @Test func `a number that no transfer has is not waited for`() throws {
        try daemon.startOnDemand()
        let result = try daemon.run("events", "99999", within: 20)
        #expect(result.status == .exited(4), "\(result)")
        #expect(result.errors.contains("no transfer 99999"))
    }

    @Test func `a server that comes up late is waited for, and whoever follows is told once`() throws {
        let port = try FreePort.find()
        let follower = try daemon.start(["download", "http://127.0.0.1:\(port)/file"])
        let id = try eventually("it has failed often") {
            let row = try daemon.json("list").transfers.array.first
            return (row?.attempts.integer ?? 0) >= 7 ? row?.id.integer : nil
        }
        let late = try FaultServer(port: port)
        late.script("/file", .status(200, body: "content"))
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        let result = try follower.result()
        #expect(result.isSuccess, "\(result)")
        #expect(
            result.errors.contains("\(id): nothing has answered in 3 attempts: cannot connect to 127.0.0.1:\(port)"),
            "\(result)"
        )
        #expect(result.errors.split(separator: "\n").count == 2, "\(result)")
    }

    @Test func `of many that nobody answers whoever follows is told once as well`() throws {
        let port = try FreePort.find()
        let list = (1...25).map { "http://127.0.0.1:\(port)/\($0)\n" }.joined()
        let follower = try daemon.start(["download", "-"], input: list)
        try eventually("it is told") { follower.errors.contains("nothing has answered in 3 attempts") ? true : nil }
        try eventually("each has failed often") {
            try daemon.json("list").transfers.array.allSatisfy { ($0.attempts.integer ?? 0) >= 4 } ? true : nil
        }
        follower.kill(SIGTERM)
        let result = try follower.result()
        #expect(result.errors.split(separator: "\n").count { $0.contains("nothing has answered") } == 1, "\(result)")
    }

    @Test func `retries are counted from the first`() throws {
        let port = try FreePort.find()
        let result = try daemon.run("download", "--retry", "7", "http://127.0.0.1:\(port)/file")
        #expect(result.status == .exited(1))
        let row = try daemon.json("list").transfers.array.first
        #expect(row?.attempts.integer == 8)
        let why = try daemon.run("why", "1")
        #expect(!why.output.contains("othing needs doing"), "\(why)")
    }

    @Test func `a working directory that was deleted is told, and is not the root`() throws {
        let line = "mkdir gone && cd gone && rmdir ../gone && exec \"$@\""
        let result = try shell(line).run("download", "-o", "offstage-was-here", server.url("/file"))
        #expect(result.status == .exited(1), "\(result)")
        #expect(result.errors.contains("exists: give 'offstage-was-here' as an absolute path."), "\(result)")
        let nameless = try shell(line).run("download", server.url("/file"))
        #expect(nameless.errors.contains("exists: say where to save the file, with -o /PATH"), "\(nameless)")
        let foreign = "d=$(printf 'd\\351'); mkdir \"$d\" && cd \"$d\" && exec \"$@\""
        let other = try shell(foreign).run("download", server.url("/file"))
        #expect(other.errors.contains("The working directory's name is not UTF-8"), "\(other)")
        #expect(!TestFiles.exists("/offstage-was-here"))
    }

    @Test func `a working directory that was deleted is none for what would run in it later`() throws {
        let caller = try shell("mkdir gone && cd gone && rmdir ../gone && exec \"$@\"")
        let done = try caller.run("download", "-o", caller.path("file"), "--on-done", "true", server.url("/file"))
        #expect(done.status == .exited(1), "\(done)")
        let clause = "The working directory no longer exists: change to another one"
        #expect(done.errors == "offstage: \(clause), since --on-done runs its command there.\n")
        #expect(server.requests.isEmpty)
        let app = try caller.run("app", "install", "/bin/true")
        #expect(app.errors == "offstage: \(clause), since an app is launched where it was installed.\n")
    }

    @Test func `a name that is not UTF-8 is refused, not changed`() throws {
        let line = "exec \"$@\" -o \"$(printf 'dl\\351')\""
        let result = try shell(line).run("download", server.url("/file"))
        #expect(result.status == .exited(2), "\(result)")
        #expect(result.errors.contains("is not UTF-8"))
        #expect(server.requests.isEmpty)
    }
}
