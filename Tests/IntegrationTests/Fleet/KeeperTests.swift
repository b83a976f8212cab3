// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// The daemon's side of a fleet member. Two machines and third-party servers are tested in
/// `scripts/lib/fleet_takeover.py`.
@Suite struct KeeperTests {
    private static let fleet = "5e4b8c0a-6a57-4b0e-8a35-0d1f0a7a9f11"
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        try daemon.startOnDemand()
    }

    // MARK: Specifications

    private static func upload(
        _ path: String,
        to url: String,
        row: Int64 = 7,
        fence: Int32 = 1,
        tus: Bool = false
    ) throws -> TransferSpec {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TestError("\(path) is not there") }
        let identity = FileIdentity(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: FileIdentity.nanoseconds(seconds: status.st_mtim.tv_sec, and: status.st_mtim.tv_nsec)
        )
        let url = try RequestURL(url)
        var spec = TransferSpec(direction: .upload(.init(path: path, identity: identity)), url: url, owner: "command")
        spec.keeper = TransferKeeper(fleet: fleet, row: row, fence: fence)
        spec.statusPolicy = .retryTransientAndFailOnError
        if tus {
            var parameters = TusParameters()
            parameters.largestChunk = 1 << 20
            spec.dialect = try parameters.dialectSpec(at: url)
            spec.method = "POST"
        }
        return spec
    }

    private func file(_ bytes: Int = 1000) throws -> String { try daemon.makeFile("a.bin", bytes: bytes).path }

    private func submit(_ spec: TransferSpec, over client: WireClient) throws -> TransferID {
        try #require(try client.send(SubmitTransfers(specs: [spec])).ids.first)
    }

    private func attached() throws -> WireClient {
        let client = try WireClient.greeted(daemon)
        _ = try client.send(AttachKeeper(fleet: Self.fleet))
        return client
    }

    private func answer(_ memory: MemoryToKeep, _ isKept: Bool = true, over client: WireClient) throws {
        _ = try client.send(AnswerKeep(answers: [.init(number: memory.number, isKept: isKept)]))
    }

    /// Answers every question until none is left and the transfer has ended.
    private func keepAll(_ id: TransferID, over client: WireClient, at other: DaemonFixture? = nil) throws {
        let daemon = other ?? daemon
        _ = try client.send(WatchTransfers(ids: [id], onlyOutcomes: true))
        let limit = TimeLimit(seconds: 60)
        while true {
            let row = try daemon.detail(Int(id.rawValue)).row
            if row.kind == .finished { return }
            if limit.isOver { throw TestError("Transfer \(id) has not ended: \(row.reason.summary)") }
            guard let memory = try? client.nextMemory(within: 0.2) else { continue }
            try answer(memory, over: client)
        }
    }

    private func cause(_ id: TransferID) throws -> Reason.Cause { try daemon.detail(Int(id.rawValue)).row.reason.cause }

    private func waits(_ id: TransferID, for cause: Reason.Cause) throws {
        try daemon.watch(Int(id.rawValue), for: "\(cause)") { $0.reason.cause == cause }
    }

    // MARK: The gate

    @Test func `nothing is sent before somebody keeps it, and why says so`() throws {
        server.script("/a", .status(201))
        let id = try submit(Self.upload(try file(), to: server.url("/a")), over: WireClient.greeted(daemon))
        try waits(id, for: .keeper(isRefused: false))
        let why = try daemon.run("why", "\(id)")
        #expect(why.output.contains("waiting for the fleet to keep where it stands"), "\(why)")
        #expect(try daemon.show(Int(id.rawValue)).attempts.integer == 0)
        let keeper = try attached()
        let memory = try keeper.nextMemory()
        #expect(memory.id == id && memory.isFirst && memory.isAwaited && memory.memory == nil && memory.bytesDone == 0)
        #expect(memory.keeper == TransferKeeper(fleet: Self.fleet, row: 7, fence: 1))
        #expect(server.requests.isEmpty)
        try answer(memory, over: keeper)
        try keepAll(id, over: keeper)
        #expect(server.requests.count == 1)
        #expect(try cause(id) == .completed(status: 201))
    }

    @Test func `after a no the transfer waits for the next keeper, and nothing was sent`() throws {
        server.script("/a", .status(201))
        let keeper = try attached()
        let id = try submit(Self.upload(try file(), to: server.url("/a")), over: keeper)
        try answer(try keeper.nextMemory(), false, over: keeper)
        try waits(id, for: .keeper(isRefused: true))
        #expect(server.requests.isEmpty)
        let next = try attached()
        try keepAll(id, over: next)
        #expect(try cause(id) == .completed(status: 201))
        // The first keeper has no say any more.
        #expect(throws: WireFailure.self) { try keeper.send(AnswerKeep(answers: [.init(number: 1, isKept: true)])) }
    }

    @Test
    func
        `an upload in a dialect asks before each request that depends on a memory, and goes on when the keeper is back`()
        throws
    {
        let chunk = 1 << 20
        let options = FaultAnswer.status(
            204,
            [.init(name: "Tus-Version", value: "1.0.0"), .init(name: "Tus-Extension", value: "creation")]
        )
        server.script("/files", options, .status(201, [.init(name: "Location", value: "/files/1")]))
        let stored = (1...3).map { FaultAnswer.status(204, [.init(name: "Upload-Offset", value: "\($0 * chunk)")]) }
        // Between the second and the third, the next attempt asks for the offset.
        let asked = FaultAnswer.status(
            200,
            [.init(name: "Upload-Offset", value: "\(2 * chunk)"), .init(name: "Upload-Length", value: "\(3 * chunk)")]
        )
        server.script("/files/1", [stored[0], stored[1], asked, stored[2]])
        let keeper = try attached()
        let spec = try Self.upload(try file(3 * chunk), to: server.url("/files"), tus: true)
        let id = try submit(spec, over: keeper)
        // Each request is confirmed until two chunks have arrived; then the keeper hangs up.
        var asks = 0
        while true {
            let memory = try keeper.nextMemory()
            asks += 1
            if memory.bytesDone == Int64(2 * chunk) { break }
            try answer(memory, over: keeper)
        }
        #expect(asks >= 4)
        keeper.hangUp()
        try waits(id, for: .keeper(isRefused: false))
        #expect(server.requests.filter { $0.method == "PATCH" }.count == 2)
        let next = try attached()
        try keepAll(id, over: next)
        let patches = server.requests.filter { $0.method == "PATCH" }
        #expect(patches.map { $0.headers["Upload-Offset"] } == ["0", "\(chunk)", "\(2 * chunk)"])
    }

    // MARK: Letting go

    @Test func `a transfer that is let go says nothing to its server, and ends once no request is under way`() throws {
        let gate = FaultGate()
        defer { gate.open() }
        let options = FaultAnswer.status(
            204,
            [.init(name: "Tus-Version", value: "1.0.0"), .init(name: "Tus-Extension", value: "creation,termination")]
        )
        server.script("/files", options, .status(201, [.init(name: "Location", value: "/files/1")]))
        server.script("/files/1", .held(gate, then: .status(204)))
        let keeper = try attached()
        let id = try submit(try Self.upload(try file(1000), to: server.url("/files"), tus: true), over: keeper)
        while server.requests.filter({ $0.method == "PATCH" }).isEmpty {
            if let memory = try? keeper.nextMemory(within: 0.2) { try answer(memory, over: keeper) }
        }
        let reply = try keeper.send(ActOnTransfers(verb: .release, selection: .ids([id])))
        #expect(reply.done == [id] && reply.refused.isEmpty)
        #expect(try cause(id) == .released)
        #expect(server.requests.map(\.method) == ["OPTIONS", "POST", "PATCH"])
        // A cancel would have deleted it there.
        let other = try Self.upload(try file(1000), to: server.url("/files"), row: 8, tus: true)
        server.script("/files", options, .status(201, [.init(name: "Location", value: "/files/2")]))
        server.script("/files/2", .held(gate, then: .status(204)))
        let second = try submit(other, over: keeper)
        while server.requests("/files/2").isEmpty {
            if let memory = try? keeper.nextMemory(within: 0.2) { try answer(memory, over: keeper) }
        }
        _ = try keeper.send(ActOnTransfers(verb: .cancel, selection: .ids([second])))
        try eventually("the farewell") { server.requests("/files/2").contains { $0.method == "DELETE" } ? true : nil }
        #expect(!server.requests("/files/1").contains { $0.method == "DELETE" })
    }

    // MARK: Keys

    @Test func `what is on record under a key is not made twice, whoever asks`() throws {
        server.script("/a", .status(201), .status(201), .status(201))
        let path = try file()
        let client = try WireClient.greeted(daemon)
        let spec = try Self.upload(path, to: server.url("/a"))
        let id = try submit(spec, over: client)
        #expect(try submit(spec, over: client) == id)
        var other = spec
        other.keeper = nil
        other.submissionKey = "mine"
        let ids = try client.send(SubmitTransfers(specs: [other, spec, other])).ids
        #expect(ids.count == 3 && ids[1] == id && ids[0] == ids[2] && ids[0] != id)
        try daemon.wait(Int(ids[0].rawValue))
        try daemon.killDaemon()
        try daemon.startOnDemand()
        let later = try WireClient.greeted(daemon)
        #expect(try submit(other, over: later) == ids[0])
        #expect(try submit(spec, over: later) == id)
        // Another owner's key is different, and so is the next fence's.
        other.owner = "somebody"
        let foreign = try submit(other, over: later)
        let fenced = try submit(try Self.upload(path, to: server.url("/a"), fence: 2), over: later)
        #expect(Set([id, ids[0], foreign, fenced]).count == 4)
        // A forgotten transfer is not on record.
        try daemon.run("forget", "\(ids[0])")
        other.owner = "command"
        #expect(try submit(other, over: later).rawValue > fenced.rawValue)
    }

    @Test func `a keeper is refused for what no fleet can have`() throws {
        let client = try WireClient.greeted(daemon)
        var download = TransferSpec(
            direction: .download(.init(path: daemon.path("b"))),
            url: try RequestURL(server.url("/b")),
            owner: "command"
        )
        download.keeper = TransferKeeper(fleet: Self.fleet, row: 1, fence: 1)
        #expect(throws: WireFailure.self) { try client.send(SubmitTransfers(specs: [download])) }
        for keeper in [
            TransferKeeper(fleet: "", row: 1, fence: 1), TransferKeeper(fleet: "a b", row: 1, fence: 1),
            TransferKeeper(fleet: "f", row: 0, fence: 1), TransferKeeper(fleet: "f", row: 1, fence: -1),
        ] {
            var spec = try Self.upload(try file(), to: server.url("/a"))
            spec.keeper = keeper
            #expect(throws: WireFailure.self) { try client.send(SubmitTransfers(specs: [spec])) }
        }
        #expect(throws: WireFailure.self) { try client.send(AttachKeeper(fleet: "../x")) }
        #expect(throws: WireFailure.self) { try client.send(AnswerKeep(answers: [.init(number: 1, isKept: true)])) }
    }

    // MARK: Another machine

    @Test func `another machine goes on where the first was killed`() throws {
        let chunk = 1 << 20
        let options = FaultAnswer.status(
            204,
            [.init(name: "Tus-Version", value: "1.0.0"), .init(name: "Tus-Extension", value: "creation")]
        )
        let offset = { (count: Int) in FaultAnswer.status(204, [.init(name: "Upload-Offset", value: "\(count)")]) }
        server.script("/files", options, .status(201, [.init(name: "Location", value: "/files/1")]))
        let asked = FaultAnswer.status(
            200,
            [.init(name: "Upload-Offset", value: "\(chunk)"), .init(name: "Upload-Length", value: "\(2 * chunk)")]
        )
        server.script("/files/1", [offset(chunk), asked, offset(2 * chunk)])
        let keeper = try attached()
        let path = try file(2 * chunk)
        let first = try Self.upload(path, to: server.url("/files"), tus: true)
        _ = try submit(first, over: keeper)
        var kept = try keeper.nextMemory()
        while kept.bytesDone < Int64(chunk) {
            try answer(kept, over: keeper)
            kept = try keeper.nextMemory()
        }
        try daemon.killDaemon()
        // The other machine's copy of the file: another inode, the same size and time.
        let other = try DaemonFixture()
        try other.startOnDemand()
        let copy = other.path("a.bin")
        #expect(try ChildProcess.run("/bin/cp", ["--preserve=timestamps", path, copy]).isSuccess)
        var second = try Self.upload(copy, to: server.url("/files"), fence: 2, tus: true)
        second.keptUpload = kept.memory
        let next = try WireClient.greeted(other)
        _ = try next.send(AttachKeeper(fleet: Self.fleet))
        let id = try submit(second, over: next)
        let found = try next.nextMemory()
        // It starts from the kept memory, as if for its own file.
        #expect(found.isFirst && found.bytesDone == Int64(chunk))
        #expect(found.memory != nil && found.memory != kept.memory)
        try answer(found, over: next)
        try keepAll(id, over: next, at: other)
        #expect(server.requests.map(\.method) == ["OPTIONS", "POST", "PATCH", "HEAD", "PATCH"])
        #expect(server.requests.last?.headers["Upload-Offset"] == "\(chunk)")
        // A file that has changed since starts over: its memory is useless.
        try TestFiles.makeRandom(copy, bytes: 2 * chunk, seed: 9)
        var changed = try Self.upload(copy, to: server.url("/files"), fence: 3, tus: true)
        changed.keptUpload = kept.memory
        _ = try submit(changed, over: next)
        #expect(try next.nextMemory().memory.map { $0.bytes.count < (kept.memory?.bytes.count ?? 0) } ?? true)
    }

    // MARK: Rules

    @Test func `a fleet pauses a machine, limits it, and is named`() throws {
        server.script("/a", .status(201))
        let client = try WireClient.greeted(daemon)
        var policy = FleetPolicy()
        policy.isPaused = true
        _ = try client.send(SetFleetPolicy(fleet: Self.fleet, label: "studio", policies: [policy, FleetPolicy()]))
        var spec = try Self.upload(try file(), to: server.url("/a"))
        spec.keeper = nil
        let id = try submit(spec, over: client)
        #expect(try cause(id) == .heldByFleet("studio", .paused))
        #expect(try daemon.run("why", "\(id)").output.contains("the fleet 'studio' has paused this machine"))
        policy.isPaused = false
        policy.rateLimit = 1 << 20
        _ = try client.send(SetFleetPolicy(fleet: Self.fleet, label: "studio", policies: [policy]))
        try daemon.wait(Int(id.rawValue))
        #expect(try cause(id) == .completed(status: 201))
        #expect(try client.send(GetStatus()).rateLimit == 1 << 20)
        _ = try client.send(SetFleetPolicy(fleet: Self.fleet, policies: []))
        #expect(try client.send(GetStatus()).rateLimit == nil)
    }

    @Test func `a fleet's hours hold what is under way, and its most at a time what is in line`() throws {
        let gate = FaultGate()
        defer { gate.open() }
        server.script("/a", .held(gate, then: .status(201)), .status(201))
        server.script("/b", .status(201))
        let client = try WireClient.greeted(daemon)
        var policy = FleetPolicy()
        policy.maximumRunning = 1
        _ = try client.send(SetFleetPolicy(fleet: Self.fleet, label: "studio", policies: [policy]))
        var spec = try Self.upload(try file(), to: server.url("/a"))
        spec.keeper = nil
        let id = try submit(spec, over: client)
        try server.waitForRequests("/a", count: 1)
        spec.url = try RequestURL(server.url("/b"))
        let behind = try submit(spec, over: client)
        #expect(try cause(behind) == .fleetLimit(fleet: "studio", running: 1, limit: 1))
        policy.hours = [ScheduleEntry(from: 0, to: 1440, transfers: false)]
        _ = try client.send(SetFleetPolicy(fleet: Self.fleet, label: "studio", policies: [policy]))
        try waits(id, for: .heldByFleet("studio", .hours))
        _ = try client.send(SetFleetPolicy(fleet: Self.fleet, policies: []))
        try daemon.wait(Int(id.rawValue), Int(behind.rawValue))
        #expect(try cause(behind) == .completed(status: 201))
    }
}
