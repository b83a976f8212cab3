// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Starting, stopping, sharing and resting.
struct EngineLifeTests {
    let harness: EngineHarness
    let server: FaultServer
    let file = FaultFile(random: 100_000, seed: 1)

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
    }

    @Test func `a stopped attempt is released and tells nothing more`() throws {
        server.script("/file", .stallsInBody(file, after: 50_000))
        let run = try harness.download(server.url("/file"))
        try run.waitForProgress(beyond: 49_999)
        run.stop()
        try run.waitForRelease()
        #expect(run.events.last == .released(run.request.key))
        #expect(run.events.count == 1)
    }

    @Test func `an attempt that is stopped in the same breath is released`() throws {
        let run = try harness.download(server.url("/file"))
        run.stop()
        let last = try harness.wait("the last event") { event -> EngineEvent? in
            switch event {
            case .released, .ended: event
            default: nil
            }
        }
        #expect(last == .released(run.request.key))
    }

    @Test func `an order for another attempt changes nothing`() throws {
        let gate = FaultGate()
        server.script("/file", .held(gate, then: .file(file)))
        let run = try harness.download(server.url("/file"))
        try server.waitForRequests(count: 1)
        harness.engine.stop(RequestKey(run.id, attempt: 2))
        harness.engine.stop(RequestKey(run.id, attempt: 1, lane: 1))
        harness.engine.setRateLimit(RequestKey(run.id, attempt: 2), bytesPerSecond: 1)
        harness.engine.setRateLimit(RequestKey(run.id, attempt: 1, lane: 1), bytesPerSecond: 1)
        gate.open()
        #expect(try run.end().reached == 100_000)
    }

    @Test func `an attempt that has ended is not released`() throws {
        server.script("/file", .file(file))
        let run = try harness.download(server.url("/file"))
        _ = try run.end()
        run.stop()
        _ = try harness.download(server.url("/file")).end()
        #expect(run.events.count == 1)
    }

    @Test func `shutting down releases what runs`() throws {
        server.script("/file", .stalls)
        let runs = try (0..<3).map { _ in try harness.download(server.url("/file")) }
        try server.waitForRequests(count: 3)
        harness.engine.shutDown()
        for run in runs { #expect(run.events == [.released(run.request.key)]) }
    }

    @Test func `shutting down twice, and orders after it, do no harm`() throws {
        harness.engine.shutDown()
        harness.engine.shutDown()
        let run = try harness.download(server.url("/file"))
        run.stop()
        #expect(harness.events.isEmpty)
    }

    @Test func `many at once arrive whole, each in its own file`() throws {
        let nginx = try NginxServer()
        for index in 0..<8 {
            try TestFiles.makeRandom(nginx.path("f\(index)"), bytes: 100_000 + index, seed: UInt64(index))
        }
        let runs = try (0..<200).map { try harness.download(nginx.url("f\($0 % 8)")) }
        let files = try (0..<8).map { try TestFiles.read(nginx.path("f\($0)")) }
        for (index, run) in runs.enumerated() {
            #expect(try run.end(within: 60).answer?.status == 200)
            #expect(try run.content() == files[index % 8])
        }
    }

    @Test func `one after the other shares a connection`() throws {
        server.script("/file", .file(file))
        for _ in 0..<20 { _ = try harness.download(server.url("/file")).end() }
        #expect(server.connections == 1)
    }

    @Test func `a connection that the server closed meanwhile is made anew`() throws {
        server.script("/file", .file(file))
        _ = try harness.download(server.url("/file")).end()
        server.dropConnections()
        #expect(try harness.download(server.url("/file")).end().reached == 100_000)
        let path = try harness.makeFile("source", bytes: 1000)
        server.script("/in", .status(201))
        server.dropConnections()
        #expect(try harness.upload(path, to: server.url("/in")).end().answer?.status == 201)
    }

    @Test func `after the quiet time connections are closed, and the engine sleeps until it is needed`() throws {
        let closed = Monitor(false)
        let tellsEnd = FaultAnswer { exchange in
            try exchange.respond(200, [], body: [1, 2, 3])
            exchange.stall()
            closed.withLock { $0 = true }
        }
        server.script("/file", tellsEnd, .file(file))
        let switches = Monitor<(thread: String, ends: Int)>(("", 0))
        let engine = try CurlEngine(quietTime: .milliseconds(100)) { events in
            let thread = (try? TestFiles.threadName()) ?? ""
            switches.withLock { $0 = (thread, $0.ends + events.count { if case .ended = $0 { true } else { false } }) }
        }
        defer { engine.shutDown() }
        let request = try Self.request(harness, url: server.url("/file"), id: 1)
        defer { close(request.fileDescriptor) }
        engine.start([request])
        #expect(closed.wait(TimeLimit(seconds: 20)) { $0 ? true : nil } == true)
        let task = "/proc/self/task/\(switches.withLock { $0.thread })"
        // The fourth argument of the call it sleeps in is epoll_wait's timeout: -1 means forever.
        try eventually("the engine sleeps without a timer") {
            let call = try TestFiles.text(task + "/syscall").split(separator: " ")
            return call.count > 4 && call[4].hasSuffix("ffffffff") ? true : nil
        }
        let status = task + "/status"
        let before = try Self.contextSwitches(status)
        // A second engine's paced download is the clock.
        server.script("/slow", .file(file, rate: 100_000))
        #expect(try harness.download(server.url("/slow")).end().reached == 100_000)
        #expect(try Self.contextSwitches(status) == before)

        var next = request
        next.attempt = 2
        engine.start([next])
        #expect(switches.wait(TimeLimit(seconds: 20)) { $0.ends == 2 ? true : nil } == true)
    }

    private static func request(_ harness: EngineHarness, url: String, id: Int64) throws -> EngineRequest {
        let path = harness.directory.path("own-\(id)")
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw TestError.system("\(path) cannot be made") }
        return EngineRequest(
            id: TransferID(rawValue: id),
            attempt: 1,
            spec: TransferSpec(direction: .download(.init(path: path)), url: try RequestURL(url), owner: "test"),
            fileDescriptor: file,
            filePath: path
        )
    }

    private static func contextSwitches(_ status: String) throws -> String {
        try TestFiles.text(status).split(separator: "\n").filter { $0.contains("ctxt_switches") }.joined()
    }
}

extension TestFiles {
    /// The kernel's ID of the calling thread.
    fileprivate static func threadName() throws -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard readlink("/proc/thread-self", &buffer, 127) > 0 else { throw TestError.system("/proc is not there") }
        let text = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        return text.split(separator: "/").last.map(String.init) ?? ""
    }
}
