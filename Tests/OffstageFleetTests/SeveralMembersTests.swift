// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

/// Several members on one queue: which gets which row, and whose result counts if one is gone longer than its lease.
@Suite(.enabled(if: PostgresServer.isThere, "needs PostgreSQL's server"))
struct SeveralMembersTests {
    private let server: FaultServer

    init() throws { server = try FaultServer() }

    @Test func `two members drain one queue, also when its server crashes meanwhile`() throws {
        let stage = try FleetStage(lease: 30)
        let members = try ["one", "two"].map { name in try StagedMember(name, of: stage) { $0.rows = 4 } }
        let gate = FaultGate()
        var specs: [TransferSpec] = []
        for number in 0..<40 {
            server.script("/in/\(number)", .held(gate, then: .status(201)))
            let path = try stage.file("\(number)", bytes: 2000 + number, seed: UInt64(number))
            specs.append(try stage.upload(path, to: server.url("/in/\(number)")))
        }
        let ids = try stage.submit(specs)
        for member in members { try member.start() }
        try server.waitForRequests(count: 8)
        try stage.server.crash()
        gate.open()
        try stage.server.start()
        try stage.reconnect()
        for (number, id) in ids.enumerated() {
            let row = try stage.wait(id, for: .done)
            let sent = server.requests("/in/\(number)")
            #expect(row.raw("fence") == "1" && sent.count == 1)
            #expect(try sent.first?.body == TestFiles.read(specs[number].path))
        }
        #expect(try stage.number("SELECT count(DISTINCT member) AS n FROM offstage.ended") == 2)
        #expect(try stage.number("SELECT count(*) AS n FROM offstage.ended") == 40)
        for member in members { try member.waitForNothing() }
    }

    @Test func `what a member reports after its lease was another's counts for nothing`() throws {
        let stage = try FleetStage()
        let gate = FaultGate()
        server.script("/put", .held(gate, then: .status(299)), .status(201))
        let one = try StagedMember("one", of: stage)
        let two = try StagedMember("two", of: stage)
        try one.start()
        let id = try stage.submit([try stage.upload(stage.file("put", bytes: 100), to: server.url("/put"))])[0]
        try server.waitForRequests("/put", count: 1)
        one.send(SIGSTOP)
        try two.start()
        try stage.wait(id, for: .done)
        // Its daemon continues meanwhile, and has an end to report.
        gate.open()
        try eventually("the first has sent it as well") {
            try one.daemon.json("list", "--all").transfers[0].state.string == "finished" ? true : nil
        }
        one.send(SIGCONT)
        try one.wait(for: "fenced")
        try one.waitForNothing()
        let row = try stage.row(id)
        #expect(row.raw("member") == "two" && row.raw("status") == "201" && row.raw("fence") == "2")
        #expect(try stage.number("SELECT count(*) AS n FROM offstage.ended") == 1)
    }

    @Test func `a process that comes back after its lease lets go of what its daemon still sends`() throws {
        let stage = try FleetStage()
        let gate = FaultGate()
        server.script("/put", .held(gate, then: .status(299)), .status(201))
        let one = try StagedMember("one", of: stage)
        let two = try StagedMember("two", of: stage)
        try one.start()
        let id = try stage.submit([try stage.upload(stage.file("put", bytes: 100), to: server.url("/put"))])[0]
        try server.waitForRequests("/put", count: 1)
        try one.kill()
        try two.start()
        let row = try stage.wait(id, for: .done)
        #expect(row.raw("member") == "two")
        try one.start()
        try one.wait(for: "Joined as member")
        // It was under way all the time, and ends as released: the server is not notified.
        try one.waitForNothing()
        gate.open()
        #expect(server.requests("/put").count == 2)
        #expect(try stage.row(id).raw("status") == "201")
        // Several of its queries were refused at once, but it works again.
        try two.kill()
        server.script("/late", .status(201))
        let late = try stage.submit([try stage.upload(stage.file("late", bytes: 100), to: server.url("/late"))])[0]
        #expect(try stage.wait(late, for: .done).raw("member") == "one")
    }

    @Test func `a member does not leave while its daemon still sends`() throws {
        let stage = try FleetStage(lease: 60)
        let gate = FaultGate()
        server.script("/put", .held(gate, then: .status(201)))
        let one = try StagedMember("one", of: stage)
        try one.start()
        let id = try stage.submit([try stage.upload(stage.file("put", bytes: 100), to: server.url("/put"))])[0]
        try server.waitForRequests("/put", count: 1)
        // The daemon cannot be told to release it.
        try one.sendDaemon(SIGSTOP)
        let refused = try one.run("leave", "--no-start")
        try one.sendDaemon(SIGCONT)
        #expect(!refused.isSuccess && refused.errors.contains("the daemon still has transfers"), "\(refused)")
        #expect(try stage.state(id) == .leased)
        let left = try one.run("leave", "--json")
        #expect(left.isSuccess && left.output.contains("\"left\""), "\(left)")
        #expect(try stage.state(id) == .waiting)
        gate.open()
    }

