// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Compressed bodies: a truncated or damaged one must not pass for the file.
struct CompressedBodyTests {
    private let harness: EngineHarness
    private let server: FaultServer

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
    }

    private static let text = Array("hello hello hello".utf8)
    /// `python3 -c 'import gzip; print(gzip.compress(b"hello hello hello", mtime=0).hex())'`
    private static let gzip: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8,
        0x40, 0x90, 0x00, 0x80, 0x88, 0xf9, 0xe5, 0x11, 0x00, 0x00, 0x00,
    ]
    /// How the end of a body is marked.
    enum Framing: CaseIterable, Sendable {
        case length, chunks, close
    }

    private static func answer(
        _ body: [UInt8],
        coding: String = "gzip",
        status: Int = 200,
        _ framing: Framing = .length
    ) -> FaultAnswer {
        FaultAnswer { try send(body, coding, status, framing, $0) }
    }

    private static func send(
        _ body: [UInt8],
        _ coding: String,
        _ status: Int,
        _ framing: Framing,
        _ exchange: FaultExchange
    ) throws {
        try exchange.readBody()
        let coded = HeaderField(name: "Content-Encoding", value: coding)
        switch framing {
        case .length: try exchange.respond(status, [coded], body: body)
        case .chunks:
            try exchange.sendHead(status, [coded, HeaderField(name: "Transfer-Encoding", value: "chunked")])
            if !body.isEmpty {
                try exchange.send("\(String(body.count, radix: 16))\r\n")
                try exchange.send(body)
                try exchange.send("\r\n")
            }
            try exchange.send("0\r\n\r\n")
        case .close:
            try exchange.sendHead(status, [coded])
            try exchange.send(body)
            exchange.close()
        }
    }

    /// Fetches the body like `--compressed`.
    private func download(_ change: (inout EngineRequest) -> Void = { _ in }) throws -> EngineRun {
        try harness.download(server.url("/file")) {
            $0.spec.connection = ConnectionOptions()
            $0.spec.connection?.asksForCompression = true
            change(&$0)
        }
    }

    @Test(arguments: Framing.allCases) func `a whole body is decoded`(framing: Framing) throws {
        server.script("/file", Self.answer(Self.gzip + Self.gzip, framing))
        let run = try download()
        let end = try run.end()
        #expect(end.answer?.status == 200 && end.reached == 34, "\(end)")
        #expect(try run.content() == Self.text + Self.text)
        #expect(server.requests.last?.headers["Accept-Encoding"] == "gzip, deflate")
    }

    @Test(arguments: Framing.allCases) func `a body that is cut is not the file`(framing: Framing) throws {
        for body in [Array(Self.gzip.dropLast(8)), Array(Self.gzip.prefix(14)), Self.gzip + [0x1f]] {
            server.script("/file", Self.answer(body, framing))
            for change in [{ _ in }, EngineHarness.ofSession] as [(inout EngineRequest) -> Void] {
                let end = try download(change).end()
                #expect(end.failure?.code == .connectionLost, "\(end)")
                #expect(end.failure?.detail.contains("ended before it was whole") == true)
            }
        }
    }

    @Test(arguments: [(Framing.length, true), (.chunks, true), (.close, false)])
    func `nothing is an empty file, if it was meant to end`(framing: Framing, isEmpty: Bool) throws {
        server.script("/file", Self.answer([], framing))
        let end = try download().end()
        #expect((end.answer?.status == 200) == isEmpty, "\(end)")
        #expect((end.failure?.code == .connectionLost) == !isEmpty)
    }

    @Test func `a damaged body says so, and blames no file`() throws {
        for body in [Self.gzip + Array("garbage".utf8), Self.text] {
            server.script("/file", Self.answer(body))
            let failure = try #require(try download().end().failure)
            #expect(failure.code == .badServerResponse)
            #expect(failure.detail == "the compressed answer of 127.0.0.1:\(server.port) is damaged")
        }
    }

    @Test(arguments: ["br", "zstd", "utf-8", "gzip, br"])
    func `what is not decoded is kept as it came`(coding: String) throws {
        server.script("/file", Self.answer(Self.gzip, coding: coding))
        let run = try download()
        #expect(try run.end().answer?.status == 200)
        #expect(try run.content() == Self.gzip)
    }

    @Test func `a body may have five codings, and no more`() throws {
        let codings = Array(repeating: "gzip", count: 6)
        server.script("/file", Self.answer([], coding: codings.dropLast().joined(separator: ",")))
        #expect(try download().end().answer?.status == 200)
        server.script("/file", Self.answer([], coding: codings.joined(separator: ",")))
        #expect(try download().end().failure?.code == .badServerResponse)
    }

    @Test func `the status of an error counts, whatever its text is`() throws {
        for (body, text) in [
            (Self.gzip, Self.text), (Self.text, []), (Array(Self.gzip.dropLast(8)), Self.text),
        ] as [([UInt8], [UInt8])] {
            server.script("/file", Self.answer(body, status: 404))
            let end = try download { $0.spec.statusPolicy = .retryTransientAndFailOnError }.end()
            #expect(end.answer?.status == 404, "\(end)")
            #expect(end.answer?.bodyStart == text)
        }
    }

    @Test func `an app gets the whole answer to its upload, or none`() throws {
        let path = try harness.makeFile("source", bytes: 10)
        for (body, code) in [
            (Self.gzip, nil), (Array(Self.gzip.dropLast(8)), .connectionLost), (Self.text, .badServerResponse),
        ] as [([UInt8], TransferFailure.Code?)] {
            server.script("/in", Self.answer(body))
            let end = try harness.upload(path, to: server.url("/in"), EngineHarness.ofSession).end()
            #expect(end.failure?.code == code, "\(end)")
            #expect(code != nil || end.answer?.bodyStart == Self.text)
            #expect(server.requests("/in").last?.headers["Accept-Encoding"] == "identity")
        }
    }

    @Test func `a body that was cut is fetched again`() async throws {
        let queue = try QueueHarness()
        let (cut, whole) = (Array(Self.gzip.dropLast(8)), Self.gzip)
        server.script(
            "/file",
            FaultAnswer { exchange in
                try Self.send(exchange.turn == 1 ? cut : whole, "gzip", 200, .close, exchange)
            }
        )
        let id = try await queue.download(server.url("/file"), task: 1)
        #expect(try queue.end(of: id).outcome?.isSuccess == true)
        #expect(try TestFiles.read(queue.directory.path("task-1")) == Self.text)
        #expect(server.requests("/file").count == 2)
    }
}
