// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

/// Members with real daemons and a real database: what they send, and what others continue when they are gone.
@Suite(.enabled(if: PostgresServer.isThere, "needs PostgreSQL's server"))
struct MemberTests {
    private let server: FaultServer

    init() throws { server = try FaultServer() }

    @Test func `a member leases rows, sends their files and reports the ends`() throws {
        let stage = try FleetStage()
        let one = try StagedMember("one", of: stage)
        var specs: [TransferSpec] = []
        for number in 0..<20 {
            server.script("/in/\(number)", .protected("Bearer tiger", then: .status(201)))
            var spec = try stage.upload(
                stage.file("\(number)", bytes: 1000 + number, seed: UInt64(number)),
                to: server.url("/in/\(number)")
            )
            spec.headers = [HeaderField(name: "Authorization", value: "Bearer tiger")]
            specs.append(spec)
        }
        let ids = try stage.submit(specs)
        try one.start()
        for (number, id) in ids.enumerated() {
            let row = try stage.wait(id, for: .done)
            #expect(
                row.raw("status") == "201" && row.raw("member") == "one" && row.raw("bytes_done") == "\(1000 + number)"
            )
            #expect(row.raw("receipt")?.contains("\"bytes\":\(1000 + number)") == true)
            #expect(row.raw("receipt")?.contains("tiger") == false)
            let sent = server.requests("/in/\(number)")
            #expect(sent.count == 1)
            #expect(try sent.first?.body == TestFiles.read(specs[number].path))
        }
        // Nothing is left: neither rows in the database, nor transfers in the daemon.
        #expect(try stage.number("SELECT count(*) AS n FROM offstage.line") == 0)
        #expect(try stage.number("SELECT count(*) AS n FROM offstage.memory") == 0)
        try eventually("the daemon has forgotten its transfers") {
            try one.daemon.json("list", "--all").transfers.array.isEmpty ? true : nil
        }
        #expect(!one.log.contains("tiger"))
        // Members are notified of new rows: none waits for half a minute.
        server.script("/in/late", .status(201))
        let late = try stage.submit([try stage.upload(stage.file("late", bytes: 10), to: server.url("/in/late"))])
        try stage.wait(late[0], for: .done, within: 10)
    }

    @Test func `another member goes on in the upload session of one that is gone`() throws {
        let size = 3_000_000
        let kept = 1_234_567
        let stage = try FleetStage()
        let gate = FaultGate()
        let tus = try TusTestServer(size: size, hold: (kept, gate))
        let path = try stage.file("film.mov", bytes: size)
        var spec = try stage.upload(path, to: tus.server.url("/files"))
        spec.method = "POST"
        spec.dialect = try TusParameters().dialectSpec(at: spec.url)
        let one = try StagedMember("one", of: stage)
        try one.start()
        let id = try stage.submit([spec])[0]
        try eventually("the server has the beginning") { tus.bytes.count == kept ? true : nil }
        #expect(try stage.number("SELECT fence AS n FROM offstage.memory WHERE id = $1", ["\(id)"]) == 1)
        try one.crash()
        let two = try StagedMember("two", of: stage)
        try two.start()
        let row = try stage.wait(id, for: .done)
        gate.open()
        #expect(row.raw("member") == "two" && row.raw("fence") == "2")
        #expect(tus.created == 1 && tus.completed == 1 && tus.deleted == 0 && tus.repeated == 0)
        #expect(try tus.bytes == TestFiles.read(path))
    }

    @Test func `a member that was stopped past its lease lets go, and its late words count for nothing`() throws {
        let size = 2_000_000
        let stage = try FleetStage()
        let gate = FaultGate()
        let tus = try TusTestServer(size: size, hold: (1_000_000, gate))
        let path = try stage.file("film.mov", bytes: size)
        var spec = try stage.upload(path, to: tus.server.url("/files"))
        spec.method = "POST"
        spec.dialect = try TusParameters().dialectSpec(at: spec.url)
        let one = try StagedMember("one", of: stage)
        try one.start()
        let id = try stage.submit([spec])[0]
        try eventually("the server has the beginning") { tus.bytes.count == 1_000_000 ? true : nil }
        one.send(SIGSTOP)
        let two = try StagedMember("two", of: stage)
        try two.start()
        let row = try stage.wait(id, for: .done)
        #expect(row.raw("member") == "two")
        one.send(SIGCONT)
        try one.wait(for: "fenced")
        try one.wait(for: "for the ")
        gate.open()
        // Its own transfer is gone, and the server was not notified of that.
        try eventually("the daemon has let go") {
            try one.daemon.json("list", "--all").transfers.array.isEmpty ? true : nil
        }
        #expect(tus.created == 1 && tus.completed == 1 && tus.deleted == 0)
        #expect(try tus.bytes == TestFiles.read(path))
        #expect(try stage.number("SELECT count(*) AS n FROM offstage.ended") == 1)
        // It works again.
        server.script("/late", .status(201))
        let late = try stage.submit(
            [try stage.upload(stage.file("late", bytes: 10), to: server.url("/late"))],
            requires: ["member=one"]
        )
        try stage.wait(late[0], for: .done)
    }

    @Test func `a process that was killed goes on with what it holds`() throws {
        let stage = try FleetStage(lease: 30)
        let gate = FaultGate()
        server.script("/once", .held(gate, then: .status(201)))
        let one = try StagedMember("one", of: stage)
        try one.start()
        // Neither is sent twice: one must not be repeated, and the other is under way all the time.
        var posted = try stage.upload(stage.file("post", bytes: 100), to: server.url("/once"))
        posted.method = "POST"
        let id = try stage.submit([posted], isRepeatable: false)[0]
        try server.waitForRequests("/once", count: 1)
        try one.kill()
        gate.open()
        try one.start()
        let row = try stage.wait(id, for: .done)
        #expect(row.raw("fence") == "1" && server.requests("/once").count == 1)
        // The same with its daemon.
        let other = FaultGate()
        server.script("/put", .held(other, then: .status(201)), .status(201))
        let put = try stage.submit([try stage.upload(stage.file("put", bytes: 100), to: server.url("/put"))])[0]
        try server.waitForRequests("/put", count: 1)
        try one.daemon.killDaemon()
        let again = try stage.wait(put, for: .done)
        other.open()
        #expect(again.raw("fence") == "1")
    }

    @Test func `what may have been sent and must not be repeated ends as unknown`() throws {
        let stage = try FleetStage()
        let gate = FaultGate()
        server.script("/once", .held(gate, then: .status(201)))
        let one = try StagedMember("one", of: stage)
        let two = try StagedMember("two", of: stage)
        try one.start()
        var posted = try stage.upload(stage.file("post", bytes: 100), to: server.url("/once"))
        posted.method = "POST"
        let id = try stage.submit([posted], isRepeatable: false)[0]
        try server.waitForRequests("/once", count: 1)
        try one.crash()
        try two.start()
        // A member has to look, and two does: it keeps having turns.
        let row = try stage.wait(id, for: .unknown)
        gate.open()
        #expect(row.raw("detail")?.contains("must not be repeated") == true)
        #expect(server.requests("/once").count == 1)
    }

    @Test func `the daemon of its own member does not repeat it either`() throws {
        let stage = try FleetStage()
        server.script("/once", .resets, .status(201))
        server.script("/busy", .busy(retryAfter: "0"), .status(201))
        server.script("/error", .status(500), .status(201))
        let one = try StagedMember("one", of: stage)
        let specs = try ["once", "busy", "error"].map { name in
            var posted = try stage.upload(stage.file(name, bytes: 100), to: server.url("/\(name)"))
            posted.method = "POST"
            return posted
        }
        let ids = try stage.submit(specs, isRepeatable: false)
        try one.start()
        let row = try stage.wait(ids[0], for: .unknown)
        #expect(row.raw("detail")?.contains("must not be sent twice") == true, "\(row.raw("detail") ?? "")")
        try stage.wait(ids[1], for: .done)
        try stage.wait(ids[2], for: .unknown)
        #expect(server.requests("/once").count == 1 && server.requests("/busy").count == 2)
        #expect(server.requests("/error").count == 1)
    }

    /// Has a member send a file whose answer is held back; returns the row.
    private func send(
        posting: Bool,
        from member: StagedMember,
        of stage: FleetStage,
        until gate: FaultGate
    ) throws -> Int64 {
        server.script("/held", .held(gate, then: .status(201)))
        try member.start()
        var spec = try stage.upload(stage.file("held", bytes: 100), to: server.url("/held"))
        if posting { spec.method = "POST" }
        let id = try stage.submit([spec], isRepeatable: !posting)[0]
        try server.waitForRequests("/held", count: 1)
        return id
    }

    @Test func `what is paused after it was sent, and must not be repeated, ends as unknown`() throws {
        let stage = try FleetStage()
        let gate = FaultGate()
        let one = try StagedMember("one", of: stage)
        let id = try send(posting: true, from: one, of: stage, until: gate)
        _ = try DatabaseTalk(stage.server.words("sends")).ask("SELECT offstage.stop_rows($1, 2::smallint)", ["{\(id)}"])
        let row = try stage.wait(id, for: .unknown)
        gate.open()
        #expect(row.raw("detail")?.contains("must not be repeated") == true)
        #expect(server.requests("/held").count == 1)
    }

    @Test func `what was sent at the moment its daemon died is not sent again`() throws {
        let stage = try FleetStage(lease: 60)
        let gate = FaultGate()
        let one = try StagedMember("one", of: stage)
        let id = try send(posting: true, from: one, of: stage, until: gate)
        try one.daemon.killDaemon()
        let row = try stage.wait(id, for: .unknown)
        gate.open()
        #expect(row.raw("detail")?.contains("must not be sent twice") == true, "\(row.raw("detail") ?? "")")
        #expect(server.requests("/held").count == 1)
    }

    @Test func `what was refused before it was honoured is given back when it is paused`() throws {
        let stage = try FleetStage()
        let one = try StagedMember("one", of: stage)
        try one.start()
        // It waits long enough to be paused between two attempts, however late the pause comes.
        server.script("/busy", .busy(503, retryAfter: "60"))
        var posted = try stage.upload(stage.file("post", bytes: 100), to: server.url("/busy"))
        posted.method = "POST"
        let id = try stage.submit([posted], isRepeatable: false)[0]
        try eventually("it waits") {
            let transfer = try one.daemon.json("list", "--all").transfers.array.first
            return transfer?.attempts.integer == 1 && transfer?.state.string == "waiting" ? true : nil
        }
        _ = try DatabaseTalk(stage.server.words("sends")).ask("SELECT offstage.stop_rows($1, 2::smallint)", ["{\(id)}"])
        try stage.wait(id, for: .paused)
    }

    @Test(arguments: [1, 2])
    func `what people want while the process is away reaches the daemon when it is back`(wish: Int) throws {
        let stage = try FleetStage(lease: 30)
        let gate = FaultGate()
        let one = try StagedMember("one", of: stage)
        let id = try send(posting: false, from: one, of: stage, until: gate)
        try one.kill()
        _ = try DatabaseTalk(stage.server.words("sends"))
            .ask("SELECT offstage.stop_rows($1, $2::smallint)", ["{\(id)}", "\(wish)"])
        try one.start()
        try stage.wait(id, for: wish == 1 ? .cancelled : .paused)
        try one.waitForNothing()
        gate.open()
    }

    @Test func `rows are cancelled, paused and given back as people want`() throws {
        let stage = try FleetStage()
        let gate = FaultGate()
        let tus = try TusTestServer(size: 2_000_000, hold: (1_000_000, gate))
        var spec = try stage.upload(stage.file("film", bytes: 2_000_000), to: tus.server.url("/files"))
        spec.method = "POST"
        spec.dialect = try TusParameters().dialectSpec(at: spec.url)
        let one = try StagedMember("one", of: stage)
        try one.start()
        let id = try stage.submit([spec])[0]
        try eventually("the server has the beginning") { tus.bytes.count == 1_000_000 ? true : nil }
        let sends = try DatabaseTalk(stage.server.words("sends"))
        _ = try sends.ask("SELECT offstage.stop_rows($1, 2::smallint)", ["{\(id)}"])
        try stage.wait(id, for: .paused)
        gate.open()
        #expect(tus.deleted == 0, "it goes on there")
        _ = try sends.ask("SELECT offstage.retry_rows($1)", ["{\(id)}"])
        let row = try stage.wait(id, for: .done)
        #expect(row.raw("fence") == "2" && tus.created == 1 && tus.completed == 1)
        let other = FaultGate()
        server.script("/put", .held(other, then: .status(201)))
        let put = try stage.submit([try stage.upload(stage.file("put", bytes: 100), to: server.url("/put"))])[0]
        try server.waitForRequests("/put", count: 1)
        _ = try sends.ask("SELECT offstage.stop_rows($1, 1::smallint)", ["{\(put)}"])
        try stage.wait(put, for: .cancelled)
        other.open()
    }

    @Test func `a file that changed, is not shared or is not there is told of`() throws {
        let stage = try FleetStage()
        let one = try StagedMember("one", of: stage)
        server.script("/in", .status(201))
        let changed = try stage.upload(stage.file("changed", bytes: 10), to: server.url("/in"))
        _ = try stage.file("changed", bytes: 11)
        let missing = try stage.upload(stage.file("missing", bytes: 10), to: server.url("/in"))
        unlink(missing.path)
        let outside = try stage.upload(stage.folder.path("fleet.key"), to: server.url("/in"))
        let link = stage.folder.path("shared/link")
        #expect(symlink(stage.folder.path("fleet.key"), link) == 0)
        let linked = try stage.upload(link, to: server.url("/in"))
        var command = try stage.upload(stage.file("command", bytes: 10), to: server.url("/in"))
        command.completionCommand = .init(command: "touch \(stage.folder.path("pwned"))", workingDirectory: "/")
        // The file is shared, and others could put a link in its place before it is read.
        var passwords = try stage.upload(stage.file("passwords", bytes: 10), to: server.url("/in"))
        passwords.connection = ConnectionOptions()
        passwords.connection?.netrcPath = try stage.file("netrc", bytes: 10)
        let ids = try stage.submit([changed, missing, outside, linked, command, passwords])
        try one.start()
        let row = try stage.wait(ids[0], for: .failed)
        #expect(row.raw("detail")?.contains("has changed") == true)
        for (id, words) in [
            (ids[1], "cannot read"), (ids[2], "does not share"), (ids[3], "does not share"),
            (ids[4], "runs no command"), (ids[5], "names no file of passwords"),
        ] {
            let row = try stage.wait(id, for: .later)
            #expect(row.raw("detail")?.contains(words) == true, "\(row.raw("detail") ?? "")")
        }
        #expect(server.requests("/in").isEmpty)
        #expect(access(stage.folder.path("pwned"), F_OK) != 0)
    }

    @Test func `a row that names another server than its specification is not sent`() throws {
        let stage = try FleetStage()
        let one = try StagedMember("one", of: stage)
        server.script("/in", .status(201))
        _ = try stage.owner.ask("SELECT offstage.limit_host($1, 0)", [try RequestURL(server.url("/in")).host])
        let ids = try stage.submit(
            [stage.upload(stage.file("a", bytes: 10), to: server.url("/in"))],
            for: "free.example"
        )
        try one.start()
        let row = try stage.wait(ids[0], for: .later)
        #expect(row.raw("detail")?.contains("for another server") == true, "\(row.raw("detail") ?? "")")
        #expect(server.requests.isEmpty)
    }

    @Test func `secrets that were moved to another row do not open there`() throws {
        let stage = try FleetStage()
        let one = try StagedMember("one", of: stage)
        let thief = try FaultServer()
        server.script("/in", .status(201))
        thief.script("/in", .status(201))
        var good = try stage.upload(stage.file("good", bytes: 10), to: server.url("/in"))
        good.credentials = .init(user: "me", password: "tiger")
        var bad = try stage.upload(stage.file("bad", bytes: 10), to: thief.url("/in"))
        bad.credentials = .init(user: "x", password: "y")
        let ids = try stage.submit([good, bad])
        _ = try stage.owner.ask(
            "UPDATE offstage.item b SET sealed = g.sealed FROM offstage.item g WHERE g.id = $1 AND b.id = $2",
            ["\(ids[0])", "\(ids[1])"]
        )
        try one.start()
        try stage.wait(ids[0], for: .done)
        let row = try stage.wait(ids[1], for: .later)
        #expect(row.raw("detail")?.contains("does not open") == true)
        #expect(thief.requests.isEmpty)
    }

    @Test func `a member whose database is gone stops at four fifths of its lease, and goes on when it is back`() throws
    {
        let stage = try FleetStage(lease: 4)
        let one = try StagedMember("one", of: stage)
        let gate = FaultGate()
        let tus = try TusTestServer(size: 2_000_000, hold: (1_000_000, gate))
        var spec = try stage.upload(stage.file("film", bytes: 2_000_000), to: tus.server.url("/files"))
        spec.method = "POST"
        spec.dialect = try TusParameters().dialectSpec(at: spec.url)
        try one.start()
        let id = try stage.submit([spec])[0]
        try eventually("the server has the beginning") { tus.bytes.count == 1_000_000 ? true : nil }
        try stage.server.stop()
        try one.wait(for: "The lease is in doubt")
        try eventually("its transfer is paused") {
            try one.daemon.json("list").transfers[0].state.string == "paused" ? true : nil
        }
        gate.open()
        try stage.server.start()
        try stage.reconnect()
        try stage.wait(id, for: .done)
        #expect(tus.created == 1 && tus.completed == 1)
        #expect(try tus.bytes == TestFiles.read(spec.path))
    }

    @Test func `a draining member finishes what it has`() throws {
        let stage = try FleetStage()
        let one = try StagedMember("one", of: stage)
        let gate = FaultGate()
        server.script("/in", .held(gate, then: .status(201)))
        try one.start()
        let specs = [try stage.upload(stage.file("in", bytes: 100), to: server.url("/in"))]
        let id = try stage.submit(specs)[0]
        try server.waitForRequests("/in", count: 1)
        let runs = try DatabaseTalk(stage.server.words("runs"))
        _ = try runs.ask("SELECT offstage.drain_member('one', true)")
        let other = try stage.submit(specs)[0]
        gate.open()
        try stage.wait(id, for: .done)
        try one.wait(for: "Drained")
        #expect(try stage.state(other) == .waiting)
        #expect(try stage.number("SELECT state AS n FROM offstage.member") == 2)
        _ = try runs.ask("SELECT offstage.drain_member('one', false)")
        try stage.wait(other, for: .done)
    }

    @Test func `a device takes no rows, obeys the fleet's rules and shows how its own transfers end`() throws {
        let stage = try FleetStage()
        let phone = try StagedMember("phone", of: stage) {
            $0.isDevice = true
            $0.shows = true
        }
        server.script("/in/own", .status(201))
        server.script("/in/bad", .status(404))
        let runs = try DatabaseTalk(stage.server.words("runs"))
        _ = try runs.ask("SELECT offstage.set_policy('all', '{}', $1)", [#"{"paused": true}"#])
        let row = try stage.submit([try stage.upload(stage.file("row", bytes: 10), to: server.url("/in/row"))])[0]
        try phone.start()
        try phone.wait(for: "Connected to the daemon")
        _ = try phone.daemon.makeFile("own", bytes: 10)
        _ = try phone.daemon.makeFile("bad", bytes: 10)
        try eventually("the rules have come") {
            _ = try phone.daemon.run("upload", "--detach", "own", server.url("/in/"))
            if try phone.daemon.run("list").output.contains("paused this machine") { return true }
            _ = try phone.daemon.run("cancel", "--all", "--yes")
            return nil
        }
        _ = try runs.ask("SELECT offstage.set_policy('all', '{}', $1)", ["{}"])
        try server.waitForRequests("/in/own", count: 1)
        _ = try phone.daemon.run("upload", "bad", server.url("/in/"))
        try eventually("the fleet sees both ends") {
            try stage.number(
                "SELECT count(*) AS n FROM offstage.mirror WHERE result IN (0, 1) AND path LIKE '%/own' OR path LIKE '%/bad'"
            )
                >= 2 ? true : nil
        }
        #expect(try stage.number("SELECT count(*) AS n FROM offstage.condition") == 1)
        #expect(try stage.state(row) == .waiting && server.requests("/in/row").isEmpty)
    }
}
