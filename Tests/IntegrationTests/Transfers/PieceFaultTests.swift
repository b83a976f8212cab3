// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

@Suite(.serialized) struct `A download in pieces from a bad server` {
    private let daemon: DaemonFixture
    private let server: FaultServer
    private static let file = FaultFile(random: 6_000_000, seed: 21)
    private static let later = FaultFile(random: 6_000_000, seed: 22, etag: "\"two\"")

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
    }

    /// Answers the first request correctly and holds it until it is the only one left; `pieces` answers every piece.
    private func fetch(_ pieces: FaultAnswer) throws -> CommandResult {
        let gate = FaultGate()
        server.script(
            "/file",
            FaultAnswer {
                guard $0.request.rangeEnd != nil else {
                    return try FaultAnswer.file(Self.file, holdingAfter: 500_000, until: gate, rate: 6_000_000).run($0)
                }
                try pieces.run($0)
            }
        )
        let download = try daemon.start(["download", "--connections", "4", server.url("/file")])
        try eventually("three pieces are asked for") {
            server.requests("/file").filter { $0.rangeEnd != nil }.count >= 3 ? true : nil
        }
        // If the first request ended before a piece's end is noticed, the rest would need another attempt.
        try eventually("no piece is under way") { try daemon.detail(1).row.standing == nil ? true : nil }
        gate.open()
        return try download.result()
    }

    static let answers: [(String, FaultAnswer)] = [
        ("knows no ranges", .file(FaultFile(file.bytes, supportsRanges: false))),
        ("has another file now", .file(later)),
        (
            "sends pieces of another file as if they were this one's",
            FaultAnswer {
                var other = later
                other.etag = "\"one\""
                other.bytes.append(0)
                try FaultAnswer.file(other).run($0)
            }
        ),
        ("sends error pages", .status(200, body: String(repeating: "sorry ", count: 500_000))),
        (
            "says 206 and sends the beginning",
            .partial(contentRange: "bytes 0-1499999/6000000", body: Array(file.bytes[..<1_500_000]))
        ),
        ("says 206 and no range", .partial(contentRange: nil, body: file.bytes)),
        ("is busy", .busy(503, retryAfter: "60")), ("has had enough", .busy(429, retryAfter: nil)),
        ("forbids it", .status(403)), ("has lost it", .status(404)), ("has no such range", .status(416)),
        ("closes", .closes), ("resets", .resets), ("talks nonsense", .garbage),
        ("cuts each piece off", .cut(file, after: 300_000)),
        ("breaks each piece off", .cut(file, after: 300_000, reset: true)),
    ]

    @Test(arguments: answers.indices) func `that refuses pieces sends the file all the same`(index: Int) throws {
        let (what, answer) = Self.answers[index]
        let result = try fetch(answer)
        #expect(result.isSuccess, "one that \(what): \(result)")
        #expect(try TestFiles.read(daemon.path("file")) == Self.file.bytes, "one that \(what)")
        #expect(TestFiles.names(in: daemon.files) == ["file"])
        let attempts = try daemon.json("list").transfers[0].attempts.integer
        let shown = try daemon.run("show", "1").output
        #expect(attempts == 1, "one that \(what): \(shown)")
    }

    @Test func `that gives each connection little is asked over several, without a word of the owner`() throws {
        let file = FaultFile(random: 9_000_000, seed: 23)
        server.script("/slow", .file(file, rate: 600_000))
        let result = try daemon.run("download", server.url("/slow"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("slow")) == file.bytes)
        #expect(server.requests.contains { $0.rangeEnd != nil }, "\(server.requests.map(\.rangeEnd))")
        // One connection, if the owner asks for it.
        server.script("/one", .file(FaultFile(file.bytes), rate: 600_000))
        let single = try daemon.start(["download", "--connections", "1", server.url("/one")])
        defer { single.kill(9) }
        try eventually("five seconds of it are there") {
            let row = try daemon.json("list", "--limit", "1").transfers[0]
            let isIt = row.url.string?.hasSuffix("/one") == true
            return isIt && row.bytesDone.integer ?? 0 > 3_000_000 ? true : nil
        }
        #expect(server.requests("/one").map(\.rangeEnd) == [nil])
    }

    @Test func `whose file changes between pieces sends one of the two, whole`() throws {
        // The first request is over by the time the file changes: the bytes received so far are useless.
        server.script(
            "/file",
            FaultAnswer {
                let file = $0.turn <= 2 ? Self.file : Self.later
                try FaultAnswer.file(file, rate: $0.request.rangeEnd == nil ? 6_000_000 : 500_000).run($0)
            }
        )
        let result = try daemon.run("download", "--connections", "2", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == Self.later.bytes)
        let ends = server.requests.map(\.rangeEnd)
        #expect(ends.first == .some(nil) && ends.last == .some(nil), "the new file comes over one connection: \(ends)")
    }

    @Test(arguments: [true, false])
    func `that states a digest is believed only if the file has it`(isRight: Bool) throws {
        var file = Self.file
        let digest = try TestFiles.sha256(of: isRight ? file.bytes : Self.later.bytes)
        let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(digest.dropFirst($0).prefix(2), radix: 16) }
        file.headers = [HeaderField(name: "Repr-Digest", value: "sha-256=:\(Data(bytes).base64EncodedString()):")]
        server.script("/file", .file(file, rate: 6_000_000))
        let result = try daemon.run("download", "--connections", "3", server.url("/file"))
        #expect(server.requests.count >= 3)
        #expect(result.isSuccess == isRight, "\(result)")
        #expect(TestFiles.names(in: daemon.files) == (isRight ? ["file"] : []))
        if !isRight { #expect(result.errors.contains("SHA-256") && result.errors.contains(digest), "\(result)") }
    }

    @Test func `that is never of one mind is no endless loop`() throws {
        // Servers behind one name that give the same file different ETags.
        server.script(
            "/file",
            FaultAnswer {
                var file = Self.file
                file.etag = $0.turn % 3 == 0 ? "\"a\"" : "\"b\""
                try FaultAnswer.file(file, rate: 12_000_000).run($0)
            }
        )
        let result = try daemon.run("download", "--connections", "4", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == Self.file.bytes)
        #expect(server.requests.count < 40)
    }

    /// Whatever the server does, the file is the server's, byte for byte, or the transfer has failed with a sentence.
    @Test(arguments: 1...12) func `that does anything at all sends the file or nothing`(seed: UInt64) throws {
        let faults = Self.answers.map(\.1)
        let mood = Monitor(SeededGenerator(seed: seed))
        server.script(
            "/file",
            FaultAnswer {
                let (dice, cut) = mood.withLock { generator in
                    (Int.random(in: 0..<40, using: &generator), Int.random(in: 0..<3_000_000, using: &generator))
                }
                switch dice {
                case faults.indices where $0.request.rangeEnd != nil: try faults[dice].run($0)
                case 0..<6: try FaultAnswer.cut(Self.file, after: cut).run($0)
                default: try FaultAnswer.file(Self.file, rate: 8_000_000).run($0)
                }
            }
        )
        let options = ["--connections", "\(2 + seed % 7)", "--max-time", "40"]
        let result = try daemon.run(["download", server.url("/file")] + options, within: 60)
        guard result.isSuccess else {
            #expect(result.errors.contains("offstage: "), "\(result)")
            return #expect(!TestFiles.exists(daemon.path("file")))
        }
        #expect(try TestFiles.read(daemon.path("file")) == Self.file.bytes)
    }
}
