// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct `A download goes on where it stopped, or begins again` {
    private let daemon: DaemonFixture
    private let server: FaultServer
    /// Large enough to be worth resuming: below a megabyte, a download simply starts over.
    private let file = FaultFile(random: 4_000_000, seed: 21)

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
    }

    /// Fetches `/file` and expects it whole, with these first bytes of the requested ranges.
    private func fetch(
        _ answers: [FaultAnswer],
        expecting content: FaultFile? = nil,
        ranges: [Int64?],
        options: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        server.script("/file", answers)
        let result = try daemon.run(["download", server.url("/file")] + options)
        #expect(result.isSuccess, "\(result)", sourceLocation: sourceLocation)
        let arrived = try TestFiles.read(daemon.path("file"))
        #expect(arrived == (content ?? file).bytes, sourceLocation: sourceLocation)
        #expect(server.requests.map(\.rangeStart) == ranges, sourceLocation: sourceLocation)
        #expect(TestFiles.names(in: daemon.files) == ["file"], sourceLocation: sourceLocation)
    }

    @Test(arguments: [true, false])
    func `a cut connection goes on with Range and If-Range`(reset: Bool) throws {
        // After a reset the kernel drops unread bytes, so the amount that arrived is uncertain.
        server.script("/file", .cut(file, after: 1_500_000, reset: reset), .file(file))
        let result = try daemon.run("download", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == file.bytes)
        #expect(server.requests.count == 2)
        if !reset { #expect(server.requests[1].rangeStart == 1_500_000) }
        if server.requests[1].rangeStart != nil { #expect(server.requests[1].headers["If-Range"] == "\"one\"") }
    }

    @Test func `many cuts in a row lose nothing`() throws {
        try fetch(
            [.cut(file, after: 1_000_000), .cut(file, after: 1_000_000), .cut(file, after: 1_000_000), .file(file)],
            ranges: [nil, 1_000_000, 2_000_000, 3_000_000]
        )
    }

    @Test func `a date serves where there is no tag`() throws {
        var dated = file
        dated.etag = nil
        dated.lastModified = "Thu, 01 Jan 2026 00:00:00 GMT"
        try fetch([.cut(dated, after: 1_000_000), .file(dated)], ranges: [nil, 1_000_000])
        #expect(server.requests[1].headers["If-Range"] == "Thu, 01 Jan 2026 00:00:00 GMT")
    }

    @Test func `a whole file whose length nobody has stated is not fetched again`() throws {
        let file = file
        let fields = [
            HeaderField(name: "ETag", value: "\"one\""), HeaderField(name: "Transfer-Encoding", value: "chunked"),
        ]
        server.script(
            "/file",
            // The whole body arrives, but not the last chunk.
            FaultAnswer {
                try $0.sendHead(200, fields)
                try $0.send(String(file.bytes.count, radix: 16) + "\r\n")
                try $0.sendBody(file.bytes[...])
                $0.close()
            },
            FaultAnswer {
                guard let start = $0.request.rangeStart, start >= file.bytes.count else {
                    return try FaultAnswer.file(file).run($0)
                }
                // Like many servers, it does not state its file's length.
                try $0.respond(416)
            }
        )
        let result = try daemon.run("download", "--connections", "1", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == file.bytes)
        #expect(server.requests.map(\.rangeStart) == [nil, Int64(file.bytes.count) - 1])
    }

    @Test func `a folder that is away for a while costs nothing of what is kept`() throws {
        let gate = FaultGate()
        server.script("/file", .file(file, holdingAfter: 1_500_000, until: gate), .file(file))
        try TestFiles.makeDirectory(daemon.path("in"))
        let id = try daemon.submit("download", "-o", daemon.path("in/file"), server.url("/file"))
        try daemon.watchBytes(id, atLeast: 1_500_000)
        #expect(try daemon.run("pause", "\(id)").isSuccess)
        gate.open()
        try #require(rename(daemon.path("in"), daemon.path("away")) == 0)
        #expect(try daemon.run("resume", "\(id)").isSuccess)
        let failed = try daemon.wait(id)
        #expect(!failed.isSuccess && failed.errors.contains("does not exist"), "\(failed)")
        try #require(rename(daemon.path("away"), daemon.path("in")) == 0)
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
        #expect(try TestFiles.read(daemon.path("in/file")) == file.bytes)
        #expect(server.requests.map(\.rangeStart) == [nil, 1_500_000])
    }

    @Test(arguments: [nil, "W/\"weak\""])
    func `without a strong validator it begins again`(etag: String?) throws {
        var weak = file
        weak.etag = etag
        try fetch([.cut(weak, after: 1_000_000), .file(weak)], ranges: [nil, nil])
    }

    @Test func `a server without ranges sends the whole again`() throws {
        var plain = file
        plain.supportsRanges = false
        server.script("/file", .cut(plain, after: 1_000_000), .file(plain), .file(plain))
        let result = try daemon.run("download", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == plain.bytes)
        #expect(server.requests.count <= 3)
    }

    @Test func `a file that has changed at the server begins again`() throws {
        let second = FaultFile(random: 3_900_000, seed: 22, etag: "\"two\"")
        server.script("/file", .cut(file, after: 1_000_000), .file(second))
        let result = try daemon.run("download", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == second.bytes)
        #expect(server.requests[1].rangeStart == 1_000_000)
    }

    @Test func `a 206 of another file is never joined to the first`() throws {
        let second = FaultFile(random: 4_000_000, seed: 23, etag: "\"two\"")
        // Ignores If-Range and sends the end of another file as if it were the same.
        let liar = FaultAnswer { exchange in
            guard let start = exchange.request.rangeStart.map({ Int($0) }) else {
                return try exchange.respond(200, second.validators, body: second.bytes)
            }
            let range = HeaderField(
                name: "Content-Range",
                value: "bytes \(start)-\(second.bytes.count - 1)/\(second.bytes.count)"
            )
            try exchange.respond(206, second.validators + [range], body: Array(second.bytes[start...]))
        }
        server.script("/file", .cut(file, after: 1_000_000), liar)
        let result = try daemon.run("download", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == second.bytes)
    }

    @Test func `416 begins again`() throws {
        let shorter = FaultFile(random: 900_000, seed: 24, etag: "\"two\"")
        server.script("/file", .cut(file, after: 1_000_000), .rangeNotSatisfiable(shorter))
        let result = try daemon.run("download", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == shorter.bytes)
    }

    @Test func `206 at a wrong place is refused and what was there stays right`() throws {
        server.script(
            "/file",
            .cut(file, after: 1_000_000),
            .partial(contentRange: "bytes 500000-3999999/4000000", body: Array(file.bytes[500_000...])),
            .file(file)
        )
        let result = try daemon.run("download", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == file.bytes)
    }

    @Test func `a short body is no success`() throws {
        var nameless = file
        nameless.etag = nil
        server.script("/file", .liesAboutLength(nameless, stated: 4_000_010), .file(nameless))
        let result = try daemon.run("download", server.url("/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("file")) == file.bytes)
        #expect(server.requests.count == 2)
    }

    @Test func `a body longer than stated is cut at what was stated`() throws {
        server.script("/file", .liesAboutLength(file, stated: 1000))
        let result = try daemon.run("download", server.url("/file"))
        // The stated length of an HTTP/1.1 message is all that a client can rely on.
        #expect(result.isSuccess, "\(result)")
        #expect(TestFiles.size(daemon.path("file")) == 1000)
    }

    @Test func `a body without length is whole at its end`() throws {
        try fetch([.untilClose(file)], ranges: [nil])
    }

    @Test func `an encoded body is kept as it is and resumed as such`() throws {
        var encoded = file
        encoded.headers = [HeaderField(name: "Content-Encoding", value: "gzip")]
        try fetch([.cut(encoded, after: 1_000_000), .file(encoded)], expecting: encoded, ranges: [nil, 1_000_000])
        #expect(server.requests.allSatisfy { ($0.headers["Accept-Encoding"] ?? "identity") == "identity" })
    }

    @Test func `the right checksum keeps the file and a wrong one does not`() throws {
        let sum = try TestFiles.sha256(of: file.bytes)
        try fetch(
            [.cut(file, after: 1_000_000), .file(file)],
            ranges: [nil, 1_000_000],
            options: ["--checksum", "sha256:\(sum)"]
        )
        server.script("/other", .file(FaultFile(random: 1000, seed: 1)))
        let wrong = try daemon.run("download", server.url("/other"), "--checksum", "sha256:\(sum)")
        expectSentence(wrong, code: 1, "sha-256")
        try eventually("the partial file is gone") { TestFiles.names(in: daemon.files) == ["file"] ? true : nil }
    }

    @Test func `the partial file of a cancelled transfer is gone, that of a paused one is kept`() throws {
        server.script(
            "/file",
            .stallsInBody(file, after: 1_000_000),
            .stallsInBody(file, after: 1_000_000),
            .file(file)
        )
        let id = try daemon.submit("download", server.url("/file"))
        try daemon.watchBytes(id, atLeast: 1_000_000)
        #expect(try daemon.run("pause", "\(id)").isSuccess)
        let partial = try #require(try daemon.detail(id).partialPath)
        #expect(TestFiles.size(partial) == 1_000_000)
        #expect(try daemon.run("resume", "\(id)").isSuccess)
        try daemon.watchBytes(id, atLeast: 2_000_000)
        #expect(server.requests[1].rangeStart == 1_000_000)
        #expect(try daemon.run("cancel", "\(id)").isSuccess)
        try eventually("the partial file is gone") { TestFiles.names(in: daemon.files).isEmpty ? true : nil }
    }
}
