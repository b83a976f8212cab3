// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// `offstage upload … gs://…`, at an emulator of Google Cloud Storage that is as strict as its documentation.
@Suite struct GCSCommandTests {
    private let daemon: DaemonFixture
    private let storage: GCSEmulator
    private static let size = 3_000_000

    init() throws {
        daemon = try DaemonFixture()
        try daemon.settings(#"{"retryBaseDelay": 0.05, "retryMaximumDelay": 0.1}"#)
        storage = try GCSEmulator()
    }

    private var endpoint: [String] { ["--endpoint-url", storage.url] }
    private static let command = ["--token-command", "echo \(GCSEmulator.tokenMark)1"]

    private func upload(_ arguments: String...) throws -> CommandResult {
        try daemon.run(["upload"] + endpoint + Self.command + arguments)
    }

    private func makeFile(_ count: Int = Self.size) throws -> [UInt8] {
        var generator = SeededGenerator(seed: 7)
        let bytes = generator.bytes(count)
        try TestFiles.write(bytes, to: daemon.path("film.mov"))
        return bytes
    }

    private func handOver() throws -> Int {
        let (option, command) = (Self.command[0], Self.command[1])
        return try daemon.submit("upload", "--endpoint-url", storage.url, option, command, "film.mov", "gs://films/")
    }

    private func object(_ name: String) -> GCSEmulator.Object? { storage.state.withLock { $0.objects[name] } }
    private var commits: Int { storage.state.withLock { $0.commits } }

    private func expectNoSecrets() throws {
        let shown = try daemon.run("show", "1").output + daemon.run("show", "1", "--json").output + daemon.log
        #expect(!shown.contains("SECRET"), "\(shown)")
    }

    @Test func `a file becomes an object with what its owner says, and no secret is shown`() throws {
        let bytes = try makeFile()
        let result = try upload(
            "--metadata",
            "Title=ein Film ü",
            "--storage-class",
            "NEARLINE",
            "-H",
            "Cache-Control: no-store",
            "film.mov",
            "gs://films/2026/"
        )
        #expect(result.isSuccess, "\(result)")
        #expect(result.output.contains("→ gs://films/2026/film.mov"), "\(result.output)")
        let object = try #require(self.object("2026/film.mov"))
        #expect(object.content == bytes && object.contentType == "application/octet-stream" && commits == 1)
        #expect(object.metadata["Title"] == "ein Film ü" && object.metadata["offstage-id"]?.utf8.count == 32)
        #expect(storage.calls == ["POST", "PUT bytes 0-2999999/3000000"])
        #expect(try daemon.show(1).bytesDone.integer == Self.size)
        let last = try #require(storage.server.requests.last)
        #expect(last.headers["X-Goog-Hash"] != nil && last.headers["Authorization"] == nil)
        #expect(last.headers["Expect"] == nil)
        try expectNoSecrets()
    }

    @Test func `an empty file is an object, too`() throws {
        try TestFiles.write("", to: daemon.path("empty"))
        let result = try upload("empty", "gs://films/")
        #expect(result.isSuccess && object("empty")?.content == [], "\(result)")
        #expect(storage.calls == ["POST", "PUT bytes */0"])
        #expect(storage.server.requests.last?.headers["Content-Length"] == "0")
    }

    /// Each fault instead of the answer to the bytes, with the requests that follow.
    @Test(arguments: 0..<Self.courses.count) func `after a fault the upload continues, and the object is made once`(
        number: Int
    ) throws {
        let (fault, calls) = Self.courses[number]
        let bytes = try makeFile()
        storage.change { $0.faults = [fault] }
        let result = try upload("film.mov", "gs://films/")
        #expect(result.isSuccess, "\(result)")
        #expect(object("film.mov")?.content == bytes && commits == 1)
        #expect(storage.calls == calls)
        try expectNoSecrets()
    }

    private static let whole = "PUT bytes 0-2999999/3000000"
    private static let question = "PUT bytes */3000000"
    private static let rest = "PUT bytes 786432-2999999/3000000"
    private static let courses: [(GCSEmulator.Fault, [String])] = [
        (.cut(900_000), ["POST", whole, question, rest]), (.lostAnswer, ["POST", whole, question]),
        (.status(503), ["POST", whole, question, whole]), (.status(429), ["POST", whole, question, whole]),
        (.keeps(786_432), ["POST", whole, rest]), (.forgotten(410), ["POST", whole, "GET", "POST", whole]),
    ]

    @Test func `a daemon that is killed goes on in the middle`() throws {
        let bytes = try makeFile()
        let gate = FaultGate()
        storage.change { $0.faults = [.held(900_000, gate)] }
        let id = try handOver()
        try eventually("the bytes are there") {
            storage.state.withLock { $0.uploads.values.contains { $0.content.count == 786_432 } } ? true : nil
        }
        try daemon.killDaemon()
        #expect(try daemon.wait(id).isSuccess)
        gate.open()
        #expect(object("film.mov")?.content == bytes && commits == 1)
        #expect(storage.calls == ["POST", Self.whole, Self.question, Self.rest])
        try expectNoSecrets()
    }

    @Test func `an object with another checksum is removed, and the upload fails with a sentence`() throws {
        _ = try makeFile()
        storage.script(object: "film.mov")
        storage.change { $0.faults = [.wrongChecksum] }
        let result = try upload("film.mov", "gs://films/")
        #expect(result.code == 1 && object("film.mov") == nil)
        let words = "made at gs://films/film.mov has another checksum (CRC32C) than the file, and was removed again"
        #expect((result.output + result.errors).contains(words), "\(result)")
    }

    @Test func `another object is left alone`() throws {
        let bytes = try makeFile()
        storage.script(object: "film.mov")
        #expect(try upload("film.mov", "gs://films/").isSuccess)
        let again = try upload("--mode", "add", "film.mov", "gs://films/")
        #expect(again.code == 1 && (again.output + again.errors).contains("another object is already at"), "\(again)")
        #expect(object("film.mov")?.content == bytes && commits == 1)
    }

    @Test func `the server forgets a cancelled upload`() throws {
        _ = try makeFile()
        let gate = FaultGate()
        storage.change { $0.faults = [.held(900_000, gate)] }
        let id = try handOver()
        try eventually("the bytes are there") {
            storage.state.withLock { $0.uploads.values.contains { $0.content.count == 786_432 } } ? true : nil
        }
        #expect(try daemon.run("cancel", "\(id)").isSuccess)
        try eventually("the upload is forgotten") { storage.state.withLock { $0.uploads.isEmpty } ? true : nil }
        gate.open()
        #expect(storage.calls.last == "DELETE" && commits == 0)
    }

    // MARK: - Tokens

    private func makeKey() throws -> String {
        let path = daemon.path("key.json")
        try storage.makeKeyFile(at: path)
        return path
    }

    @Test func `a key file gives a token, which many uploads share, and which is replaced when it has expired`() throws
    {
        _ = try makeFile()
        let key = try makeKey()
        storage.server.script("/token", GCSEmulator.token(1), GCSEmulator.token(2))
        try TestFiles.write("other", to: daemon.path("other"))
        let variables = ["GOOGLE_APPLICATION_CREDENTIALS": key]
        let first = try daemon.run(
            ["upload"] + endpoint + ["film.mov", "other", "gs://films/"],
            environment: variables
        )
        #expect(first.isSuccess && commits == 2, "\(first)")
        let requests = storage.server.requests("/token")
        #expect(requests.count == 1)
        let form = URLEncodedForm.decode(String(decoding: try #require(requests.first).body, as: UTF8.self))
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        #expect(form["assertion"]?.split(separator: ".").count == 3)
        storage.change { $0.tokens = ["\(GCSEmulator.tokenMark)2"] }
        let second = try daemon.run(["upload"] + endpoint + ["--key-file", "key.json", "other", "gs://films/again"])
        #expect(second.isSuccess && commits == 3, "\(second)")
        #expect(storage.server.requests("/token").count == 2)
        try expectNoSecrets()
        #expect(!daemon.log.contains("PRIVATE KEY"))
    }

    @Test func `a token that is about to expire is not used`() throws {
        let key = try makeKey()
        storage.server.script("/token", GCSEmulator.token(1, seconds: 59), GCSEmulator.token(2))
        try TestFiles.write("other", to: daemon.path("other"))
        for name in ["a", "b", "c"] {
            let result = try daemon.run(["upload"] + endpoint + ["--key-file", key, "other", "gs://films/\(name)"])
            #expect(result.isSuccess, "\(result)")
        }
        #expect(storage.server.requests("/token").count == 2 && commits == 3)
        let bearers = storage.server.requests.compactMap { $0.headers["Authorization"]?.last }
        #expect(bearers == ["1", "2", "2"])
    }

    @Test func `nobody who authorizes, or nobody who is accepted, is said in a sentence`() throws {
        _ = try makeFile()
        let key = try makeKey()
        storage.server.script("/token", .status(400, body: #"{"error":"invalid_grant","error_description":"SECRET"}"#))
        let refused = try daemon.run(["upload"] + endpoint + ["--key-file", key, "film.mov", "gs://films/"])
        let words = "does not accept the key file \(key): the key was removed there, or the clock here is wrong"
        #expect(refused.code == 1 && (refused.output + refused.errors).contains(words), "\(refused)")
        storage.change { $0.tokens = [] }
        let rejected = try upload("film.mov", "gs://films/")
        #expect(
            (rejected.output + rejected.errors).contains("does not accept the token from the token command"),
            "\(rejected)"
        )
        let silent = try daemon.run(["upload"] + endpoint + ["--token-command", "true", "film.mov", "gs://films/"])
        #expect((silent.output + silent.errors).contains("does not print one token"), "\(silent)")
        try expectNoSecrets()
        let nobody = try daemon.run(
            ["upload"] + endpoint + ["film.mov", "gs://films/"],
            environment: ["HOME": "/none"]
        )
        #expect(
            nobody.code != 0 && nobody.errors.contains("application_default_credentials.json cannot be read"),
            "\(nobody)"
        )
    }

    @Test func `what the protocol decides itself is refused`() throws {
        _ = try makeFile(5)
        for (arguments, words) in [
            (["-X", "PUT", "film.mov", "gs://films/a"], "-X cannot be used with gs://"),
            (["-H", "X-Foo: 1", "film.mov", "gs://films/a"], "-H 'X-Foo' cannot be sent to gs://"),
            (["--mode", "update=1234567890", "film.mov", "gs://films/a"], "is for Dropbox"),
            (["--protocol", "tus", "film.mov", "gs://films/a"], "--protocol cannot be used with gs://"),
            (["--profile", "a", "film.mov", "gs://films/a"], "--profile is for an upload to s3://"),
            (["--connections", "2", "film.mov", "gs://films/a"], "--connections is for an upload to s3://"),
            (["--key-file", "a", "film.mov", "gs://films/a"], "not from both"),
            (["film.mov", "s3://films/a"], "--token-command is for an upload to gs://"),
            (["film.mov", storage.url + "/a"], "--token-command is for an upload to gs://"),
            (["film.mov", "gs://films/a/.."], "'.' or '..'"), (["film.mov", "gs://F/a"], "not a bucket's name"),
        ] {
            let result = try daemon.run(["upload"] + Self.command + arguments)
            #expect(result.code == 2 && result.errors.contains(words), "\(arguments): \(result)")
        }
        let plain = ["--endpoint-url", "http://other.example", "film.mov", "gs://films/a"]
        let result = try daemon.run(["upload"] + Self.command + plain)
        #expect(result.code == 2 && result.errors.contains("plain http to another machine"), "\(result)")
        #expect(storage.server.requests.isEmpty)
    }
}
