// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Requests for pieces of a file, and requests that end before their responses do.
struct PieceRequestTests {
    let harness: EngineHarness
    let server: FaultServer
    let file = FaultFile(random: 6_000_000, seed: 1)

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
        server.script("/file", .file(file))
    }

    private static let known = PartialDownload(
        validator: .strongETag("\"one\""),
        totalBytes: 6_000_000,
        bootID: "boot"
    )

    /// Requests a piece whose place in the file holds other bytes.
    private func fetch(
        _ piece: Range<Int64>,
        of url: String,
        _ known: PartialDownload = known,
        expecting length: Int64? = nil
    ) throws -> EngineRun {
        let old = [UInt8](repeating: 7, count: 6_000_000)
        return try harness.download(url, partial: (old[...], known)) {
            $0.offset = piece.lowerBound
            $0.pieceEnd = piece.upperBound
            $0.expectedBytes = length
        }
    }

    private func expectOnly(_ piece: Range<Int64>, of run: EngineRun) throws {
        let content = try run.content()
        #expect(content.count == 6_000_000)
        let piece = Int(piece.lowerBound)..<Int(piece.upperBound)
        var expected = [UInt8](repeating: 7, count: content.count)
        expected.replaceSubrange(piece, with: file.bytes[piece])
        // Comparing millions of bytes one by one takes a debug build seconds.
        #expect(memcmp(content, expected, content.count) == 0)
    }

    @Test func `a piece is asked for by its bounds, and nothing beside it is written`() throws {
        let run = try fetch(1_000_000..<3_000_000, of: server.url("/file"))
        let end = try run.end()
        #expect(end.answer?.status == 206 && end.reached == 3_000_000)
        #expect(server.requests[0].headers["Range"] == "bytes=1000000-2999999")
        #expect(server.requests[0].headers["If-Range"] == "\"one\"")
        #expect(run.events.count == 1, "it says nothing about the file: \(run.events)")
        #expect(run.progress.allSatisfy { $0.bytesTotal == nil })
        try expectOnly(1_000_000..<3_000_000, of: run)
    }

    @Test func `a real server sends pieces, each over a connection of its own`() throws {
        let nginx = try NginxServer(.init(rateLimit: 3_000_000))
        try TestFiles.write(file.bytes, to: nginx.path("file"))
        let first = try harness.download(nginx.url("file")) { $0.mayDivide = true }
        let total = try harness.wait("the file is divisible") { event -> Int64? in
            if case .divisible(first.request.key, let total, _) = event { total } else { nil }
        }
        let validator = try harness.wait("its validator") { event -> PartialDownload.Validator? in
            if case .receiving(first.request.key, let validator, _, _) = event { validator } else { nil }
        }
        let known = PartialDownload(validator: validator, totalBytes: total, bootID: "boot")
        harness.engine.setEnd(first.request.key, 2_000_000)
        let runs = try [2_000_000..<4_000_000, 4_000_000..<6_000_000].map {
            try fetch($0, of: nginx.url("file"), known)
        }
        #expect(try first.end().answer?.status == 200)
        #expect(try first.end().reached == 2_000_000)
        #expect(try first.content() == Array(file.bytes[..<2_000_000]))
        for (run, piece) in zip(runs, [2_000_000..<4_000_000, 4_000_000..<6_000_000]) {
            #expect(try run.end().answer?.status == 206)
            try expectOnly(Int64(piece.lowerBound)..<Int64(piece.upperBound), of: run)
        }
        let entries = try nginx.waitForEntries("/file", count: 3)
        #expect(Set(entries.map(\.connection)).count == 3)
    }

    static let refusals: [(String, FaultAnswer)] = {
        let file = FaultFile(random: 6_000_000, seed: 1)
        let body = Array(file.bytes[1_000_000..<3_000_000])
        var other = file
        other.etag = "\"two\""
        return [
            ("the whole file", .file(FaultFile(file.bytes, supportsRanges: false))),
            ("another file", .file(other)),
            ("an error page", .status(200, body: String(repeating: "sorry ", count: 400_000))),
            ("busy", .busy(503, retryAfter: "1")), ("too many", .busy(429, retryAfter: nil)),
            ("not there", .status(404)), ("no such range", .status(416)),
            ("no range in it", .partial(contentRange: nil, body: body)),
            ("another range", .partial(contentRange: "bytes 0-1999999/6000000", body: body)),
            ("a longer range", .partial(contentRange: "bytes 1000000-5999999/6000000", body: body)),
            ("a shorter range", .partial(contentRange: "bytes 1000000-1999999/6000000", body: body)),
            ("another length", .partial(contentRange: "bytes 1000000-2999999/6000001", body: body)),
            ("no length", .partial(contentRange: "bytes 1000000-2999999/*", body: body)),
            ("another tag", .partial(contentRange: "bytes 1000000-2999999/6000000", body: body, etag: "\"two\"")),
            ("a weak tag", .partial(contentRange: "bytes 1000000-2999999/6000000", body: body, etag: "W/\"one\"")),
            ("no tag", .partial(contentRange: "bytes 1000000-2999999/6000000", body: body, etag: nil)),
            (
                "a body of another length",
                .partial(contentRange: "bytes 1000000-2999999/6000000", body: Array(body.dropFirst()))
            ),
            ("garbage", .garbage), ("nothing", .closes),
        ]
    }()

    @Test(arguments: refusals.indices) func `never a byte of anything else is written`(index: Int) throws {
        let (what, answer) = Self.refusals[index]
        server.script("/file", answer)
        let run = try fetch(1_000_000..<3_000_000, of: server.url("/file"))
        let end = try run.end()
        #expect(end.answer?.status != 206, "\(what): \(end)")
        #expect(end.reached == 1_000_000, "\(what)")
        try expectOnly(1_000_000..<1_000_000, of: run)
    }

    @Test func `a piece from another server is asked for without a condition, and it is told that it comes`() throws {
        var known = Self.known
        known.adopt()
        let run = try fetch(1_000_000..<3_000_000, of: server.url("/file"), known, expecting: 6_000_000)
        #expect(try run.end().reached == 3_000_000)
        #expect(server.requests[0].headers["Range"] == "bytes=1000000-2999999")
        #expect(server.requests[0].headers["If-Range"] == nil)
        #expect(run.events.first == .answeredBeside(run.request.key, validator: .strongETag("\"one\"")))
        try expectOnly(1_000_000..<3_000_000, of: run)
        // From then on the file must have the tag.
        server.script("/file", .file(FaultFile(file.bytes, etag: "\"two\"")))
        let next = try fetch(3_000_000..<4_000_000, of: server.url("/file"), Self.known, expecting: 6_000_000)
        #expect(try next.end().result == .mustBeginAgain(serverIgnoresRanges: false))
    }

    @Test(arguments: [true, false]) func `another server whose file is not as long says so`(hasRanges: Bool) throws {
        var known = Self.known
        known.adopt()
        server.script("/file", .file(FaultFile(random: 5_900_000, seed: 2, supportsRanges: hasRanges)))
        let run = try fetch(1_000_000..<3_000_000, of: server.url("/file"), known, expecting: 6_000_000)
        let failure = try run.end().failure
        #expect(failure?.code == .checksumMismatch, "\(failure?.detail ?? "")")
        #expect(failure?.detail.hasSuffix("has a file of 5900000 bytes, but 6000000 were expected") == true)
        try expectOnly(1_000_000..<1_000_000, of: run)
    }

    @Test func `a piece that is cut off is as long as what came`() throws {
        server.script("/file", .cut(file, after: 500_000))
        let run = try fetch(1_000_000..<3_000_000, of: server.url("/file"))
        let failure = try run.end().failure
        #expect(failure?.code == .connectionLost)
        #expect(failure?.detail.contains("after 500000 of 2000000 bytes") == true, "\(failure?.detail ?? "")")
        #expect(try run.end().reached == 1_500_000)
        try expectOnly(1_000_000..<1_500_000, of: run)
    }

    @Test func `a request ends at the byte that it is told`() throws {
        let gate = FaultGate()
        server.script("/file", .file(file, holdingAfter: 2_000_000, until: gate))
        let run = try harness.download(server.url("/file"))
        try run.waitForProgress(beyond: 1_999_999)
        harness.engine.setEnd(run.request.key, 5_000_000)
        harness.engine.setEnd(run.request.key, 3_333_333)
        gate.open()
        let end = try run.end()
        #expect(end.answer?.status == 200 && end.reached == 3_333_333)
        #expect(end.answer?.headers["ETag"] == "\"one\"")
        #expect(try run.content() == Array(file.bytes[..<3_333_333]))
    }

    @Test(arguments: [33_554_432, 33_554_433, 40_000_000 as Int64])
    func `a request that is to end where it waits for others' turn ends`(end: Int64) throws {
        let gate = FaultGate()
        let long = FaultFile(random: 45_000_000, seed: 2)
        server.script("/long", .file(long, holdingAfter: 2_000_000, until: gate))
        let run = try harness.download(server.url("/long"))
        try run.waitForProgress(beyond: 1_999_999)
        harness.engine.setEnd(run.request.key, end)
        gate.open()
        #expect(try run.end().answer?.status == 200)
        #expect(try run.end().reached == end)
        #expect(try run.content() == Array(long.bytes[..<Int(end)]))
    }

    @Test func `a request with a limit ends while it waits`() throws {
        let run = try harness.download(server.url("/file")) { $0.rateLimit = 1_000_000 }
        try run.waitForProgress(beyond: 0)
        harness.engine.setEnd(run.request.key, 1_500_000)
        #expect(try run.end().reached == 1_500_000)
        #expect(try run.end().answer?.status == 200)
    }

    @Test func `one that has gone further is over at once`() throws {
        server.script("/file", .file(file, holdingAfter: 2_000_000, until: FaultGate()))
        let run = try harness.download(server.url("/file"))
        try run.waitForProgress(beyond: 1_999_999)
        harness.engine.setEnd(run.request.key, 1_000_000)
        #expect(try run.end().reached == 2_000_000)
        #expect(try run.end().answer?.status == 200)
    }

    @Test func `an end that is the response's own changes nothing`() throws {
        let gate = FaultGate()
        server.script("/file", .file(file, holdingAfter: 2_000_000, until: gate))
        let run = try fetch(1_000_000..<4_000_000, of: server.url("/file"))
        try run.waitForProgress(beyond: 2_000_000)
        harness.engine.setEnd(run.request.key, 4_000_000)
        gate.open()
        #expect(try run.end().reached == 4_000_000)
        // The connection is still usable.
        server.script("/file", .file(file))
        let next = try fetch(4_000_000..<5_000_000, of: server.url("/file"))
        #expect(try next.end().answer?.isConnectionReused == true)
    }

    @Test func `what the file has behind a request is not cut off`() throws {
        let old = file.bytes[..<1_000_000] + [UInt8](repeating: 7, count: 5_000_000)[...]
        server.script("/file", .file(file, holdingAfter: 1_000_000, until: FaultGate()))
        let run = try harness.download(server.url("/file"), partial: (old, Self.known)) {
            $0.offset = 1_000_000
            $0.heldBehind = 3_000_000
            $0.mayDivide = true
        }
        try run.waitForProgress(beyond: 1_999_999)
        guard case .divisible(run.request.key, 6_000_000, let answer)? = run.events.last else {
            throw TestError("it is not divisible: \(run.events)")
        }
        #expect(answer.status == 206 && answer.headers["ETag"] == "\"one\"" && answer.remoteAddress == "127.0.0.1")
        run.stop()
        try run.waitForRelease()
        #expect(try run.content() == Array(file.bytes[..<2_000_000]) + [UInt8](repeating: 7, count: 4_000_000))
    }

    @Test(arguments: [true, false]) func `a file is divisible only for who asks, and if its server says so`(asks: Bool)
        throws
    {
        var plain = FaultFile(file.bytes, supportsRanges: false)
        if !asks { plain = file }
        server.script("/file", .file(plain))
        let run = try harness.download(server.url("/file")) { $0.mayDivide = asks }
        #expect(try run.end().reached == 6_000_000)
        #expect(!run.events.contains { if case .divisible = $0 { true } else { false } })
    }
}
