// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite(.serialized) struct `A client takes no more than its share` {
    private let daemon: DaemonFixture
    private let process: Int32

    init() throws {
        daemon = try DaemonFixture()
        try daemon.startOnDemand()
        process = try daemon.daemon().processID
    }

    /// A value of the daemon's from the kernel: `VmHWM` in KiB, `Threads`.
    private func status(_ name: String) throws -> Int {
        let line = try TestFiles.text("/proc/\(process)/status").split(separator: "\n").first {
            $0.hasPrefix(name + ":")
        }
        return try #require(line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
    }

    /// Expects that another process is answered promptly: generous, for a debug build on a busy machine.
    private func expectPrompt(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let begun = TimeLimit.now
        let result = try daemon.run("list", "--no-start", within: 10)
        #expect(result.isSuccess, "\(result)", sourceLocation: sourceLocation)
        #expect(TimeLimit.now - begun < 5, sourceLocation: sourceLocation)
    }

    private func request(_ name: String, _ payload: String, exchange: UInt32 = 7) -> [UInt8] {
        WireFrame(kind: .request, exchange: exchange, name: name, payload: Array(payload.utf8)).encoded()
    }

    @Test func `a frame that names two million transfers is refused and costs little`() throws {
        let client = try WireClient.greeted(daemon)
        let ids = String(repeating: "1,", count: 2_000_000) + "1"
        try client.write(request("act", #"{"verb":"cancel","selection":{"ids":{"_0":[\#(ids)]}}}"#))
        try expectPrompt()
        let answer = try #require(try client.nextFrame(TimeLimit(seconds: 20)))
        #expect(answer.kind == .failure)
        #expect(try WireCoding.decode(WireFailure.self, from: answer.payload).code == .badRequest)
        #expect(try status("VmHWM") < 160_000)
    }

    @Test func `a frame names so many transfers, and the command any number`() throws {
        let client = try WireClient.greeted(daemon)
        let many = (1...1001).map { TransferID(rawValue: $0) }
        let refusal = #expect(throws: WireFailure.self) {
            _ = try client.send(ActOnTransfers(verb: .cancel, selection: .ids(many)))
        }
        #expect(refusal?.code == .badRequest)
        let id = try daemon.submit("download", "http://127.0.0.1:9/x", "-o", "x")
        let result = try daemon.run("cancel", "1-20000", "--yes", "--json", within: 60)
        #expect(try JSONValue(parsing: result.output).done.array.count == 1)
        #expect(try daemon.show(id).result.string == "cancelled")
        #expect(result.code == 4)
    }

    @Test func `brackets without end are refused before they are read`() throws {
        let client = try WireClient.greeted(daemon)
        for name in ["list", "submit", "act", "apps.show", "apps.act", "header"] {
            try client.write(request(name, String(repeating: "[", count: 100_000)))
            try client.write(request(name, String(repeating: #"{"a":"#, count: 100_000)))
        }
        for _ in 0..<12 { #expect(try client.nextFrame(TimeLimit(seconds: 20))?.kind == .failure) }
        try expectPrompt()
        #expect(try daemon.daemon().processID == process)
    }

    @Test func `unfinished frames of hundreds of connections are not all kept`() throws {
        _ = try WireClient.greeted(daemon)
        var clients: [WireClient] = []
        let part = [0, 0x3F, 0xFF, 0xF0, 1, 0, 0, 0, 1, 0] + [UInt8](repeating: 0x20, count: 3 << 20)
        for _ in 0..<60 {
            let client = try WireClient(daemon)
            // A dropped connection notices in the middle of a write.
            _ = try? client.write(part)
            clients.append(client)
        }
        try expectPrompt()
        #expect(try status("VmHWM") < 160_000)
    }

    @Test func `a client that asks without end neither grows the daemon nor delays another`() throws {
        let greedy = try WireClient.greeted(daemon)
        let questions = Array(repeating: request("status", "{}"), count: 500).flatMap { $0 }
        let asked = Monitor(0)
        try TestThread.start {
            while (try? greedy.write(questions)) != nil,
                asked.withLock({
                    $0 += 500; return $0
                }) < 100_000
            {}
            asked.withLock { $0 = 100_000 }
        }
        for _ in 0..<3 { try expectPrompt() }
        let answers = Monitor(0)
        try TestThread.start {
            while let frame = try? greedy.nextFrame(TimeLimit(seconds: 10)), frame.kind == .reply {
                if answers.withLock({
                    $0 += 1; return $0
                }) >= 2000 {
                    break
                }
            }
        }
        #expect(answers.wait(TimeLimit(seconds: 30)) { $0 >= 2000 ? true : nil } == true)
        try expectPrompt()
        #expect(try status("VmHWM") < 160_000)
        greedy.hangUp()
    }

    @Test func `requests about accounts share few threads`() throws {
        // Accepts, and does not answer.
        let server = try FaultServer()
        server.onAccept(.stall)
        let endpoints = try DropboxEndpoints(below: server.url("/"))
        let request = AddAccount(
            account: Account(name: "a", appKey: "k", endpoints: endpoints, addedAt: Date()),
            code: "c",
            verifier: String(repeating: "v", count: 43),
            redirectURI: nil
        )
        let before = try status("Threads")
        let clients = try (0..<20).map { _ in try WireClient.greeted(daemon) }
        for client in clients {
            let frame = try client.frame(request).encoded()
            try client.write(Array(repeating: frame, count: 60).flatMap { $0 })
        }
        try expectPrompt()
        #expect(try status("Threads") <= before + 24)
        for client in clients { client.hangUp() }
        try expectPrompt()
    }

    @Test func `connections of many processes leave room for one more`() throws {
        var others: [ChildProcess] = []
        let script = daemon.path("hold.py")
        try TestFiles.write(Self.holder, to: script)
        for _ in 0..<6 {
            others.append(try ChildProcess(OtherProcess.interpreter, [script, daemon.socketPath, "120"]))
        }
        for other in others { #expect(try other.line(within: 30) { $0 == "ready" ? true : nil }) }
        try expectPrompt()
        let status = try daemon.json("daemon", "status")
        #expect((status.connections.integer ?? .max) <= 520, "\(status)")
        for other in others { other.kill(SIGKILL) }
    }

    /// Connects and greets so many times, prints `ready`, and waits.
    private static let holder = """
        import json, socket, struct, sys, time
        kept = []
        hello = json.dumps({"version": {"major": 0, "minor": 1, "patch": 0}, "protocolVersion": 1, "client": "t"}).encode()
        for _ in range(int(sys.argv[2])):
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            s.sendall(struct.pack(">IBIB", 11 + len(hello), 1, 1, 5) + b"hello" + hello)
            kept.append(s)
        print("ready", flush=True)
        sys.stdin.read()
        """
}
