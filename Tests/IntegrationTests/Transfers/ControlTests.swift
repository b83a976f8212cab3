// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite struct `A person's hand on transfers` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
    }

    @Test func `pause holds, resume goes on, and why tells`() throws {
        let file = FaultFile(random: 2_000_000, seed: 1)
        server.script("/file", .file(file, rate: 1_000_000))
        let id = try daemon.submit("download", server.url("/file"))
        try daemon.watchBytes(id, atLeast: 300_000)
        #expect(try daemon.run("pause", "\(id)").isSuccess)
        let row = try daemon.watch(id, for: "a pause") { $0.kind == .paused }
        #expect(row.reason.cause == .paused)
        #expect(try daemon.run("why", "\(id)").output.contains("offstage resume \(id)"))
        try daemon.killDaemon()
        try daemon.startOnDemand()
        #expect(try daemon.show(id).state.string == "paused")
        #expect(server.requests.count == 1)
        #expect(try daemon.run("resume", "\(id)").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
        #expect(try TestFiles.read(daemon.path("file")) == file.bytes)
        #expect(server.requests.count == 2)
        #expect((server.requests[1].rangeStart ?? 0) > 0)
    }

    @Test func `cancel ends it for good and retry begins it anew`() throws {
        server.script("/file", .stalls, .status(200, body: "content"))
        let id = try daemon.submit("download", server.url("/file"))
        try server.waitForRequests("/file", count: 1)
        #expect(try daemon.run("cancel", "\(id)").isSuccess)
        #expect(try daemon.wait(id).code == 1)
        #expect(try daemon.show(id).result.string == "cancelled")
        expectSentence(try daemon.run("pause", "\(id)"), code: 1, "it was cancelled")
        expectSentence(try daemon.run("resume", "\(id)"), code: 1, "is not paused: it was cancelled")
        expectSentence(try daemon.run("limit", "\(id)", "2M"), code: 1, "has ended: it was cancelled")
        expectSentence(try daemon.run("cancel", "\(id)"), code: 1)
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
        #expect(try TestFiles.text(daemon.path("file")) == "content")
    }

    @Test func `a failed transfer can be tried again and goes on where it was`() throws {
        let file = FaultFile(random: 3_000_000, seed: 5)
        server.script("/file", .cut(file, after: 1_000_000), .file(file))
        let first = try daemon.run("download", server.url("/file"), "--retry", "0")
        expectSentence(first, code: 1)
        #expect(try daemon.run("retry", "1").isSuccess)
        #expect(try daemon.wait(1).isSuccess)
        #expect(try TestFiles.read(daemon.path("file")) == file.bytes)
        #expect(server.requests[1].rangeStart == 1_000_000)
    }

    @Test func `forget removes what has ended and nothing else`() throws {
        server.script("/file", .status(200, body: "content"))
        server.script("/held", .stalls)
        #expect(try daemon.run("download", server.url("/file")).isSuccess)
        let held = try daemon.submit("download", server.url("/held"))
        #expect(try daemon.run("forget", "1").isSuccess)
        expectSentence(try daemon.run("show", "1"), code: 4)
        let forgotten = try daemon.run("forget", "\(held)")
        #expect(!forgotten.isSuccess || (try? daemon.run("show", "\(held)").code) == 4)
        #expect(TestFiles.exists(daemon.path("file")))
        let next = try daemon.submit("download", server.url("/file"), "-o", "again")
        #expect(next > held, "a number is never used twice")
    }

    @Test func `a transfer waits for its date and retry starts it now`() throws {
        server.script("/file", .status(200, body: "content"))
        let soon = try daemon.submit("download", server.url("/file"), "--begin", "+2s")
        let row = try daemon.detail(soon).row
        #expect(row.reason.cause == .earliestBegin)
        #expect(server.requests.isEmpty)
        let begun = TimeLimit.now
        #expect(try daemon.wait(soon).isSuccess)
        #expect(TimeLimit.now - begun > 1)
        let late = try daemon.submit("download", server.url("/file"), "--begin", "+1h", "-o", "late")
        #expect(try daemon.run("why", "\(late)").output.contains("begin"))
        try daemon.killDaemon()
        try daemon.startOnDemand()
        #expect(try daemon.detail(late).row.reason.cause == .earliestBegin)
        #expect(try daemon.run("retry", "\(late)").isSuccess)
        #expect(try daemon.wait(late).isSuccess)
    }

    @Test func `a higher priority goes first`() throws {
        try daemon.settings(#"{"maximumRunning": 1}"#)
        let gate = FaultGate()
        server.script("/first", .held(gate, then: .status(200)))
        for name in ["low", "normal", "high"] { server.script("/" + name, .status(200)) }
        var ids = [try daemon.submit("download", server.url("/first"))]
        try server.waitForRequests("/first", count: 1)
        for name in ["low", "normal", "high"] {
            ids.append(try daemon.submit("download", server.url("/" + name), "--priority", name))
        }
        let why = try daemon.detail(ids[1]).row.reason
        if case .totalLimit = why.cause {} else if case .inLine = why.cause {} else { Issue.record("\(why)") }
        gate.open()
        for id in ids { #expect(try daemon.wait(id).isSuccess) }
        #expect(server.requests.map(\.path) == ["/first", "/high", "/normal", "/low"])
    }

    @Test(.timeLimit(.minutes(1))) func `limits hold roughly and can be changed while it runs`() throws {
        let file = FaultFile(random: 3_000_000, seed: 5)
        server.script("/file", .file(file))
        let begun = TimeLimit.now
        let id = try daemon.submit("download", server.url("/file"), "--limit-rate", "500k")
        try daemon.watchBytes(id, atLeast: 1_000_000)
        let elapsed = TimeLimit.now - begun
        #expect(elapsed > 0.8, "1 MB at 500 KiB a second took \(elapsed) s")
        #expect(elapsed < 8)
        #expect(try daemon.run("limit", "\(id)", "none").isSuccess)
        let freed = TimeLimit.now
        #expect(try daemon.wait(id).isSuccess)
        #expect(TimeLimit.now - freed < 3)

        #expect(try daemon.run("limit", "400k").isSuccess)
        #expect(try daemon.json("daemon", "status").rateLimit.integer == 409_600)
        let shared = TimeLimit.now
        let two = try (0..<2).map { try daemon.submit("download", server.url("/file"), "-o", "two\($0)") }
        try daemon.watchBytes(two[0], atLeast: 400_000, within: 30)
        try daemon.watchBytes(two[1], atLeast: 300_000, within: 30)
        #expect(TimeLimit.now - shared > 0.9)
        #expect(try daemon.run("limit", "none").isSuccess)
        for id in two { #expect(try daemon.wait(id, within: 20).isSuccess) }
    }

    @Test func `an upload's limit holds roughly`() throws {
        server.script("/up", .status(201))
        _ = try daemon.makeFile("file", bytes: 1_500_000)
        let begun = TimeLimit.now
        #expect(try daemon.run("upload", "file", server.url("/up"), "--limit-rate", "500k").isSuccess)
        let elapsed = TimeLimit.now - begun
        #expect((1.5..<15).contains(elapsed), "1.5 MB at 500 KiB a second took \(elapsed) s")
    }

    @Test func `events come as lines of JSON and survive the daemon's death`() throws {
        // A transfer that ends before the stream is open is not among its events.
        let start = FaultGate()
        server.script("/file", .held(start, then: .status(200, body: "content")))
        try daemon.startOnDemand()
        let events = try daemon.start(["events", "--json"])
        let first = try daemon.submit("download", server.url("/file"))
        _ = try events.line { line in
            (try? JSONValue(parsing: line))?.transfer.id.integer == first ? true : nil
        }
        start.open()
        _ = try events.line { line in line.contains("\"finished\"") && line.contains("\"id\":\(first)") ? true : nil }
        try daemon.killDaemon()
        // The same once the stream is open again.
        let gate = FaultGate()
        server.script("/held", .held(gate, then: .status(200, body: "content")))
        let second = try daemon.submit("download", server.url("/held"), "-o", "second")
        _ = try events.line { line in
            (try? JSONValue(parsing: line))?.transfer.id.integer == second ? true : nil
        }
        gate.open()
        #expect(try daemon.wait(second).isSuccess)
        let named = try events.line { line -> JSONValue? in
            guard let event = try? JSONValue(parsing: line), event.transfer.id.integer == second else { return nil }
            return event.transfer.state.string == "finished" ? event : nil
        }
        #expect(named.transfer.result.string == "completed")
        events.kill(SIGINT)
        _ = try events.result()
    }

    @Test func `a command runs when a transfer has ended`() throws {
        server.script("/file", .status(200, body: "content"))
        server.script("/gone", .status(404))
        let script =
            "printf '%s %s' \"$OFFSTAGE_RESULT\" \"$OFFSTAGE_PATH\" > n-$OFFSTAGE_ID && mv n-$OFFSTAGE_ID note-$OFFSTAGE_ID"
        #expect(try daemon.run("download", server.url("/file"), "--on-done", script).isSuccess)
        #expect(try daemon.run("download", server.url("/gone"), "--on-done", script).code == 22)
        let first = try eventually("the command ran") { try? TestFiles.text(daemon.path("note-1")) }
        #expect(first == "completed " + daemon.path("file"))
        let second = try eventually("the command ran") { try? TestFiles.text(daemon.path("note-2")) }
        #expect(second.hasPrefix("failed "))
    }

    @Test func `what a command prints, and that it failed, is in the log`() throws {
        server.script("/file", .status(200, body: "content"))
        let script = "echo said; echo wrong >&2; exit 7"
        #expect(try daemon.run("download", server.url("/file"), "--on-done", script).isSuccess)
        let log = try eventually("its end is logged") {
            let text = try TestFiles.text(daemon.home + "/daemon.log")
            let end = " error a completion command ended with a failure: transfer=1 status=7\n"
            return [end, "said\n", "wrong\n"].allSatisfy(text.contains) ? text : nil
        }
        for word in ["said", "wrong"] { #expect(log.contains("transfer 1, --on-done: \(word)\n"), "\(log)") }
        let shown = try eventually("its end is shown") {
            let text = try daemon.run("show", "1").output
            return text.contains("On done:") ? text : nil
        }
        #expect(shown.contains("the command ended with status 7;"), "\(shown)")
    }

    @Test func `a command that a signal ended is told as a shell tells it`() throws {
        server.script("/file", .status(200, body: "content"))
        #expect(try daemon.run("download", server.url("/file"), "--on-done", "kill -9 $$").isSuccess)
        let shown = try eventually("its end is shown") {
            let text = try daemon.run("show", "1").output
            return text.contains("On done:") ? text : nil
        }
        #expect(shown.contains("the command ended with status 137;"), "\(shown)")
        #expect(daemon.log.contains(" error a completion command was ended by a signal: transfer=1 signal=9\n"))
    }

    /// The daemon outlives the shell and serves other clients: the shell's private resources must not leak to them.
    @Test func `a command has nothing of the shell that started the daemon, nor what is the daemon's own`() throws {
        server.script("/file", .status(200, body: "content"))
        let script = "env > names && mv names environment"
        let shell = ["MY_CLOUD_KEY": "secret", "ASAN_OPTIONS": "verbosity=0", "LANG": "C.UTF-8"]
        let id = try daemon.submit("download", server.url("/file"), "--on-done", script, environment: shell)
        #expect(try daemon.wait(id).isSuccess)
        let text = try eventually("the command ran") { try? TestFiles.text(daemon.path("environment")) }
        let names = Set(text.split(separator: "\n").compactMap { $0.split(separator: "=").first.map(String.init) })
        #expect(names.isSuperset(of: ["PATH", "LANG", "OFFSTAGE_HOME", "OFFSTAGE_ID", "OFFSTAGE_RESULT"]), "\(names)")
        #expect(names.isDisjoint(with: ["MY_CLOUD_KEY", "ASAN_OPTIONS"]), "\(names)")
    }

    @Test func `lists filter and page`() throws {
        server.script("/held", .stallsInBody(FaultFile(random: 2_000_000, seed: 1), after: 1_000_000))
        server.script("/file", .status(200))
        server.script("/gone", .status(404))
        #expect(try daemon.run("download", server.url("/file"), "-o", "a").isSuccess)
        #expect(try daemon.run("download", server.url("/gone"), "-o", "b").code == 22)
        let held = try daemon.submit("download", server.url("/held"), "-o", "c")
        try daemon.watchBytes(held, atLeast: 1_000_000)
        func ids(_ arguments: String...) throws -> [Int] {
            let result = try daemon.run(["list", "--json"] + arguments)
            return try JSONValue(parsing: result.output).transfers.array.compactMap { $0.id.integer }
        }
        #expect(try ids() == [3, 2, 1])
        #expect(try ids("--failed") == [2])
        #expect(try ids("--state", "finished") == [2, 1])
        #expect(try ids("--state", "completed") == [1])
        #expect(try ids("--state", "running") == [held])
        #expect(try ids("--text", "gone") == [2])
        #expect(try ids("--limit", "1") == [3])
        #expect(try ids("--before", "3", "--limit", "1") == [2])
        #expect(try daemon.run("list").output.contains("b"))
        #expect(try daemon.run("pause", "--all").isSuccess)
        try daemon.watch(held, for: "a pause") { $0.kind == .paused }
    }

    @Test func `many transfers come from a list on standard input`() throws {
        server.script("/in/a", .status(201))
        server.script("/in/b", .status(201))
        try TestFiles.write("1", to: daemon.path("a"))
        try TestFiles.write("2", to: daemon.path("b"))
        let sent = try daemon.run("upload", "-", server.url("/in/"), input: "a\nb\n")
        #expect(sent.isSuccess, "\(sent)")
        #expect(Set(server.requests.map(\.path)) == ["/in/a", "/in/b"])
        expectSentence(try daemon.run("upload", "-", server.url("/in/"), input: ""), code: 2)
    }
}
