// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// `offstage verify --at-server`, with servers of every kind; `ReceiptTests` covers S3.
@Suite struct VerifyAtServerTests {
    private let daemon: DaemonFixture

    init() throws {
        daemon = try DaemonFixture()
        try daemon.settings(#"{"retryBaseDelay": 0.05, "retryMaximumDelay": 0.1}"#)
    }

    /// Expects one sentence about a transfer.
    private func expect(
        _ id: Int,
        isVerified: Bool,
        _ words: String,
        by evidence: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try daemon.run("verify", "--at-server", "\(id)")
        #expect(result.code == (isVerified ? 0 : 1), "\(result)", sourceLocation: sourceLocation)
        #expect(result.output.contains(words), "\(result)", sourceLocation: sourceLocation)
        #expect(result.output.split(separator: "\n").count == 1, "\(result)", sourceLocation: sourceLocation)
        #expect(!(result.output + result.errors).contains("SECRET"), "\(result)", sourceLocation: sourceLocation)
        guard let evidence else { return }
        let finding = try JSONValue(parsing: daemon.run("verify", "--at-server", "\(id)", "--json").output).transfers[0]
        #expect(finding.isVerified.bool == true, sourceLocation: sourceLocation)
        #expect(finding.provenBy.string == evidence, sourceLocation: sourceLocation)
    }

    // MARK: - Dropbox

    @Test func `Dropbox has the file, or another one, or does not say`() throws {
        let emulator = try DropboxEmulatorServer()
        try daemon.signIn(to: emulator)
        let path = daemon.path("a.bin")
        try TestFiles.makeRandom(path, bytes: 9_000_000, seed: 1)
        #expect(try daemon.run("upload", "a.bin", "dropbox:/In/a").isSuccess)
        try expect(
            1,
            isVerified: true,
            "dropbox:/In/a is what was transferred: 9000000 bytes, by its SHA-256",
            by: "sha256"
        )

        func meet(_ fault: DropboxFault?, times: Int? = nil, isVerified: Bool = false, _ words: String) throws {
            emulator.setFaults(fault.map { [DropboxFaultRule($0, on: .getMetadata, times: times)] } ?? [])
            try expect(1, isVerified: isVerified, words)
        }
        let missing = EmulatorJSON.tag("path", nesting: .tag("not_found"))
        try meet(.error(missing, effect: false), "there is nothing at dropbox:/In/a any more")
        // It is found by its path even if the ID is unknown.
        try meet(.error(missing, effect: false), times: 1, isVerified: true, "is what was transferred")
        try meet(.unauthorized("expired_access_token"), times: 1, isVerified: true, "is what was transferred")
        try meet(.unauthorized("expired_access_token"), "has expired, even a new one")
        try meet(.unauthorized("missing_scope"), "lacks the permission")
        try meet(.status(503, body: "", effect: false), "Asking the server failed: Dropbox answered 503")
        try meet(.lostBefore, "Asking the server failed")
        try meet(nil, isVerified: true, "is what was transferred")

        // There is different content of the same length.
        try TestFiles.makeRandom(path, bytes: 9_000_000, seed: 2)
        #expect(try daemon.run("upload", "--mode", "overwrite", "a.bin", "dropbox:/In/a").isSuccess)
        try expect(1, isVerified: false, "dropbox:/In/a is not what was transferred: its SHA-256 is")
        try expect(2, isVerified: true, "is what was transferred")
        try TestFiles.makeRandom(path, bytes: 5, seed: 3)
        #expect(try daemon.run("upload", "--mode", "overwrite", "a.bin", "dropbox:/In/a").isSuccess)
        try expect(1, isVerified: false, "dropbox:/In/a has 5 bytes now, and 9000000 were transferred")
        // The name that Dropbox has chosen.
        try TestFiles.makeRandom(path, bytes: 6, seed: 4)
        #expect(try daemon.run("upload", "--autorename", "a.bin", "dropbox:/In/a").isSuccess)
        try expect(4, isVerified: true, "dropbox:/In/a (1) is what was transferred: 6 bytes")

        #expect(try daemon.run("account", "remove", "dropbox").isSuccess)
        try expect(1, isVerified: false, "there is no account 'dropbox'")
        emulator.stop()
    }

    @Test func `without a hash the revision is compared, and a server out of reach is said`() throws {
        let emulator = try DropboxEmulatorServer()
        emulator.setRules { $0.tellsContentHash = false }
        try daemon.signIn(to: emulator)
        try TestFiles.write("content", to: daemon.path("a"))
        #expect(try daemon.run("upload", "a", "dropbox:/a").isSuccess)
        try expect(1, isVerified: true, "dropbox:/a is the version that was transferred: 7 bytes", by: "version")
        try TestFiles.write("CONTENT", to: daemon.path("a"))
        #expect(try daemon.run("upload", "--mode", "overwrite", "a", "dropbox:/a").isSuccess)
        try expect(1, isVerified: false, "or the same content stored again: its version is")
        emulator.stop()
        try expect(2, isVerified: false, "Asking the server failed")
    }

    // MARK: - Google Cloud Storage

    @Test func `Google has the object, or another one, or does not say`() throws {
        let storage = try GCSEmulator()
        storage.script(object: "film.mov")
        try TestFiles.makeRandom(daemon.path("film.mov"), bytes: 300_000, seed: 1)
        let command = "echo \(GCSEmulator.tokenMark)1"
        let result = try daemon.run(
            ["upload", "--endpoint-url", storage.url, "--token-command", command, "film.mov", "gs://films/"]
        )
        #expect(result.isSuccess, "\(result)")
        let name = "gs://films/film.mov"
        try expect(1, isVerified: true, "\(name) is what was transferred: 300000 bytes, by its CRC32C", by: "crc32c")

        let receipt = try daemon.json("show", "--receipt", "1").receipts[0]
        #expect(receipt.version.string == "1001" && receipt.crc32c.isConfirmed.bool == true)
        let value = try #require(receipt.crc32c.value.string)
        let shown = try daemon.run("show", "--receipt", "1").output
        #expect(shown.contains("CRC32C:       \(value), stated by the server, and computed here as well"), "\(shown)")
        let here = try daemon.run("verify", "1")
        #expect(
            here.isSuccess && here.output.contains("300000 bytes, CRC32C \(value), which detects accidents"),
            "\(here)"
        )

        storage.change { $0.objects["film.mov"]?.content[7] ^= 1 }
        try expect(1, isVerified: false, "is not what was transferred: its CRC32C is")
        storage.change { $0.objects["film.mov"]?.content.removeLast() }
        try expect(1, isVerified: false, "has 299999 bytes now, and 300000 were transferred")
        storage.change { $0.objects = [:] }
        try expect(1, isVerified: false, "there is nothing at \(name) any more")
        storage.change { $0.tokens = [] }
        try expect(1, isVerified: false, "does not accept the token from the token command")
        #expect(!daemon.log.contains("SECRET"))

        var bytes = try TestFiles.read(daemon.path("film.mov"))
        bytes[7] ^= 1
        try TestFiles.write(bytes, to: daemon.path("film.mov"))
        let changed = try daemon.run("verify", "1")
        #expect(!changed.isSuccess && changed.output.contains("its CRC32C is"), "\(changed)")
    }

