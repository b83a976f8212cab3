// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// `offstage doctor --open-uploads`, with a server whose answers are scripted. `scripts/resume` tests a third-party
/// server.
@Suite struct OpenUploadsTests {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        server.script("/", .status(200, body: "<ListAllMyBucketsResult/>"))
        let added = try daemon.run(
            ["account", "add", "s3", "--endpoint-url", server.url("")],
            input: "AKIAIOSFODNN7EXAMPLE\nhunter2-secret\n"
        )
        guard added.isSuccess else { throw TestError("offstage account add: \(added)") }
    }

    private func ask(_ more: String...) throws -> CommandResult {
        try daemon.run(["doctor", "--open-uploads", "s3://films/2026/"] + more)
    }

    private static func page(_ uploads: [(String, String)], next: (String, String)? = nil) -> FaultAnswer {
        let rows = uploads.map {
            "<Upload><Key>\($0.0)</Key><UploadId>\($0.1)</UploadId><Initiated>2026-11-01T10:00:00.000Z</Initiated></Upload>"
        }
        let more =
            next.map {
                "<IsTruncated>true</IsTruncated><NextKeyMarker>\($0.0)</NextKeyMarker><NextUploadIdMarker>\($0.1)</NextUploadIdMarker>"
            } ?? ""
        return .status(
            200,
            body: "<ListMultipartUploadsResult>\(rows.joined())\(more)</ListMultipartUploadsResult>"
        )
    }

    @Test func `all pages are asked for, and each upload is listed`() throws {
        server.script(
            "/films/",
            Self.page([("2026/a", "first-upload-id")], next: ("2026/a", "first-upload-id")),
            Self.page([("2026/b", "second-upload-id"), ("2026/c", "x")])
        )
        let result = try ask()
        #expect(result.isSuccess, "\(result)")
        let rows = result.lines.map { $0.split(separator: " ").map(String.init) }
        #expect(rows[0].first == "KEY" && rows[1].first == "2026/a" && rows[1].contains("first-upload…"), "\(result)")
        #expect(result.output.contains("3 open uploads, 3 not used by a transfer here."), "\(result)")
        let targets = server.requests("/films/").map(\.target)
        #expect(targets.count == 2 && targets[0].contains("prefix=2026%2F&uploads="))
        #expect(targets[1].contains("key-marker=2026%2Fa&") && targets[1].contains("upload-id-marker=first-upload-id"))
        server.script("/films/", Self.page([("2026/a", "first-upload-id")]))
        let json = try JSONValue(parsing: try ask("--json").output)
        #expect(json.uploads[0].id.string == "first-upload-id" && json.isComplete.bool == true)
        #expect(json.uploads[0].begun.string == "2026-11-01T10:00:00.000Z")
        server.script("/films/", Self.page([]))
        #expect(try ask().output == "No upload is left open in s3://films/2026/.\n")
    }

    @Test func `one that a transfer uses is named with it and not ended, whatever becomes of the transfer`() throws {
        server.script(
            "/films/2026/big",
            .status(200, body: "<R><UploadId>used-upload</UploadId></R>"),
            .status(403, body: "<Error><Code>AccessDenied</Code></Error>")
        )
        try TestFiles.write([UInt8](repeating: 7, count: 9 << 20), to: daemon.path("big"))
        let id = try daemon.submit("upload", "--connections", "1", "big", "s3://films/2026/")
        #expect(try daemon.wait(id).code == 1)
        server.script("/films/", Self.page([("2026/big", "used-upload"), ("2026/big", "free-upload")]))
        let result = try ask()
        let lines = result.lines.filter { $0.contains("2026/big") }
        #expect(lines.count == 2 && lines[0].hasSuffix("transfer \(id)") && lines[1].hasSuffix("-"), "\(result)")
        expectSentence(try ask("--abort", "used-upload"), "Transfer \(id) uses that upload")
        #expect(server.requests("/films/2026/big").allSatisfy { $0.method != "DELETE" })
        server.script("/films/2026/big", .status(204))
        let aborted = try ask("--abort", "free")
        #expect(aborted.isSuccess && aborted.output.contains("has discarded the upload free-upload"), "\(aborted)")
        #expect(server.requests("/films/2026/big").last?.target == "/films/2026/big?uploadId=free-upload")
        expectSentence(try ask("--abort", "nothing"), code: 4, "begins with 'nothing'")
        #expect(try daemon.run("forget", "\(id)").isSuccess)
        #expect(try ask("--abort", "used-upload").isSuccess)
    }

    @Test func `one that a running transfer may have begun is not ended`() throws {
        let gate = FaultGate()
        server.script(
            "/films/2026/big",
            .held(gate, then: .status(200, body: "<R><UploadId>new-upload</UploadId></R>")),
            .status(200, [HeaderField(name: "ETag", value: "\"e\"")])
        )
        try TestFiles.write([UInt8](repeating: 7, count: 9 << 20), to: daemon.path("big"))
        let id = try daemon.submit("upload", "big", "s3://films/2026/")
        try server.waitForRequests("/films/2026/big", count: 1)
        server.script("/films/", Self.page([("2026/big", "new-upload")]))
        #expect(try ask().output.contains("perhaps transfer \(id)"))
        expectSentence(try ask("--abort", "new-upload"), "may belong to transfer \(id)")
        gate.open()
        try daemon.run("cancel", "\(id)")
    }

    @Test func `one that is begun while the pages are fetched is its transfer's`() throws {
        let (listing, sending) = (FaultGate(), FaultGate())
        server.script(
            "/films/",
            Self.page([("2026/a", "first-upload-id")], next: ("2026/a", "first-upload-id")),
            .held(listing, then: Self.page([("2026/big", "new-upload"), ("2026/big", "free-upload")]))
        )
        server.script(
            "/films/2026/big",
            .status(200, body: "<R><UploadId>new-upload</UploadId></R>"),
            .held(sending, then: .status(200, [HeaderField(name: "ETag", value: "\"e\"")]))
        )
        let check = try daemon.start(["doctor", "--open-uploads", "s3://films/2026/"])
        try server.waitForRequests("/films/", count: 2)
        try TestFiles.write([UInt8](repeating: 7, count: 9 << 20), to: daemon.path("big"))
        let id = try daemon.submit("upload", "--connections", "1", "big", "s3://films/2026/")
        try server.waitForRequests("/films/2026/big", count: 2)
        listing.open()
        let result = try check.result()
        let lines = result.lines.filter { $0.contains("2026/big") }
        #expect(lines.count == 2 && lines[0].hasSuffix(" transfer \(id)") && lines[1].hasSuffix("-"), "\(result)")
        sending.open()
        try daemon.run("cancel", "\(id)")
    }

    @Test func `what the server says instead of a list is a sentence`() throws {
        for (answer, words) in [
            (FaultAnswer.status(404, body: "<Error><Code>NoSuchBucket</Code></Error>"), "there is no bucket 'films'"),
            (.status(403, body: "<Error><Code>AccessDenied</Code></Error>"), "the account 's3' may not do that"),
            (.status(200, body: "<html>hello</html>"), "does not list the open uploads"),
            (.status(200, body: String(repeating: "<a>", count: 5000)), "does not list the open uploads"),
            (.status(200, body: String(repeating: "x", count: 3 << 20)), "too much data"),
            (Self.page([("a", "u")], next: ("", "")), "does not list the open uploads"),
        ] {
            server.script("/films/", answer)
            expectSentence(try ask(), words)
        }
        let endless = Self.page([], next: ("k", "u"))
        server.script("/films/", endless)
        expectSentence(try ask(), "does not list the open uploads")
        #expect(!daemon.log.contains("hunter2"))
    }

    @Test func `what cannot be asked is refused`() throws {
        for (arguments, words) in [
            (["--open-uploads", "films"], "write --open-uploads s3://BUCKET"),
            (["--abort", "abcd"], "is for --open-uploads"),
            (["--open-uploads", "s3://films", "--abort", "a"], "at least 4 characters"),
            (["--open-uploads", "s3://fi lms"], "not a bucket's name"), (["--profile", "a"], "is for --open-uploads"),
        ] {
            let result = try daemon.run(["doctor"] + arguments)
            #expect(result.code == 2 && result.errors.contains(words), "\(arguments): \(result)")
        }
    }
}