    @Test func `a member that leaves gives everything back at once, and another goes on in its session`() throws {
        let stage = try FleetStage(lease: 60)
        let gate = FaultGate()
        let size = 2_000_000
        let tus = try TusTestServer(size: size, hold: (1_000_000, gate))
        let one = try StagedMember("one", of: stage)
        try one.start()
        let spec = try stage.tusUpload("film", bytes: size, to: tus)
        let id = try stage.submit([spec])[0]
        try eventually("the server has the beginning") { tus.bytes.count == 1_000_000 ? true : nil }
        let left = try one.run("leave")
        #expect(left.isSuccess && left.output.contains("no longer the member 'one'"), "\(left)")
        #expect(try stage.state(id) == .waiting)
        #expect(try stage.number("SELECT state AS n FROM offstage.member") == 3)
        let again = try one.run("member", "run")
        #expect(again.errors.contains("no member of a fleet"), "\(again)")
        try one.waitForNothing()
        let two = try StagedMember("two", of: stage)
        try two.start()
        let row = try stage.wait(id, for: .done)
        gate.open()
        #expect(row.raw("member") == "two" && row.raw("fence") == "2")
        #expect(tus.created == 1 && tus.completed == 1 && tus.deleted == 0 && tus.repeated == 0)
        #expect(try tus.bytes == TestFiles.read(spec.path))
    }

    @Test func `a row goes to members with its labels, and not while its queue is paused`() throws {
        let stage = try FleetStage()
        let seoul = try StagedMember("one", of: stage, labels: ["site=seoul"])
        let busan = try StagedMember("two", of: stage, labels: ["site=busan", "disk=fast"])
        var specs: [TransferSpec] = []
        for number in 0..<6 {
            server.script("/in/\(number)", .status(201))
            specs.append(try stage.upload(stage.file("\(number)", bytes: 10), to: server.url("/in/\(number)")))
        }
        let runs = try DatabaseTalk(stage.server.words("runs"))
        _ = try runs.ask("SELECT offstage.pause_queue('default', true)")
        let anywhere = try stage.submit(Array(specs[0..<2]))
        let fast = try stage.submit(Array(specs[2..<4]), requires: ["site=busan", "disk=fast"])
        let nowhere = try stage.submit(Array(specs[4..<6]), requires: ["site=seoul", "disk=fast"])
        for member in [seoul, busan] {
            try member.start()
            try eventually("\(member.name) has looked") {
                try stage.number("SELECT beat AS n FROM offstage.member WHERE name = $1", [member.name]) > 0
                    ? true : nil
            }
        }
        #expect(try stage.number("SELECT count(*) AS n FROM offstage.line WHERE state = 0") == 6)
        _ = try runs.ask("SELECT offstage.pause_queue('default', false)")
        for id in anywhere { try stage.wait(id, for: .done) }
        for id in fast { #expect(try stage.wait(id, for: .done).raw("member") == "two") }
        for id in nowhere { #expect(try stage.state(id) == .waiting) }
    }

    @Test func `a row that was lost while the daemon did not answer is sent under its next lease`() throws {
        let stage = try FleetStage(lease: 60)
        let one = try StagedMember("one", of: stage)
        try one.start()
        try one.wait(for: "Connected to the daemon")
        try one.wait(for: "Joined as member")
        try one.sendDaemon(SIGSTOP)
        var ids: [Int64] = []
        // The first is on its way to the daemon; the second waits for the first one's answer.
        for number in 0..<2 {
            server.script("/in/\(number)", .status(201))
            ids += try stage.submit([
                try stage.upload(stage.file("\(number)", bytes: 10), to: server.url("/in/\(number)"))
            ])
            try stage.wait(ids[number], for: .leased)
        }
        _ = try stage.owner.ask("UPDATE offstage.member SET incarnation = incarnation + 1")
        _ = try stage.owner.ask("SELECT offstage.recover(id, 100) FROM offstage.member")
        _ = try stage.owner.ask("SELECT pg_notify('offstage_member', '')")
        try one.wait(for: "it lets go of 2 rows")
        try one.sendDaemon(SIGCONT)
        for (number, id) in ids.enumerated() {
            #expect(try stage.wait(id, for: .done).raw("fence") == "2")
            #expect(server.requests("/in/\(number)").count == 1)
        }
        try one.waitForNothing()
    }
}
