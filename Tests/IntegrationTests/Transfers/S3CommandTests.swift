// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// `offstage upload … s3://…`: the command's output, and its requests to the server. `scripts/resume` tests a
/// third-party server, which checks the signatures.
@Suite struct S3CommandTests {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        try TestFiles.makeDirectory(daemon.path("aws"))
        try TestFiles.write(
            "[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = hunter2-secret\n",
            to: daemon.path("aws/credentials")
        )
        try TestFiles.write("[default]\nendpoint_url = \(server.url(""))\n", to: daemon.path("aws/config"))
    }

    private var variables: [String: String] {
        [
            "AWS_SHARED_CREDENTIALS_FILE": daemon.path("aws/credentials"),
            "AWS_CONFIG_FILE": daemon.path("aws/config"),
        ]
    }

    private func upload(_ arguments: String...) throws -> CommandResult {
        try daemon.run(["upload"] + arguments, environment: variables)
    }

    private static func xml(_ text: String, _ status: Int = 200, _ headers: [HeaderField] = []) -> FaultAnswer {
        .status(status, headers, body: text)
    }

    @Test func `a small file is signed and kept with what its owner says, and no secret is shown`() throws {
        server.script("/films/2026/a%20film.txt", .status(200, [HeaderField(name: "ETag", value: "\"e\"")]))
        try TestFiles.write("content", to: daemon.path("a film.txt"))
        let result = try upload(
            "--storage-class",
            "STANDARD_IA",
            "--metadata",
            "Title=A film",
            "-H",
            "Cache-Control: no-store",
            "a film.txt",
            "s3://films/2026/"
        )
        #expect(result.isSuccess, "\(result)")
        #expect(result.output.contains("→ s3://films/2026/a film.txt"), "\(result.output)")
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT" && request.body == Array("content".utf8))
        let scope = "/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;"
        #expect(request.headers["Authorization"]?.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/") == true)
        #expect(request.headers["Authorization"]?.contains(scope) == true)
        #expect(
            request.headers["x-amz-content-sha256"]
                == "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"
        )
        #expect(request.headers["Content-Type"] == "text/plain" && request.headers["Cache-Control"] == "no-store")
        #expect(request.headers["x-amz-storage-class"] == "STANDARD_IA")
        #expect(request.headers["x-amz-meta-title"] == "A film")
        #expect(request.headers["x-amz-meta-offstage-id"]?.utf8.count == 32)
        #expect(request.headers["If-None-Match"] == nil)
        let shown = try daemon.run("show", "1").output + daemon.run("show", "1", "--json").output + daemon.log
        #expect(!shown.contains("hunter2") && !shown.contains("AKIDEXAMPLE") && !shown.contains("Signature="))
    }

    @Test func `a credential_process that fails for a moment is run again`() throws {
        try daemon.settings(#"{"retryBaseDelay": 0.01}"#)
        let key = #"{"Version": 1, "AccessKeyId": "AKIDPRINTED", "SecretAccessKey": "hunter2-secret"}"#
        let script = "echo '\(key)'; test -e \(daemon.path("ready")) && exit 0; touch \(daemon.path("ready")); exit 1"
        try TestFiles.write(script, to: daemon.path("keys"))
        try TestFiles.write(
            "[profile printed]\nendpoint_url = \(server.url(""))\ncredential_process = /bin/sh \(daemon.path("keys"))\n",
            to: daemon.path("aws/config")
        )
        server.script("/films/x", .status(200))
        try TestFiles.write("content", to: daemon.path("x"))
        let result = try upload("--profile", "printed", "x", "s3://films/")
        #expect(result.isSuccess, "\(result)")
        let shown = try daemon.run("show", "1").output
        #expect(shown.contains("the credential_process of the profile 'printed' failed"), "\(shown)")
        #expect(server.requests.count == 1)
        #expect(server.requests.first?.headers["Authorization"]?.contains("Credential=AKIDPRINTED/") == true)
    }

    @Test func `a large file goes in parts over several connections`() throws {
        let path = "/films/big.bin"
        let tag = HeaderField(name: "ETag", value: "\"part\"")
        // Parts are answered only once two are in progress at the same time.
        let part = FaultAnswer { [server] in
            _ = try eventually("two parts at once") { server.mostActive > 1 ? true : nil }
            try FaultAnswer.status(200, [tag]).run($0)
        }
        server.script(
            path,
            [Self.xml("<R><UploadId>u1</UploadId></R>")] + [FaultAnswer](repeating: part, count: 4)
                + [Self.xml("<CompleteMultipartUploadResult/>")]
        )
        try TestFiles.write([UInt8](repeating: 7, count: 30 << 20), to: daemon.path("big"))
        let result = try upload("--connections", "4", "big", "s3://films/big.bin")
        #expect(result.isSuccess, "\(result)")
        let requests = server.requests
        #expect(requests.map(\.method) == ["POST", "PUT", "PUT", "PUT", "PUT", "POST"])
        #expect(requests.first?.target == "\(path)?uploads=")
        let parts = requests.dropFirst().dropLast()
        #expect(Set(parts.map(\.target)) == Set((1...4).map { "\(path)?partNumber=\($0)&uploadId=u1" }))
        let sent: Int = parts.reduce(0) { $0 + $1.body.count }
        #expect(sent == 30 << 20)
        #expect(server.mostActive > 1)
        #expect(
            requests.last.map { String(decoding: $0.body, as: UTF8.self).contains("<PartNumber>4</PartNumber>") }
                == true
        )
    }

    @Test func `the server forgets the parts of a cancelled upload`() throws {
        let path = "/films/big.bin"
        let gate = FaultGate()
        server.script(
            path,
            Self.xml("<R><UploadId>u1</UploadId></R>"),
            .held(gate, then: .status(200)),
            .status(204)
        )
        try TestFiles.write([UInt8](repeating: 7, count: 9 << 20), to: daemon.path("big"))
        let handed = try daemon.run(
            ["upload", "--detach", "--connections", "1", "big", "s3://films/big.bin"],
            environment: variables
        )
        #expect(handed.isSuccess, "\(handed)")
        try server.waitForRequests(path, count: 2)
        #expect(try daemon.run("cancel", "1").isSuccess)
        let requests = try server.waitForRequests(path, count: 3)
        gate.open()
        #expect(requests.last?.method == "DELETE" && requests.last?.target == "\(path)?uploadId=u1")
        #expect(requests.last?.headers["Authorization"] != nil)
    }

    @Test func `a refusal is said in one sentence, with what to do`() throws {
        server.script("/films/a", Self.xml("<Error><Code>AccessDenied</Code></Error>", 403))
        try TestFiles.write("content", to: daemon.path("a"))
        let result = try upload("a", "s3://films/")
        let text = result.output + result.errors
        #expect(result.code == 1, "\(result)")
        #expect(
            text.contains("the profile 'default' may not write to s3://films/a (403 Forbidden (AccessDenied))"),
            "\(text)"
        )
        #expect(text.contains("Check the key and its permissions"), "\(text)")
    }

    @Test func `what S3 decides itself is refused, and what is missing is named`() throws {
        try TestFiles.write("content", to: daemon.path("file"))
        for (arguments, words) in [
            (["-X", "PUT", "file", "s3://films/a"], "-X cannot be used with s3://"),
            (["-u", "a:b", "file", "s3://films/a"], "-u cannot be used with s3://"),
            (["-H", "X-Foo: 1", "file", "s3://films/a"], "-H 'X-Foo' cannot be sent"),
            (["--mute", "file", "s3://films/a"], "--mute is for an upload to an account"),
            (["--mode", "update=1234567890", "file", "s3://films/a"], "is for Dropbox"),
            (["--protocol", "tus", "file", "s3://films/a"], "--protocol cannot be used with s3://"),
            (["--profile", "a", "file", server.url("/a")], "--profile is for an upload to s3://"),
            (["--connections", "0", "file", "s3://films/a"], "a number from 1 to 16"),
            (["--region", "EU", "file", "s3://films/a"], "a region, such as us-east-1"),
            (["--endpoint-url", "https://h/p", "file", "s3://films/a"], "more than an endpoint"),
            (["file", "s3://films/a/.."], "'.' or '..'"), (["file", "s3:///a"], "not a bucket's name"),
        ] {
            let result = try daemon.run(["upload"] + arguments, environment: variables)
            #expect(result.code == 2 && result.errors.contains(words), "\(arguments): \(result)")
        }
        let nobody = try upload("--profile", "nobody", "file", "s3://films/a")
        #expect(nobody.code != 0 && nobody.errors.contains("there is no profile 'nobody'"), "\(nobody)")
        #expect(server.requests.isEmpty)
    }
}
