// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// Downloads in pieces to which several servers contribute at once.
@Suite(.serialized) struct `A download in pieces from several servers` {
    private let daemon: DaemonFixture
    private let first: FaultServer
    private let second: FaultServer
    private static let file = FaultFile(random: 16_000_000, seed: 41)
    /// The same file at a server with its own ETag.
    private static let same = FaultFile(file.bytes, etag: "\"two\"")
    private static let other = FaultFile(random: 16_000_000, seed: 42, etag: "\"other\"")

    init() throws {
        daemon = try DaemonFixture()
        (first, second) = (try FaultServer(), try FaultServer())
        first.script("/file", .file(Self.file, rate: 2_000_000))
    }

    private func words(_ options: [String]) throws -> [String] {
        let sum = try TestFiles.sha256(of: Self.file.bytes)
        let known = ["download", "--connections", "4", "--checksum", "sha256:\(sum)"]
        return known + ["--mirror", second.url("/two"), first.url("/file")] + options
    }

    /// Fetches the file, and expects it to be complete after so many attempts.
    private func expectFile(
        _ options: String...,
        attempts: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try daemon.run(try words(options), within: 60)
        #expect(result.isSuccess, "\(result)", sourceLocation: sourceLocation)
        #expect(try TestFiles.read(daemon.path("file")) == Self.file.bytes, sourceLocation: sourceLocation)
        #expect(TestFiles.names(in: daemon.files) == ["file"], sourceLocation: sourceLocation)
        #expect(try daemon.json("list").transfers[0].attempts.integer == attempts, sourceLocation: sourceLocation)
    }

    private func submit() throws -> Int {
        let result = try daemon.run(try words(["--detach"]))
        return try #require(result.lines.last.flatMap { Int($0) }, "\(result)")
    }

    private func trouble() throws -> (words: String, isForGood: Bool) {
        let address = try daemon.show(1).addresses[1]
        return (address.trouble.string ?? "", address.isLeftForGood.bool == true)
    }

    @Test func `comes from both, and each is asked with its own tag`() throws {
        first.script("/file", .file(Self.file, rate: 1_000_000))
        second.script("/two", .file(Self.same, rate: 5_000_000))
        try expectFile("-H", "Authorization: Bearer s3cr3t", "-u", "ann:s3cr3t")
        let asked = second.requests
        #expect(asked.count >= 2 && asked.allSatisfy { $0.rangeStart ?? 0 > 0 && $0.rangeEnd != nil })
        #expect(asked[0].headers["If-Range"] == nil, "its tag is not known yet")
        #expect(asked.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"two\"" })
        #expect(!asked.contains { $0.headers.contains { $0.value.contains("s3cr3t") || $0.value.hasPrefix("Basic") } })
        #expect(first.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"one\"" })
        #expect(try trouble().words == "")
    }

    @Test func `people are told which addresses deliver`() throws {
        second.script("/two", .file(Self.same, rate: 2_000_000))
        let id = try submit()
        try daemon.watchBytes(id, atLeast: 2_000_000)
        let why = try daemon.run("why", "\(id)").output
        #expect(why.contains("from the addresses 1 and 2"), "\(why)")
        #expect(try daemon.wait(id).isSuccess)
    }

    @Test func `without a checksum comes from one`() throws {
        second.script("/two", .file(Self.same))
        let result = try daemon.run(
            "download",
            "--connections",
            "4",
            "--mirror",
            second.url("/two"),
            first.url("/file")
        )
        #expect(result.isSuccess, "\(result)")
        #expect(second.requests.isEmpty)
    }

    static let faults: [(String, FaultAnswer, isForGood: Bool)] = [
        ("404 Not Found", .status(404), true), ("403 Forbidden", .status(403), true),
        ("503", .busy(503, retryAfter: "60"), false), ("", .cut(same, after: 300_000), false),
        ("", .cut(same, after: 300_000, reset: true), false), ("", .closes, false), ("", .resets, false),
        ("", .garbage, true), ("sends no parts", .file(FaultFile(same.bytes, supportsRanges: false)), false),
        (
            "15900000 bytes, but 16000000 were expected",
            .file(FaultFile(random: 15_900_000, seed: 43, etag: "\"short\"")), false
        ),
        ("", .partial(contentRange: "bytes 0-1499999/16000000", body: Array(same.bytes[..<1_500_000])), false),
        ("", .status(416), false),
    ]

