// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// `offstage upload --protocol resumable`, with a server that supports the IETF's protocol, and with one that does not.
@Suite struct ResumableCommandTests {
    private let daemon: DaemonFixture
    private let server: FaultServer
    private static let kept = 100_000
    private static let size = 3_000_000

    init() throws {
        daemon = try DaemonFixture()
        try daemon.settings(#"{"retryBaseDelay": 0.05, "retryMaximumDelay": 0.1}"#)
        server = try FaultServer()
    }

    /// An interim response with the place where the upload is resumed.
    private static let offersResumption =
        "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\nLocation: /u/1\r\n\r\n"

    private static func stands(_ offset: Int) -> FaultAnswer {
        .status(
            204,
            [
                HeaderField(name: "Upload-Offset", value: "\(offset)"),
                HeaderField(name: "Upload-Complete", value: "?0"),
            ]
        )
    }

    private static let complete = FaultAnswer.status(
        201,
        [HeaderField(name: "Upload-Complete", value: "?1")],
        body: "the target's own"
    )

    private func makeFile() throws -> [UInt8] {
        var generator = SeededGenerator(seed: 7)
        let bytes = generator.bytes(Self.size)
        try TestFiles.write(bytes, to: daemon.path("film.mov"))
        return bytes
    }

    /// Expects that all requests together carried the file, each byte once.
    private func expectWhole(_ bytes: [UInt8]) throws {
        let put = try #require(server.requests.first { $0.method == "PUT" })
        let patch = try #require(server.requests.last { $0.method == "PATCH" })
        #expect(patch.headers["Upload-Offset"] == "\(Self.kept)")
        #expect(patch.headers["Content-Type"] == "application/partial-upload")
        #expect(Array(put.body.prefix(Self.kept)) + patch.body == bytes)
    }

    @Test func `a connection that breaks is resumed in the middle`() throws {
        let bytes = try makeFile()
        server.script(
            "/in/film.mov",
            FaultAnswer {
                try $0.send(Self.offersResumption)
                try $0.readBody(stopAt: Self.kept)
                $0.reset()
            }
        )
        server.script("/u/1", Self.stands(Self.kept), Self.complete)
        let result = try daemon.run("upload", "--protocol", "resumable", "film.mov", server.url("/in/"))
        #expect(result.isSuccess, "\(result)")
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH"])
        try expectWhole(bytes)
        let row = try daemon.show(1)
        #expect(row.url.string == server.url("/in/film.mov") && row.status.integer == 201)
        #expect(try daemon.detail(1).row.bytesDone == Int64(Self.size))
        #expect(try daemon.run("show", "1").output.contains("the target's own"))
    }

    @Test func `a daemon that is killed has stored where the upload is resumed`() throws {
        let bytes = try makeFile()
        let gate = FaultGate()
        server.script(
            "/in/film.mov",
            FaultAnswer {
                try $0.send(Self.offersResumption)
                try $0.readBody(heldAt: [(Self.kept, gate)])
            }
        )
        server.script("/u/1", Self.stands(Self.kept), Self.complete)
        server.script("/other", .status(200))
        let id = try daemon.submit("upload", "--protocol", "resumable", "film.mov", server.url("/in/"))
        try eventually("the server's offer is heard of") {
            try daemon.show(id).standing.string == "can be resumed" ? true : nil
        }
        // Once this transfer is stored, everything before it is stored as well.
        _ = try daemon.submit("download", server.url("/other"))
        try daemon.killDaemon()
        #expect(try daemon.wait(id).isSuccess)
        gate.open()
        #expect(server.requests.filter { $0.path != "/other" }.map(\.method) == ["PUT", "HEAD", "PATCH"])
        try expectWhole(bytes)
    }

    @Test func `a server that does not know the protocol gets an ordinary upload`() throws {
        let nginx = try NginxServer()
        let bytes = try makeFile()
        let result = try daemon.run("upload", "--protocol", "resumable", "film.mov", nginx.url("in/"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(nginx.path("in/film.mov")) == bytes)
        #expect(try nginx.entries().map(\.method) == ["PUT"])
    }

    @Test func `a cancelled upload is cancelled at the server`() throws {
        _ = try makeFile()
        let gate = FaultGate()
        server.script(
            "/in/film.mov",
            FaultAnswer {
                try $0.send(Self.offersResumption)
                try $0.readBody(heldAt: [(Self.kept, gate)])
            }
        )
        server.script("/u/1", .status(204))
        let id = try daemon.submit("upload", "--protocol", "resumable", "film.mov", server.url("/in/"))
        try eventually("the server's offer is heard of") {
            try daemon.show(id).standing.string == "can be resumed" ? true : nil
        }
        #expect(try daemon.run("cancel", "\(id)").isSuccess)
        #expect(try server.waitForRequests("/u/1", count: 1).map(\.method) == ["DELETE"])
        gate.open()
    }
}
