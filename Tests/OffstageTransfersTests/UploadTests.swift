// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Uploads of files to a server.
struct UploadTests {
    let harness: EngineHarness
    let server: FaultServer

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
    }

    @Test(arguments: [0, 1, 100_000, 5_000_001], [false, true])
    func `a file arrives whole at nginx`(size: Int, large: Bool) throws {
        let nginx = try NginxServer()
        let path = try harness.makeFile("source", bytes: size)
        let run = try harness.upload(path, to: nginx.url("target")) { $0.usesLargeBuffers = large }
        let end = try run.end()
        #expect(end.answer?.status == 201)
        #expect(end.reached == Int64(size))
        #expect(try TestFiles.read(nginx.path("target")) == TestFiles.read(path))
    }

    @Test func `the server's reply belongs to the answer`() throws {
        server.script("/in", .status(200, body: "thank you"))
        let path = try harness.makeFile("source", bytes: 1000)
        let end = try harness.upload(path, to: server.url("/in")).end()
        #expect(end.answer?.bodyStart == Array("thank you".utf8))
        #expect(server.requests[0].body == (try TestFiles.read(path)))
    }

    @Test func `another method is used as it is named`() throws {
        server.script("/in", .status(201))
        let path = try harness.makeFile("source", bytes: 1000)
        let run = try harness.upload(path, to: server.url("/in")) { $0.spec.method = "POST" }
        #expect(try run.end().answer?.status == 201)
        #expect(server.requests[0].method == "POST")
        #expect(server.requests[0].headers["Content-Length"] == "1000")
        #expect(server.requests[0].headers["Content-Type"] == nil)
    }

    /// On a reused connection, libcurl would start over, which a dialect does not want. The bytes that had left this
    /// machine still count, since the server may have all of them.
    @Test func `what has arrived before a reused connection ends without an answer counts as sent`() throws {
        server.script(
            "/in",
            .status(201),
            FaultAnswer {
                try $0.readBody()
                throw TestError("no answer")
            }
        )
        let path = try harness.makeFile("source", bytes: 100_000)
        let asDialect: (inout EngineRequest) -> Void = { request in
            request.sendsBodyAgain = false
            request.expectsGoAhead = false
        }
        #expect(try harness.upload(path, to: server.url("/in"), asDialect).end().answer?.status == 201)
        let end = try harness.upload(path, to: server.url("/in"), asDialect).end()
        #expect(end.failure?.retryClass == .connection, "\(end.result)")
        #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.connection == 1 })
        #expect(end.reached == 100_000)
    }

    @Test func `a server that wants to be asked first is asked`() throws {
        server.script("/in", .status(201))
        let path = try harness.makeFile("source", bytes: 2_000_000)
        #expect(try harness.upload(path, to: server.url("/in")).end().answer?.status == 201)
        #expect(server.requests[0].headers["Expect"] == "100-continue")
        #expect(server.requests[0].body.count == 2_000_000)
    }

    @Test func `a server that refuses to be asked gets the file without`() throws {
        server.script("/in", .refusesExpectation())
        let path = try harness.makeFile("source", bytes: 2_000_000)
        #expect(try harness.upload(path, to: server.url("/in")).end().answer?.status == 201)
        #expect(server.requests.last?.isWhole == true)
    }

    @Test(arguments: [200, 204]) func `no other request becomes the body of an upload that was answered early`(
        status: Int
    ) throws {
        // It continues reading, and would take the next bytes for the body.
        server.script("/in", FaultAnswer { try $0.sendHead(status, status == 204 ? [] : [Self.isEmpty]) })
        server.script("/file", .status(200, body: "x"))
        let path = try harness.makeFile("source", bytes: 2_000_000)
        #expect(try harness.upload(path, to: server.url("/in")).end().failure?.code == .serverMisbehaves)
        #expect(try harness.download(server.url("/file")).end().answer?.status == 200)
        #expect(server.requests("/file").map(\.connection) == [2])
    }

    private static let isEmpty = HeaderField(name: "Content-Length", value: "0")

    @Test func `an expectation that was refused leaves no connection behind`() throws {
        server.script("/in", .refusesExpectation())
        let path = try harness.makeFile("source", bytes: 2_000_000)
        #expect(try harness.upload(path, to: server.url("/in")).end().answer?.status == 201)
        #expect(server.requests("/in").map(\.connection) == [1, 2])
    }

    @Test func `a refusal before the body is an answer`() throws {
        server.script("/in", .answersBeforeBody(403))
        let path = try harness.makeFile("source", bytes: 20_000_000)
        let end = try harness.upload(path, to: server.url("/in")).end()
        #expect(end.answer?.status == 403)
    }

    @Test func `praise before the body is a lie`() throws {
        server.script("/in", .answersBeforeBody(200))
        let path = try harness.makeFile("source", bytes: 20_000_000)
        let end = try harness.upload(path, to: server.url("/in")).end()
        #expect(end.answer == nil)
        #expect([.serverMisbehaves, .connectionLost].contains(end.failure?.code))
    }

    @Test func `a connection that breaks is lost, and says how far it came`() throws {
        server.script("/in", .cutsUpload(after: 3_000_000))
        let path = try harness.makeFile("source", bytes: 20_000_000)
        let end = try harness.upload(path, to: server.url("/in")).end()
        #expect(end.failure?.code == .connectionLost)
        #expect(end.reached >= 3_000_000)
        #expect(end.reached < 20_000_000)
    }

    @Test func `progress of an upload leads to its end`() throws {
        server.script("/in", .readsSlowly(8_000_000))
        let path = try harness.makeFile("source", bytes: 12_000_000)
        let run = try harness.upload(path, to: server.url("/in"))
        #expect(try run.end().reached == 12_000_000)
        let done = run.progress.map(\.bytesDone)
        #expect(!done.isEmpty)
        #expect(done == done.sorted())
        #expect(run.progress.allSatisfy { $0.bytesTotal == 12_000_000 })
    }

    @Test func `a file that gets shorter on the way is not sent as if it were whole`() throws {
        let gate = FaultGate()
        server.script(
            "/in",
            FaultAnswer { exchange in
                try exchange.readBody(stopAt: 1_000_000)
                try exchange.wait(for: gate)
                exchange.stall()
            }
        )
        let path = try harness.makeFile("source", bytes: 50_000_000)
        let run = try harness.upload(path, to: server.url("/in"))
        try run.waitForProgress(beyond: 100_000)
        #expect(truncate(path, 1_000_000) == 0)
        gate.open()
        let end = try run.end()
        #expect(end.failure?.code == .sourceChanged)
        #expect(end.failure?.detail.contains("shorter") == true)
    }

    /// A change to the source after the server has received it all and before it answers.
    enum Meddling: CaseIterable {
        case appends, rewrites, replaces, deletes
    }

    @Test(arguments: Meddling.allCases)
    func `a file that was touched on the way is never reported as sent`(meddling: Meddling) throws {
        let gate = FaultGate()
        server.script("/in", .held(gate, then: .status(201)))
        let path = try harness.makeFile("source", bytes: 100_000)
        let run = try harness.upload(path, to: server.url("/in"))
        try server.waitForRequests(count: 1)
        switch meddling {
        case .appends:
            let file = open(path, O_WRONLY | O_APPEND)
            #expect(write(file, "x", 1) == 1)
            close(file)
        case .rewrites:
            let file = open(path, O_WRONLY)
            #expect(pwrite(file, "x", 1, 0) == 1)
            close(file)
        case .replaces:
            #expect(rename(try harness.makeFile("other", bytes: 100_000, seed: 2), path) == 0)
        case .deletes:
            #expect(unlink(path) == 0)
        }
        gate.open()
        let code = try run.end().failure?.code
        #expect(code == (meddling == .deletes ? .sourceMissing : .sourceChanged))
    }

    @Test func `a length that the owner states is not believed`() throws {
        server.script("/in", .status(201))
        let path = try harness.makeFile("source", bytes: 1000)
        let run = try harness.upload(path, to: server.url("/in")) {
            $0.spec.headers = [HeaderField(name: "content-length", value: "7")]
        }
        #expect(try run.end().answer?.status == 201)
        #expect(server.requests[0].headers["Content-Length"] == "1000")
    }

    @Test func `the idempotency key goes along unless the owner has set one`() throws {
        server.script("/in", .status(201))
        let path = try harness.makeFile("source", bytes: 10)
        _ = try harness.upload(path, to: server.url("/in")) { $0.spec.idempotencyKey = "k-1" }.end()
        _ = try harness.upload(path, to: server.url("/in")) {
            $0.spec.idempotencyKey = "k-1"
            $0.spec.headers = [HeaderField(name: "idempotency-key", value: "mine")]
        }.end()
        #expect(server.requests.map { $0.headers["Idempotency-Key"] } == ["k-1", "mine"])
    }

    @Test func `an empty header goes along as an empty header`() throws {
        server.script("/in", .status(201))
        let path = try harness.makeFile("source", bytes: 10)
        let run = try harness.upload(path, to: server.url("/in")) {
            $0.spec.headers = [HeaderField(name: "X-Empty", value: ""), HeaderField(name: "X-Full", value: "a; b")]
        }
        _ = try run.end()
        #expect(server.requests[0].headers["X-Empty"] == "")
        #expect(server.requests[0].headers["X-Full"] == "a; b")
        #expect(server.requests[0].headers["User-Agent"] == "Offstage/0.1")
    }
}
