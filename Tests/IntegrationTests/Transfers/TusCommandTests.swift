// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

/// `offstage upload --protocol tus`: the command's output, and its requests to the server. `scripts/resume` tests
/// third-party servers.
@Suite struct TusCommandTests {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
    }

    private static let options = FaultAnswer.status(
        204,
        [
            HeaderField(name: "Tus-Version", value: "1.0.0"),
            HeaderField(name: "Tus-Extension", value: "creation,termination"),
        ]
    )

    private static func created(_ path: String) -> FaultAnswer {
        .status(201, [HeaderField(name: "Location", value: path)])
    }

    private static func stored(_ count: Int) -> FaultAnswer {
        .status(204, [HeaderField(name: "Upload-Offset", value: "\(count)")])
    }

    /// The metadata of a creation, decoded.
    private static func metadata(_ request: RecordedRequest) -> [String: String] {
        var entries: [String: String] = [:]
        for entry in (request.headers["Upload-Metadata"] ?? "").split(separator: ",") {
            let words = entry.split(separator: " ")
            let value = words.count > 1 ? Data(base64Encoded: String(words[1])) : Data()
            entries[String(words[0])] = String(decoding: value ?? Data(), as: UTF8.self)
        }
        return entries
    }

    @Test func `a file goes to the upload that the server creates, and its place is told`() throws {
        server.script("/files", Self.options, Self.created("files/1?sig=secret"))
        server.script("/files/1", Self.stored(7))
        try TestFiles.write("content", to: daemon.path("film.pdf"))
        let result = try daemon.run(
            ["upload", "--protocol", "tus", "--metadata", "album=Busan 부산", "-u", "me:hunter2-pass"]
                + ["film.pdf", server.url("/files")]
        )
        #expect(result.isSuccess, "\(result)")
        #expect(result.output.contains("→ \(server.url("/files/1"))"), "\(result.output)")
        let requests = server.requests
        #expect(requests.map(\.method) == ["OPTIONS", "POST", "PATCH"])
        #expect(requests.allSatisfy { $0.headers["Authorization"] == "Basic bWU6aHVudGVyMi1wYXNz" })
        #expect(
            Self.metadata(requests[1]) == ["album": "Busan 부산", "filename": "film.pdf", "filetype": "application/pdf"]
        )
        #expect(requests[2].headers["Upload-Offset"] == "0")
        let row = try daemon.show(1)
        #expect(row.url.string == server.url("/files/1"))
        let shown = try daemon.run("show", "1").output
        #expect(!shown.contains("secret") && !shown.contains("hunter2") && !daemon.log.contains("secret"))
    }

    @Test func `a directory goes to one endpoint, each file with its path`() throws {
        server.script("/files/", Self.options, Self.created("/u/1"), Self.options, Self.created("/u/2"))
        for upload in ["/u/1", "/u/2"] { server.script(upload, Self.stored(3)) }
        try daemon.settings(#"{"maximumRunning": 1}"#)
        try TestFiles.makeDirectory(daemon.path("d"))
        try TestFiles.makeDirectory(daemon.path("d/sub"))
        try TestFiles.write("abc", to: daemon.path("d/a"))
        try TestFiles.write("def", to: daemon.path("d/sub/b"))
        let result = try daemon.run("upload", "--protocol", "tus", "d", server.url("/files/"))
        #expect(result.isSuccess, "\(result)")
        let creations = server.requests.filter { $0.method == "POST" }.map(Self.metadata)
        #expect(creations.map { $0["filename"] } == ["a", "b"])
        #expect(creations.map { $0["relativePath"] } == ["a", "sub/b"])
    }

    @Test func `a cancelled upload is deleted at the server`() throws {
        let gate = FaultGate()
        server.script("/files", Self.options, Self.created("/u/1"))
        server.script("/u/1", .held(gate, then: Self.stored(7)), .status(204))
        try TestFiles.write("content", to: daemon.path("file"))
        let id = try daemon.submit("upload", "--protocol", "tus", "file", server.url("/files"))
        try server.waitForRequests("/u/1", count: 1)
        #expect(try daemon.run("cancel", "\(id)").isSuccess)
        let requests = try server.waitForRequests("/u/1", count: 2)
        gate.open()
        #expect(requests.map(\.method) == ["PATCH", "DELETE"])
        #expect(requests[1].headers["Tus-Resumable"] == "1.0.0")
        #expect(try daemon.show(id).result.string == "cancelled")
    }

    @Test func `a URL that is no endpoint is said in one sentence`() throws {
        server.script("/page", .status(404), .status(404, body: "no such page"))
        try TestFiles.write("content", to: daemon.path("file"))
        let result = try daemon.run("upload", "--protocol", "tus", "file", server.url("/page"))
        #expect(result.code == 22, "\(result)")
        #expect((result.output + result.errors).contains("\(server.url("/page")) is not a tus endpoint"), "\(result)")
    }

    @Test func `what another protocol decides itself is refused`() throws {
        try TestFiles.write("content", to: daemon.path("file"))
        let url = server.url("/files")
        for (arguments, words) in [
            (["--protocol", "pigeon", "file", url], "plain or resumable or tus"),
            (["--metadata", "a=b", "file", url], "add --protocol tus"),
            (["--chunk-size", "8M", "file", url], "add --protocol tus"),
            (["--protocol", "tus", "--chunk-size", "1k", "file", url], "at least 64k"),
            (["--protocol", "tus", "--metadata", "=b", "file", url], "NAME=VALUE"),
            (["--protocol", "tus", "--metadata", "a b=c", "file", url], "not a name for metadata"),
            (["--protocol", "tus", "-X", "PUT", "file", url], "-X cannot be used with --protocol tus"),
            (["--protocol", "tus", "--skip-existing", "file", url], "--skip-existing cannot be used"),
            (["--protocol", "tus", "-F", "a=b", url], "-F cannot be used"),
            (["--protocol", "tus", "file", "dropbox:/a"], "--protocol cannot be used with dropbox:/a"),
        ] {
            let result = try daemon.run(["upload"] + arguments)
            #expect(result.code == 2 && result.errors.contains(words), "\(arguments): \(result)")
        }
        #expect(server.requests.isEmpty)
    }
}
