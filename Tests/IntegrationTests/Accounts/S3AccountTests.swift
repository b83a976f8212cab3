// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// Accounts at S3 as a person uses them, with the real command and the real daemon, and a server whose answers are scripted.
@Suite struct S3AccountTests {
    private let daemon: DaemonFixture
    private let server: FaultServer

    private static let keyID = "AKIAIOSFODNN7EXAMPLE"
    private static let secret = "hunter2-secret"
    private static let tag = HeaderField(name: "ETag", value: "\"e\"")

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        server.script("/", .status(200, body: "<ListAllMyBucketsResult/>"))
        try TestFiles.write("content", to: daemon.path("file"))
    }

    private static func error(_ code: String, _ status: Int = 403) -> FaultAnswer {
        .status(status, body: "<Error><Code>\(code)</Code></Error>")
    }

    /// Nonexistent files of the AWS command line, so that this machine's own files have no effect.
    private var variables: [String: String] {
        [
            "AWS_SHARED_CREDENTIALS_FILE": daemon.path("none/credentials"),
            "AWS_CONFIG_FILE": daemon.path("none/config"),
        ]
    }

    private func run(_ arguments: String..., input: String = "") throws -> CommandResult {
        try daemon.run(arguments, input: input, environment: variables)
    }

    private func add(_ more: String..., key: String = "\(keyID)\n\(secret)\n") throws -> CommandResult {
        let words = ["account", "add", "s3", "--endpoint-url", server.url("")] + more
        return try daemon.run(words, input: key, environment: variables)
    }

    private func expectNoSecret(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for secret in [Self.secret, Self.keyID, "Signature="] {
            #expect(!text.contains(secret), "\(text)", sourceLocation: sourceLocation)
        }
    }

    @Test func `a key from standard input is checked, sealed, and signs uploads and downloads`() throws {
        server.script("/films/a", .status(200, [Self.tag]), .status(200, [Self.tag], body: "content"))
        let added = try add("--name", "minio", "--region", "garage")
        #expect(added.isSuccess, "\(added)")
        #expect(added.output == "Added the account minio with the key AKIA…MPLE for \(server.url("")).\n")
        let check = try #require(server.requests("/").first)
        #expect(check.method == "GET" && check.headers["Authorization"]?.contains("/garage/s3/aws4_request") == true)
        let upload = try run("upload", "file", "s3://films/a", "--account", "minio")
        #expect(upload.isSuccess, "\(upload)")
        let download = try run("download", "s3://films/a", "-o", "b", "--account", "minio")
        #expect(download.isSuccess, "\(download)")
        let requests = server.requests("/films/a")
        #expect(requests.map(\.method) == ["PUT", "GET"])
        for request in requests {
            let field = request.headers["Authorization"] ?? ""
            #expect(field.contains("Credential=\(Self.keyID)/") && field.contains("/garage/s3/aws4_request"))
        }
        let stored = try TestFiles.names(in: daemon.home).filter { $0.hasPrefix("store") }
            .flatMap { try TestFiles.read(daemon.home + "/" + $0) }
        expectNoSecret(String(decoding: stored, as: UTF8.self))
        let shown = try run("show", "1", "2").output + run("show", "1", "--json").output + run("list").output
        expectNoSecret(shown + daemon.log)
        #expect(shown.contains("account minio"))
    }

    @Test func `an account outlives the daemon, and list, show and doctor say how it stands`() throws {
        #expect(try add().isSuccess)
        try daemon.killDaemon()
        let shown = try run("account", "show", "s3").output
        for line in [
            "Service:      s3", "Key:          AKIA…MPLE", "Region:       us-east-1", "Server:       \(server.url(""))",
        ] {
            #expect(shown.contains(line), "\(shown)")
        }
        let json = try daemon.json("account", "show", "s3")
        #expect(json.state.string == "usable" && json.service.string == "s3" && json.region.string == "us-east-1")
        #expect(json.apiURL.string == server.url(""))
        let list = try run("account", "list").output
        #expect(list.contains("s3       s3       usable  AKIA…MPLE"), "\(list)")
        let doctor = try run("doctor").output
        #expect(doctor.contains("usable: 's3'"), "\(doctor)")
        expectNoSecret(shown + list + doctor)
        server.script("/films/file", .status(200, [Self.tag]))
        #expect(try run("upload", "file", "s3://films/").isSuccess)
    }

    @Test func `a key that the server does not know is not kept, and a wrong secret neither`() throws {
        server.script("/", Self.error("InvalidAccessKeyId"), Self.error("SignatureDoesNotMatch"))
        expectSentence(try add(), code: 1, "does not know this key")
        expectSentence(try add(), code: 1, "the secret does not match")
        expectSentence(try add(key: "\(Self.keyID)\n"), code: 1, "No key was entered")
        expectSentence(try add(key: "two words\nü\n"), code: 2, "must be ASCII")
        #expect(try daemon.json("account", "list").accounts.array.isEmpty)
        server.script("/", Self.error("AccessDenied"))
        let limited = try add("--access-key", Self.keyID, key: Self.secret)
        #expect(limited.isSuccess && limited.errors.isEmpty, "\(limited)")
        server.stop()
        let unknown = try add("--name", "later")
        #expect(unknown.isSuccess && unknown.errors.contains("is not known yet"), "\(unknown)")
    }

    @Test func `the account of one server signs for no other`() throws {
        #expect(try add().isSuccess)
        let other = try FaultServer()
        let refused = try run("upload", "file", "s3://films/a", "--account", "s3", "--endpoint-url", other.url(""))
        expectSentence(refused, code: 2, "cannot sign for")
        // Nor is it used for another server when no account is named.
        let nobody = try run("upload", "file", "s3://films/a", "--endpoint-url", other.url(""))
        #expect(!nobody.isSuccess && nobody.errors.contains("there is no profile 'default'"), "\(nobody)")
        #expect(other.requests.isEmpty)
    }

    @Test func `a profile that is named wins, and several accounts have to be told apart`() throws {
        server.script("/films/a", .status(200, [Self.tag]))
        #expect(try add("--name", "one").isSuccess)
        #expect(try run("upload", "file", "s3://films/a").isSuccess)
        expectSentence(try run("upload", "--profile", "nobody", "file", "s3://films/a"), "there is no profile 'nobody'")
        let named = try daemon.run(
            ["upload", "file", "s3://films/a"],
            environment: variables.merging(["AWS_PROFILE": "nobody"]) { $1 }
        )
        expectSentence(named, "there is no profile 'nobody'")
        #expect(try add("--name", "two").isSuccess)
        let unclear = try run("upload", "file", "s3://films/a")
        #expect(!unclear.isSuccess && unclear.errors.contains("Or name an account with --account"), "\(unclear)")
        expectSentence(
            try run("upload", "--profile", "a", "--account", "one", "file", "s3://films/a"),
            code: 2,
            "give one of them"
        )
        expectSentence(try run("upload", "--account", "three", "file", "s3://films/a"), "There is no account 'three'")
        expectSentence(try run("upload", "file", "one:/a"), "is an account at S3")
    }

    @Test func `a key that the server no longer knows is said, and a new one continues`() throws {
        server.script("/films/a", Self.error("InvalidAccessKeyId"), .status(200, [Self.tag]))
        server.script("/films/b", .status(200, [Self.tag]))
        #expect(try add().isSuccess)
        let failed = try run("upload", "file", "s3://films/a")
        #expect(failed.code == 1, "\(failed)")
        let sentence = "the account 's3' needs a new key: the server does not accept the one it has"
        #expect((failed.output + failed.errors).contains(sentence), "\(failed)")
        #expect(try run("why", "1").output.contains(sentence))
        // Another region, or another server behind the same name, may know it.
        #expect(try daemon.json("account", "show", "s3").state.string == "usable")
        #expect(try run("upload", "file", "s3://films/b").isSuccess)
        let again = try run("account", "add", "s3", input: "AKIAOTHEROTHEROTHER2\nother\n")
        #expect(again.output.hasPrefix("The account s3 now has the key AKIA…HER2 for \(server.url(""))"), "\(again)")
        #expect(try run("retry", "1").isSuccess)
        #expect(try daemon.wait(1).isSuccess)
        #expect(server.requests("/films/a").last?.headers["Authorization"]?.contains("AKIAOTHER") == true)
    }

    @Test func `a transfer that may wait for its account goes on once that is added again`() throws {
        let gate = FaultGate()
        server.script("/films/a", .held(gate, then: Self.error("InternalError", 500)), .status(200, [Self.tag]))
        #expect(try add().isSuccess)
        let id = try daemon.submit(
            "upload",
            "--wait-for-credentials",
            "file",
            "s3://films/a",
            "--account",
            "s3",
            environment: variables
        )
        try server.waitForRequests("/films/a", count: 1)
        let removed = try run("account", "remove", "s3")
        #expect(removed.isSuccess && removed.errors.contains("The key itself is still valid"), "\(removed)")
        gate.open()
        _ = try eventually("the transfer to wait for its account") {
            try daemon.detail(id).row.reason.cause == .account(.noAccount("s3")) ? true : nil
        }
        let why = try run("why", "\(id)").output
        #expect(why.contains("waiting for its account") && why.contains("continues by itself"), "\(why)")
        #expect(try add().isSuccess)
        #expect(try daemon.wait(id).isSuccess)
        #expect(server.requests("/films/a").count == 2)
    }

    @Test func `a removed account is gone with its key, and its transfers fail with a sentence`() throws {
        let gate = FaultGate()
        server.script("/films/a", .held(gate, then: Self.error("InternalError", 500)), .status(200, [Self.tag]))
        #expect(try add().isSuccess)
        let id = try daemon.submit("upload", "file", "s3://films/a", environment: variables)
        try server.waitForRequests("/films/a", count: 1)
        #expect(try run("account", "remove", "s3").output == "Removed s3.\n")
        gate.open()
        #expect(try daemon.wait(id).code == 1)
        #expect(try run("show", "\(id)").output.contains("there is no account 's3'"))
        expectSentence(
            try run("upload", "file", "s3://films/a", "--account", "s3"),
            "'offstage account add s3' adds one"
        )
        #expect(try add().isSuccess)
        #expect(try run("retry", "\(id)").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
    }

    @Test func `options of another service are refused`() throws {
        for (arguments, words) in [
            (["s3", "--app-key", "k"], "--app-key is for an account at Dropbox"),
            (["dropbox", "--access-key", "k"], "--access-key is for an account at S3"),
            (["s3", "--endpoint-url", "https://h/p"], "more than an endpoint"),
            (["s3", "--region", "EU"], "a region, such as us-east-1"), (["gcs"], "use dropbox or s3"),
        ] {
            let result = try daemon.run(["account", "add"] + arguments)
            #expect(result.code == 2 && result.errors.contains(words), "\(arguments): \(result)")
        }
        let waits = try run("upload", "--wait-for-credentials", "--profile", "a", "file", "s3://films/a")
        expectSentence(waits, code: 2, "waits for an account")
    }

    @Test func `a secret that is not shown as it is typed leaves a terminal that shows things again`() throws {
        let add = "\"$0\" account add s3 --access-key \(Self.keyID) --endpoint-url \(server.url(""))"
        let shown = "stty -a | tr -s ' ;' '\\n\\n' | grep -x -e echo -e -echo"
        let window = try TerminalWindow(
            rows: 24,
            columns: 200,
            ["/bin/sh", "-c", "trap : INT; \(add); echo status=$?; echo now=$(\(shown))", daemon.command],
            environment: daemon.environment.merging(variables) { $1 },
            directory: daemon.files
        )
        try window.waitForText("Secret access key (not shown): ")
        try window.type("hunter2\u{3}")
        try window.waitForText("status=130")
        try window.waitForText("now=echo")
        #expect(try window.exitStatus() == .exited(0))
    }
}
