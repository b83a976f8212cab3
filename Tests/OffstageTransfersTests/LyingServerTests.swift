// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Servers whose answers contradict HTTP or themselves: no such answer may pass for a success.
@Suite struct LyingServerTests {
    let harness: EngineHarness
    let server: FaultServer

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    /// Whole responses after which the connection ends, and the code that they end with.
    static let lies: [(String, TransferFailure.Code)] = [
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nraw bytes", .serverMisbehaves),
        ("HTTP/1.1 101 Switching Protocols\r\nContent-Length: 9\r\n\r\nraw bytes", .serverMisbehaves),
        ("HTTP/1.1 102 Processing\r\n\r\nraw bytes", .badServerResponse),
        ("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", .connectionLost),
        ("HTTP/1.1 000 Nothing\r\n\r\nraw bytes", .badServerResponse),
        ("HTTP/1.1 099 Nothing\r\n\r\nraw bytes", .badServerResponse),
        ("HTTP/1.1 200x OK\r\nContent-Length: 3\r\n\r\nabc", .serverMisbehaves),
        ("HTTP/1.1 2000 OK\r\nContent-Length: 3\r\n\r\nabc", .badServerResponse),
        ("HTTP/7.0 200 OK\r\nContent-Length: 3\r\n\r\nabc", .badServerResponse),
        ("ICY 200 OK\r\nContent-Length: 3\r\n\r\nabc", .badServerResponse),
        ("just text\r\n", .badServerResponse),
        // A head that is cut.
        ("HTTP/1.1 200 OK\r\n", .connectionLost),
        ("HTTP/1.1 200 OK\r\nContent-Len", .connectionLost),
        ("HTTP/1.1 200 OK\r\nETag: \"x\"\r\n", .connectionLost),
        // Lengths.
        (ok + "Content-Length: 99999999999999999999\r\n\r\nabc", .serverMisbehaves),
        (ok + "Content-Length: 9223372036854775807\r\n\r\nabc", .serverMisbehaves),
        (ok + "Content-Length: +5\r\n\r\nabcde", .serverMisbehaves),
        (ok + "Content-Length: 5 5\r\n\r\nabcde", .serverMisbehaves),
        (ok + "Content-Length: 0x3\r\n\r\nabc", .serverMisbehaves),
        (ok + "Content-Length: 3x\r\n\r\nabc", .serverMisbehaves),
        (ok + "Content-Length: 3,5\r\n\r\nabcde", .serverMisbehaves),
        (ok + "Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde", .serverMisbehaves),
        (ok + "Content-Length: 5\r\nContent-Length: 3\r\n\r\nabcde", .serverMisbehaves),
        (ok + "Content-Length: 3\r\n Content-Length: 5\r\n\r\nabcde", .serverMisbehaves),
        (ok + "Content-Length: -5\r\n\r\nabcde", .badServerResponse),
        // Some parsers accept such fields and others do not: the framing of the body would become content.
        (ok + "Content-Length : 5\r\n\r\nabc", .serverMisbehaves),
        (ok + "Transfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n3\r\nab", .serverMisbehaves),
        (ok + "Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n\r\n3\r\nab", .serverMisbehaves),
        (ok + "Content-Encoding : gzip\r\nContent-Length: 3\r\n\r\nabc", .serverMisbehaves),
        (ok + "Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nabc", .connectionLost),
        // Codings.
        (ok + "Transfer-Encoding: gzip\r\n\r\nabc", .serverMisbehaves),
        (ok + "Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", .serverMisbehaves),
        (ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", .connectionLost),
        (ok + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc\r\n0\r\n\r\n", .serverMisbehaves),
        (ok + "Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nabc\r\n0\r\n\r\n", .connectionLost),
        // Parts.
        ("HTTP/1.1 206 Part\r\nContent-Range: bytes 0-9223372036854775807/*\r\n\r\nabc", .serverMisbehaves),
        ("HTTP/1.1 206 Part\r\nContent-Range: bytes 0-2/*\r\nContent-Length: 3\r\n\r\nabc", .serverMisbehaves),
        ("HTTP/1.1 206 Part\r\nContent-Range: bytes 0-2/9\r\nContent-Length: 3\r\n\r\nabc", .serverMisbehaves),
        (ok + "Content-Range: bytes 0-2/9\r\nContent-Length: 3\r\n\r\nabc", .serverMisbehaves),
        // Bodies where there is none.
        ("HTTP/1.1 204 Nothing\r\nContent-Length: 3\r\n\r\nabc", .serverMisbehaves),
        ("HTTP/1.1 205 Reset\r\nContent-Length: 3\r\n\r\nabc", .serverMisbehaves),
        ("HTTP/1.1 205 Reset\r\n\r\nabc", .serverMisbehaves),
    ]

    private func says(_ text: String) -> FaultAnswer {
        FaultAnswer {
            try $0.readBody()
            try $0.send(text)
            $0.close()
        }
    }

    @Test(arguments: lies)
    func `a download from a server that lies is no success`(answer: String, code: TransferFailure.Code) throws {
        server.script("/file", says(answer))
        for policy in [TransferSpec.StatusPolicy.everyResponseIsFinal, .retryTransientAndFailOnError] {
            let end = try harness.download(server.url("/file")) { $0.spec.statusPolicy = policy }.end()
            #expect(end.failure?.code == code, "\(end)")
        }
    }

    @Test func `a server that puts everything but content into its chunks is given up`() throws {
        let extensions = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        server.script(
            "/file",
            FaultAnswer { exchange in
                try exchange.send(Self.ok + "Transfer-Encoding: chunked\r\n\r\n1;")
                for _ in 0..<512 { try exchange.send(extensions) }
                try exchange.send("\r\na\r\n0\r\n\r\n")
            }
        )
        let end = try harness.download(server.url("/file")).end()
        #expect(end.failure?.code == .serverMisbehaves, "\(end)")
        #expect(end.failure?.detail.contains("hardly any content") == true)
    }

    @Test func `chunks of a byte each, with extensions, make a file`() throws {
        let body = [UInt8]((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        var text: [UInt8] = []
        for byte in body { text += Array("1;e=12\r\n".utf8) + [byte, 13, 10] }
        let chunks = text + Array("0\r\n\r\n".utf8)
        server.script(
            "/file",
            FaultAnswer { exchange in
                try exchange.send(Self.ok + "Transfer-Encoding: chunked\r\n\r\n")
                try exchange.send(chunks)
                exchange.close()
            }
        )
        let run = try harness.download(server.url("/file"))
        #expect(try run.end().answer?.status == 200)
        #expect(try run.content() == body)
    }

    /// Those that concern an upload: contradictions within its answer.
    static let uploadLies =
        lies.filter { !$0.0.contains("Content-Range") && !$0.0.contains(" 20") }
        + [
            (ok + "Content-Length: 99999999999999999999\r\n\r\nabc", .serverMisbehaves),
            (ok + "Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde", .serverMisbehaves),
            (ok + "Content-Length: 9\r\n\r\nabc", .connectionLost),
            ("HTTP/1.1 200 OK\r\n", .connectionLost),
            (ok + "Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", .serverMisbehaves),
        ]

    @Test(arguments: uploadLies)
    func `an upload to a server that lies is no success`(answer: String, code: TransferFailure.Code) throws {
        server.script("/in", says(answer))
        let path = try harness.makeFile("source", bytes: 1000)
        let end = try harness.upload(path, to: server.url("/in")).end()
        #expect(end.failure?.code == code, "\(end)")
    }

    @Test func `an upload is not done before the last byte has gone`() throws {
        server.script("/in", .answersBeforeBody(200))
        let path = try harness.makeFile("source", bytes: 8 << 20)
        let end = try harness.upload(path, to: server.url("/in")).end()
        #expect(end.answer == nil, "\(end)")
    }

    @Test(arguments: ["3", "3, 3", "3\r\nContent-Length: 3"])
    func `a length that is stated twice is one`(length: String) throws {
        server.script("/file", says(Self.ok + "Content-Length: \(length)\r\n\r\nabc"))
        let end = try harness.download(server.url("/file")).end()
        #expect(end.answer?.status == 200)
        #expect(end.reached == 3)
    }

    @Test func `a trailer does not change the answer`() throws {
        let chunks = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nHTTP/1.1 201 Made: up\r\n\r\n"
        server.script("/file", says("HTTP/1.1 500 No\r\n" + chunks))
        let end = try harness.download(server.url("/file")).end()
        #expect(end.answer?.status ?? 500 == 500, "\(end)")
    }

    @Test func `a file for which there is no room is refused with the folder and both sizes`() throws {
        // More than fits on any disk.
        server.script("/huge", says(Self.ok + "Content-Length: \(Int64(1) << 58)\r\n\r\nabc"))
        let failure = try #require(try harness.download(server.url("/huge")).end().failure)
        #expect(failure.code == .diskFull)
        let folder = harness.directory.path
        #expect(failure.detail.hasPrefix("there is not enough space in \(folder): 256 PiB are needed, "), "\(failure)")
        #expect(failure.detail.contains(" are free"))
        #expect(!failure.detail.contains(".part"), "a name that nobody has chosen")
    }
}