    // MARK: - Any address

    @Test func `nginx has what was put there and what was fetched, as far as it says`() throws {
        let nginx = try NginxServer(.init(login: "me:SECRET-password"))
        try TestFiles.write("content", to: daemon.path("a"))
        let login = ["-u", "me:SECRET-password"]
        #expect(try daemon.run(["upload"] + login + ["a", nginx.url("in/")]).isSuccess)
        let url = nginx.url("in/a")
        // It returns no ETag when it receives a file.
        try expect(1, isVerified: false, "nothing is proven: \(url) has the 7 bytes that were transferred")
        #expect(try daemon.run(["download"] + login + ["-o", "b", url]).isSuccess)
        try expect(2, isVerified: true, "\(url) is the object of the transfer: 7 bytes, by its ETag", by: "entityTag")
        try TestFiles.write("another", to: nginx.path("in/a"))
        let times = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, nginx.path("in/a"), times, 0) == 0)
        try expect(2, isVerified: false, "or the same content stored again: its ETag is")
        try TestFiles.write("longer than that", to: nginx.path("in/a"))
        try expect(1, isVerified: false, "\(url) has 16 bytes now, and 7 were transferred")
        #expect(unlink(nginx.path("in/a")) == 0)
        for id in [1, 2] { try expect(id, isVerified: false, "there is nothing at \(url) any more") }
        nginx.kill()
        try expect(1, isVerified: false, "Asking the server failed")
        #expect(!daemon.log.contains("SECRET"))
    }

    @Test func `a server is trusted as the transfer trusted it`() throws {
        let folder = try TemporaryDirectory()
        let certificate = try TestCertificate(in: folder.path)
        let nginx = try NginxServer(.init(certificate: certificate))
        try TestFiles.write("content", to: nginx.path("a"))
        for (id, option) in [(1, ["--cacert", certificate.authority]), (2, ["--insecure"])] {
            let result = try daemon.run(["download"] + option + ["-o", "b\(id)", nginx.url("a")])
            #expect(result.isSuccess, "\(result)")
            try expect(id, isVerified: true, "by its ETag")
        }
        // Now with a different authority.
        let other = try TestCertificate(in: folder.path, name: "other")
        try TestFiles.write(try TestFiles.read(other.authority), to: certificate.authority)
        try expect(1, isVerified: false, "Asking the server failed")
        try expect(2, isVerified: true, "by its ETag")
    }

    @Test func `what an address states is compared, the strongest first`() throws {
        let server = try FaultServer()
        try TestFiles.write("content", to: daemon.path("a"))
        func tag(_ value: String) -> HeaderField { HeaderField(name: "ETag", value: value) }
        func digest(_ hexadecimal: String, _ name: String, _ mark: String) -> HeaderField {
            let bytes = stride(from: 0, to: 64, by: 2).map { index in
                UInt8(hexadecimal.dropFirst(index).prefix(2), radix: 16) ?? 0
            }
            return HeaderField(name: name, value: "sha-256=\(mark)\(Data(bytes).base64EncodedString())\(mark)")
        }
        server.script("/in/a", .status(201, [tag("\"e\"")]))
        let secret = ["-H", "X-Key: SECRET-key-73519"]
        #expect(try daemon.run(["upload", "--sha256"] + secret + ["a", server.url("/in/")]).isSuccess)
        let own = try TestFiles.sha256(daemon.path("a"))
        let other = String(repeating: "0a", count: 32)
        let echo = HeaderField(name: "ETag", value: "\"SECRET-key-73519\"")
        let rows: [(answer: FaultAnswer, isVerified: Bool, words: String)] = [
            (.status(200, [digest(own, "Repr-Digest", ":")], body: "content"), true, "7 bytes, by its SHA-256"),
            (.status(200, [digest(own, "Digest", "")], body: "content"), true, "7 bytes, by its SHA-256"),
            (
                .status(200, [digest(other, "Repr-Digest", ":"), tag("\"e\"")], body: "content"), false,
                "its SHA-256 is"
            ),
            (.status(200, [tag("\"e\"")], body: "content"), true, "7 bytes, by its ETag"),
            (.head([tag("\"e\"")]), true, "the object of the transfer: length not stated, by its ETag"),
            (
                .status(200, [tag("W/\"e\"")], body: "content"), false,
                "the same weak ETag, which other content may have"
            ),
            (.status(200, [tag("\"f\"")], body: "content"), false, "its ETag is \"f\", not \"e\""),
            (.status(200, [echo], body: "content"), false, "nothing is proven"),
            (.status(200, body: "content"), false, "nothing is proven"),
            (.status(200, [tag("\"e\"")], body: "contents"), false, "has 8 bytes now, and 7 were transferred"),
            (.status(403), false, "the credentials kept with the transfer (403 Forbidden)"),
            (.status(405), false, "405 Method Not Allowed to HEAD"), (.status(503), false, "answered 503"),
            (.redirect(to: "/login"), false, "redirects elsewhere (302"),
            (.status(410), false, "there is nothing at"), (.closes, false, "Asking the server failed"),
        ]
        for row in rows {
            server.script("/in/a", row.answer)
            try expect(1, isVerified: row.isVerified, row.words)
        }
        let request = try #require(server.requests.last)
        #expect(request.method == "HEAD" && request.headers["X-Key"] == "SECRET-key-73519")
        #expect(request.headers["Want-Repr-Digest"] == "sha-256=10" && request.headers["Content-Length"] == nil)
        #expect(server.requests("/login").isEmpty && !daemon.log.contains("SECRET"))
    }

    @Test func `a download's question goes where the download went`() throws {
        let (server, other) = (try FaultServer(), try FaultServer())
        let date = HeaderField(name: "Last-Modified", value: "Wed, 01 Jan 2020 00:00:00 GMT")
        let made = HeaderField(name: "Date", value: "Wed, 01 Jan 2025 00:00:00 GMT")
        server.script("/a", .redirect(to: other.url("/b")))
        other.script("/b", .status(200, [date, made], body: "content"))
        let secret = ["-H", "Authorization: Bearer SECRET-token-1"]
        #expect(try daemon.run(["download"] + secret + [server.url("/a")]).isSuccess)
        try expect(1, isVerified: true, "has not changed since, according to its server: 7 bytes", by: "lastModified")
        let shown = try daemon.run("show", "--receipt", "1").output
        #expect(shown.contains("Modified:     \(date.value), from the server"), "\(shown)")
        let asked = try #require(other.requests.last)
        #expect(asked.method == "HEAD" && asked.headers["Authorization"] == nil)
        #expect(server.requests.last?.headers["Authorization"] == "Bearer SECRET-token-1")
        let later = HeaderField(name: "Last-Modified", value: "Thu, 02 Jan 2020 00:00:00 GMT")
        other.script("/b", .status(200, [later, made], body: "CONTENT"))
        try expect(1, isVerified: false, "has been stored again since")
        // A sign-in page is not the file.
        server.script("/a", .redirect(to: "/login"))
        server.script("/login", .status(200, body: "who are you?"))
        let login = "\(server.url("/a")), now at \(server.url("/login")), has 12 bytes now, and 7 were transferred"
        try expect(1, isVerified: false, login)
        server.script("/a", .redirect(to: "/a"))
        try expect(1, isVerified: false, "redirects the request too often")
    }

    @Test func `a password goes as the server wants it`() throws {
        let server = try FaultServer()
        try TestFiles.write("content", to: daemon.path("a"))
        let challenge = HeaderField(name: "WWW-Authenticate", value: "Digest realm=\"x\", nonce=\"n\", qop=\"auth\"")
        let tag = HeaderField(name: "ETag", value: "\"e\"")
        server.script(
            "/a",
            FaultAnswer {
                try $0.readBody()
                let isDigest = $0.request.headers["Authorization"]?.hasPrefix("Digest ") == true
                // The challenge's own fields do not describe the file.
                let wrong = HeaderField(name: "ETag", value: "\"challenge\"")
                try $0.respond(isDigest ? 200 : 401, isDigest ? [tag] : [challenge, wrong])
            }
        )
        #expect(try daemon.run("upload", "-u", "me:SECRET-password", "a", server.url("/a")).isSuccess)
        server.script(
            "/a",
            FaultAnswer {
                let isDigest = $0.request.headers["Authorization"]?.hasPrefix("Digest ") == true
                let wrong = HeaderField(name: "ETag", value: "\"challenge\"")
                try $0.respond(
                    isDigest ? 200 : 401,
                    isDigest ? [tag] : [challenge, wrong],
                    body: Array("content".utf8)
                )
            }
        )
        try expect(1, isVerified: true, "by its ETag")
    }

    @Test func `a tus server says how much it has, and what has no address of its own is said`() throws {
        let server = try FaultServer()
        try TestFiles.write("content", to: daemon.path("a"))
        func field(_ name: String, _ value: String) -> HeaderField { HeaderField(name: name, value: value) }
        let options = FaultAnswer.status(204, [field("Tus-Version", "1.0.0"), field("Tus-Extension", "creation")])
        server.script("/files", options, .status(201, [field("Location", "files/1")]))
        server.script("/files/1", .status(204, [field("Upload-Offset", "7")]))
        #expect(try daemon.run("upload", "--protocol", "tus", "a", server.url("/files")).isSuccess)
        for (answer, words) in [
            (
                FaultAnswer.status(200, [field("Upload-Offset", "7")]),
                "nothing is proven: \(server.url("/files/1")) has"
            ),
            (.status(200, [field("Upload-Offset", "5")]), "has 5 bytes now, and 7 were transferred"),
            (.status(200), "nothing is proven"),
            (.status(404), "there is nothing at \(server.url("/files/1")) any more"),
        ] {
            server.script("/files/1", answer)
            try expect(1, isVerified: false, words)
        }
        #expect(server.requests.last?.headers["Tus-Resumable"] == "1.0.0")

        server.script("/post", .status(201))
        #expect(try daemon.run("upload", "-X", "POST", "a", server.url("/post")).isSuccess)
        try expect(2, isVerified: false, "was sent with POST: it is not kept at that URL")
        #expect(try daemon.run("upload", "-F", "file=@a", server.url("/post")).isSuccess)
        try expect(3, isVerified: false, "It sent a form")
        server.script("/gone", .status(404))
        #expect(try !daemon.run("download", server.url("/gone")).isSuccess)
        try expect(4, isVerified: false, "it has no receipt: it did not complete")
    }
}

extension FaultAnswer {
    /// Answers HEAD without a length.
    fileprivate static func head(_ fields: [HeaderField]) -> FaultAnswer {
        FaultAnswer {
            try $0.sendHead(200, fields)
            $0.close()
        }
    }
}