    @Test(arguments: faults.indices) func `leaves one that does not deliver, at no cost`(index: Int) throws {
        let (words, answer, isForGood) = Self.faults[index]
        second.script("/two", answer)
        try expectFile()
        let trouble = try trouble()
        #expect(!trouble.words.isEmpty && trouble.isForGood == isForGood, "\(trouble)")
        #expect(words.isEmpty || trouble.words.contains(words), "\(trouble)")
    }

    @Test func `leaves one whose file changes on the way`() throws {
        first.script("/file", .file(Self.file, rate: 1_000_000))
        second.script("/two", .file(Self.same, rate: 5_000_000), .file(Self.other, rate: 5_000_000))
        try expectFile()
        #expect(second.requests.count >= 2)
        #expect(try trouble().words.contains("has changed"))
    }

    @Test func `goes on without the first if that breaks off`() throws {
        let breaks = FaultAnswer {
            let (status, headers, range) = Self.file.answer(to: $0.request)
            try $0.sendHead(status, headers)
            // Slowly, so that the other pieces have begun.
            try $0.sendBody(Self.file.bytes[range].prefix(2_000_000), rate: 2_000_000)
            $0.close()
        }
        first.script("/file", breaks, .closes)
        second.script("/two", .file(Self.same, rate: 4_000_000))
        try expectFile()
    }

    @Test func `does not keep a file of both that turns out wrong, and fetches it from one`() throws {
        second.script("/two", .file(Self.other, rate: 2_000_000))
        try expectFile(attempts: 2)
        #expect(first.requests.filter { $0.rangeStart == nil }.count == 2)
        #expect(try trouble().words == "", "nobody knows which of them was wrong")
        #expect(!second.requests.isEmpty)
    }

    @Test func `one of which does not answer is not waited for`() throws {
        second.script("/two", .stalls)
        try expectFile("--max-time", "30")
    }

    @Test func `one of which sends its last bytes one by one is not waited for`() throws {
        let trickles = FaultAnswer {
            let (status, headers, range) = Self.same.answer(to: $0.request)
            try $0.sendHead(status, headers)
            let body = Self.same.bytes[range]
            try $0.sendBody(body.dropLast(100_000), rate: 8_000_000)
            try $0.sendBody(body.suffix(100_000), rate: 20)
        }
        second.script("/two", trickles)
        try expectFile("--max-time", "40")
        #expect(try trouble().words == "", "it has done nothing wrong")
    }

    @Test func `is the same after the daemon was killed`() throws {
        second.script("/two", .file(Self.same, rate: 1_000_000))
        first.script("/file", .file(Self.file, rate: 1_000_000))
        let id = try submit()
        try daemon.watchBytes(id, atLeast: 8_000_000)
        try daemon.killDaemon()
        let asked = (first.requests.count, second.requests.count)
        try daemon.startOnDemand()
        #expect(try daemon.wait(id).isSuccess)
        #expect(try TestFiles.read(daemon.path("file")) == Self.file.bytes)
        let next = first.requests[asked.0]
        #expect(next.rangeStart ?? 0 > 0 && next.headers["If-Range"] == "\"one\"", "\(next)")
        #expect(second.requests.count > asked.1)
    }

    /// Whatever the servers do, the file is correct, byte for byte, or the transfer has failed with a sentence.
    @Test(arguments: 1...8) func `that do anything at all send the file or nothing`(seed: UInt64) throws {
        let faults = Self.faults.map(\.1) + [.file(Self.other)]
        let mood = Monitor(SeededGenerator(seed: seed))
        for (server, path, file) in [(first, "/file", Self.file), (second, "/two", Self.same)] {
            server.script(
                path,
                FaultAnswer {
                    let (dice, cut) = mood.withLock { generator in
                        (Int.random(in: 0..<60, using: &generator), Int.random(in: 0..<4_000_000, using: &generator))
                    }
                    switch dice {
                    case faults.indices where $0.request.rangeEnd != nil: try faults[dice].run($0)
                    case 20..<30: try FaultAnswer.cut(file, after: cut).run($0)
                    default: try FaultAnswer.file(file, rate: 8_000_000).run($0)
                    }
                }
            )
        }
        let result = try daemon.run(try words(["--max-time", "40"]), within: 60)
        guard result.isSuccess else {
            #expect(result.errors.contains("offstage: "), "\(result)")
            return #expect(!TestFiles.exists(daemon.path("file")))
        }
        #expect(try TestFiles.read(daemon.path("file")) == Self.file.bytes)
    }
}
