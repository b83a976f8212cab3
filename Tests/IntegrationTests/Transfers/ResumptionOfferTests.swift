// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// `offstage upload` by default: the file in one request, which the server may offer to resume.
@Suite struct ResumptionOfferTests {
    private let daemon: DaemonFixture
    private let server: FaultServer
    private static let kept = 100_000
    private static let size = 3_000_000

    init() throws {
        daemon = try DaemonFixture()
        try daemon.settings(#"{"retryBaseDelay": 0.05, "retryMaximumDelay": 0.1}"#)
        server = try FaultServer()
    }

    private static let offer =
        "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\nLocation: /u/1\r\n\r\n"

    /// Reads a part of the file, and breaks the connection.
    private static let breaks = FaultAnswer {
        try $0.send(Self.offer)
        try $0.readBody(stopAt: Self.kept)
        $0.reset()
    }

    private static let stands = FaultAnswer.status(
        204,
        [HeaderField(name: "Upload-Offset", value: "\(kept)"), HeaderField(name: "Upload-Complete", value: "?0")]
    )
    private static let complete = FaultAnswer.status(201, [HeaderField(name: "Upload-Complete", value: "?1")])

    private func makeFile(_ name: String = "film.mov", bytes: Int = size) throws -> [UInt8] {
        var generator = SeededGenerator(seed: 7)
        let bytes = generator.bytes(bytes)
        try TestFiles.write(bytes, to: daemon.path(name))
        return bytes
    }

    @Test func `a break is resumed where the server says`() throws {
        let bytes = try makeFile()
        server.script("/in/film.mov", Self.breaks)
        server.script("/u/1", Self.stands, Self.complete)
        let result = try daemon.run("upload", "-H", "X-Test: one", "film.mov", server.url("/in/"))
        #expect(result.isSuccess, "\(result)")
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH"])
        let append = try #require(server.requests.last)
        #expect(append.headers["X-Test"] == "one" && append.body == Array(bytes.dropFirst(Self.kept)))
        let history = try daemon.detail(1).history
        #expect(history.count == 2 && history.last?.toByte == Int64(Self.size))
    }

    @Test func `a killed daemon goes on where the server says`() throws {
        let bytes = try makeFile()
        let gate = FaultGate()
        server.script(
            "/in/film.mov",
            FaultAnswer {
                try $0.send(Self.offer)
                try $0.readBody(heldAt: [(Self.kept, gate)])
            }
        )
        server.script("/u/1", Self.stands, Self.complete)
        server.script("/other", .status(200))
        let id = try daemon.submit("upload", "film.mov", server.url("/in/"))
        try eventually("the server's offer is heard of") {
            try daemon.show(id).standing.string == "can be resumed" ? true : nil
        }
        // Once this transfer is stored, everything before it is stored as well.
        _ = try daemon.submit("download", server.url("/other"))
        try daemon.killDaemon()
        #expect(try daemon.wait(id).isSuccess)
        gate.open()
        #expect(server.requests.filter { $0.path != "/other" }.map(\.method) == ["PUT", "HEAD", "PATCH"])
        #expect(server.requests.last { $0.method == "PATCH" }?.body == Array(bytes.dropFirst(Self.kept)))
    }

    @Test func `a small file, --protocol plain and a header of another protocol make no offer`() throws {
        _ = try makeFile("small", bytes: 1000)
        _ = try makeFile()
        server.script("/a", .status(200))
        for words in [
            ["small"], ["--protocol", "plain", "film.mov"], ["-H", "Upload-Offset: 0", "film.mov"],
            ["-H", "Content-Range: bytes 0-2999999/3000000", "film.mov"],
        ] {
            #expect(try daemon.run(["upload"] + words + [server.url("/a")]).isSuccess)
        }
        #expect(server.requests.count == 4)
        #expect(server.requests.allSatisfy { $0.headers["Upload-Draft-Interop-Version"] == nil })
    }

    @Test func `a server that refuses the offer is asked once, and not again for the next file`() throws {
        let bytes = try makeFile()
        server.script("/a", .status(400), .status(201), .status(201))
        for _ in 0..<2 { #expect(try daemon.run("upload", "film.mov", server.url("/a")).isSuccess) }
        let offers = server.requests.map { $0.headers["Upload-Complete"] ?? "none" }
        #expect(offers == ["?1", "none", "none"])
        #expect(server.requests.dropFirst().allSatisfy { $0.body == bytes })
        #expect(try daemon.detail(1).row.attempts == 1)
    }

    @Test func `a server that cannot resume what it offered gets the whole file`() throws {
        let bytes = try makeFile()
        server.script("/in/film.mov", Self.breaks, .status(201))
        server.script("/u/1", .status(405))
        #expect(try daemon.run("upload", "film.mov", server.url("/in/")).isSuccess)
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PUT"])
        let last = try #require(server.requests.last)
        #expect(last.body == bytes && last.headers["Upload-Complete"] == nil)
    }

    @Test func `nginx takes the file in one request, into a folder that it lacks as well`() throws {
        let nginx = try NginxServer()
        let bytes = try makeFile()
        #expect(try daemon.run("upload", "film.mov", nginx.url("in/")).isSuccess)
        #expect(try TestFiles.read(nginx.path("in/film.mov")) == bytes)
        #expect(try nginx.entries().map(\.method) == ["PUT"])
    }

    @Test func `a redirect is followed, and nothing that it leads to is resumed`() throws {
        let bytes = try makeFile()
        server.script("/a", .status(307, [HeaderField(name: "Location", value: "/b")]))
        server.script("/b", Self.breaks, .status(201))
        server.script("/a", .status(307, [HeaderField(name: "Location", value: "/b")]))
        #expect(try daemon.run("upload", "film.mov", server.url("/a")).isSuccess)
        #expect(server.requests.map(\.path) == ["/a", "/b", "/a", "/b"] && server.requests.last?.body == bytes)
    }

    @Test func `a secret stays with the owner's server`() throws {
        _ = try makeFile()
        let other = try FaultServer()
        let offer = Self.offer.replacing("/u/1", with: other.url("/u/1"))
        server.script(
            "/in/film.mov",
            FaultAnswer {
                try $0.send(offer)
                try $0.readBody(stopAt: Self.kept)
                $0.reset()
            }
        )
        other.script("/u/1", Self.stands, Self.complete)
        let result = try daemon.run(
            "upload",
            "-u",
            "me:hunter2",
            "-H",
            "X-Token: hunter3",
            "film.mov",
            server.url("/in/")
        )
        #expect(result.isSuccess, "\(result)")
        #expect(other.requests.map(\.method) == ["HEAD", "PATCH"])
        for request in other.requests {
            #expect(request.headers["Authorization"] == nil && request.headers["X-Token"] == nil)
        }
    }

    @Test func `a cancelled upload is cancelled at the server`() throws {
        _ = try makeFile()
        let gate = FaultGate()
        server.script(
            "/in/film.mov",
            FaultAnswer {
                try $0.send(Self.offer)
                try $0.readBody(heldAt: [(Self.kept, gate)])
            }
        )
        server.script("/u/1", .status(204))
        let id = try daemon.submit("upload", "film.mov", server.url("/in/"))
        try eventually("the server's offer is heard of") {
            try daemon.show(id).standing.string == "can be resumed" ? true : nil
        }
        #expect(try daemon.run("cancel", "\(id)").isSuccess)
        #expect(try server.waitForRequests("/u/1", count: 1).map(\.method) == ["DELETE"])
        gate.open()
    }
}
