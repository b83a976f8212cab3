// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// `offstage download s3://…` from a faulty server. `scripts/resume` tests a third-party server, which checks the
/// signatures.
@Suite(.serialized) struct S3DownloadTests {
    private let daemon: DaemonFixture
    private let server: FaultServer
    private static let path = "/films/2026/a%20film.bin"
    private static let object = "s3://films/2026/a film.bin"

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        try TestFiles.makeDirectory(daemon.path("aws"))
        try TestFiles.write("[default]\nendpoint_url = \(server.url(""))\n", to: daemon.path("aws/config"))
        try Self.keep("OLDKEY", in: daemon.path("aws/credentials"))
    }

    private static func keep(_ key: String, in path: String) throws {
        try TestFiles.write("[default]\naws_access_key_id = \(key)\naws_secret_access_key = hunter2-secret\n", to: path)
    }

    private func download(_ arguments: String...) throws -> CommandResult {
        try daemon.run(["download"] + arguments, environment: variables)
    }

    private var variables: [String: String] {
        [
            "AWS_SHARED_CREDENTIALS_FILE": daemon.path("aws/credentials"),
            "AWS_CONFIG_FILE": daemon.path("aws/config"),
        ]
    }

    private static func refusal(_ status: Int, _ code: String) -> FaultAnswer {
        .status(status, body: "<Error><Code>\(code)</Code></Error>")
    }

    /// Answers like S3: refuses a request for a version other than the current one.
    private static func object(_ file: FaultFile, rate: Int? = nil) -> FaultAnswer {
        FaultAnswer {
            let condition = $0.request.headers["If-Match"]
            guard condition == nil || condition == file.etag else {
                return try refusal(412, "PreconditionFailed").run($0)
            }
            try FaultAnswer.file(file, rate: rate).run($0)
        }
    }

    @Test func `of several connections, none asks for more than its piece`() throws {
        let file = FaultFile(random: 9_000_000, seed: 15)
        server.script(Self.path, Self.object(file))
        let result = try download("--connections", "16", Self.object)
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("a film.bin")) == file.bytes)
        let requests = server.requests
        #expect(requests.first?.method == "HEAD")
        #expect(requests.allSatisfy { $0.headers["Authorization"]?.contains("Credential=OLDKEY/") == true })
        let pieces = requests.dropFirst()
        #expect(pieces.count >= 4)
        #expect(pieces.allSatisfy { $0.method == "GET" && $0.headers["Range"] != nil && $0.headers["If-Match"] != nil })
    }

    @Test func `a server that does not answer HEAD is asked for the object itself`() throws {
        let file = FaultFile(random: 3_000_000, seed: 16)
        server.script(
            Self.path,
            FaultAnswer {
                try ($0.request.method == "HEAD" ? .status(405) : Self.object(file)).run($0)
            }
        )
        let result = try download("--connections", "16", Self.object)
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("a film.bin")) == file.bytes)
    }

    @Test func `an object comes in pieces, each signed, and no secret is shown`() throws {
        let file = FaultFile(random: 9_000_000, seed: 5)
        server.script(Self.path, Self.object(file, rate: 3_000_000))
        let result = try download(Self.object)
        #expect(result.isSuccess, "\(result)")
        #expect(result.output.contains("\(Self.object) → a film.bin"), "\(result.output)")
        #expect(try TestFiles.read(daemon.path("a film.bin")) == file.bytes)
        let requests = server.requests
        #expect(requests.count > 4 && requests.allSatisfy { $0.method == "GET" })
        #expect(requests.allSatisfy { $0.headers["Authorization"]?.contains("Credential=OLDKEY/") == true })
        let pieces = requests.filter { $0.headers["Range"] != nil }
        #expect(pieces.count == requests.count - 1)
        #expect(pieces.allSatisfy { $0.headers["If-Match"] == "\"one\"" && $0.headers["If-Range"] == nil })
        let shown =
            try daemon.run("show", "1").output + daemon.run("show", "1", "--json").output
            + daemon.run("list", "--all").output + daemon.run("why", "1").output + daemon.log
        #expect(!shown.contains("hunter2") && !shown.contains("OLDKEY") && !shown.contains("Signature="))
        #expect(try daemon.run("list", "--all").output.contains("a film.bin ← \(Self.object)"))
        #expect(try daemon.run("show", "1").output.contains("From:         \(Self.object)"))
    }

    @Test func `a key that expires on the way is replaced, and nothing is fetched twice`() throws {
        let file = FaultFile(random: 8_000_000, seed: 6)
        let (credentials, renewed) = (daemon.path("aws/credentials"), daemon.path("aws/renewed"))
        try Self.keep("NEWKEY", in: renewed)
        server.script(
            Self.path,
            FaultAnswer {
                let isOld = $0.request.headers["Authorization"]?.contains("OLDKEY") == true
                guard isOld, $0.request.headers["Range"] != nil else {
                    return try Self.object(file, rate: 2_000_000).run($0)
                }
                // Atomically, since the daemon may be reading it. The second time, nothing is left to rename.
                rename(renewed, credentials)
                try Self.refusal(400, "ExpiredToken").run($0)
            }
        )
        let result = try download("--connections", "4", Self.object)
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("a film.bin")) == file.bytes)
        #expect(server.requests.contains { $0.headers["Authorization"]?.contains("NEWKEY") == true })
        #expect(try daemon.detail(1).row.attempts == 1)
    }

    @Test func `an expired key is said, and a good one continues`() throws {
        let file = FaultFile(random: 3_000_000, seed: 7)
        let credentials = daemon.path("aws/credentials")
        server.script(
            Self.path,
            FaultAnswer {
                let isOld = $0.request.headers["Authorization"]?.contains("OLDKEY") == true
                try (isOld ? Self.refusal(400, "ExpiredToken") : Self.object(file)).run($0)
            }
        )
        let result = try download(Self.object)
        #expect(result.code == 1, "\(result)")
        let words = "the server does not accept the key of the profile 'default', which may have expired"
        #expect((result.output + result.errors).contains(words), "\(result)")
        #expect(try daemon.run("why", "1").output.contains("Check the key and its permissions on the bucket"))
        try Self.keep("NEWKEY", in: credentials)
        #expect(try daemon.run("retry", "1").isSuccess)
        #expect(try daemon.wait(1).isSuccess)
        #expect(try TestFiles.read(daemon.path("a film.bin")) == file.bytes)
    }

    @Test func `an object that is replaced on the way is fetched anew`() throws {
        let first = FaultFile(random: 5_000_000, seed: 8)
        let second = FaultFile(random: 5_000_000, seed: 9, etag: "\"two\"")
        server.script(Self.path, .cut(first, after: 2_000_000), Self.object(second))
        let result = try download("--connections", "1", Self.object)
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(daemon.path("a film.bin")) == second.bytes)
        let requests = server.requests
        #expect(requests.count == 3)
        #expect(requests.dropFirst().first?.headers["If-Match"] == "\"one\"")
        #expect(requests.last?.headers["Range"] == nil)
    }

    @Test func `a file that is not the object's is not kept`() throws {
        var file = FaultFile(Array("content".utf8))
        // The digest of an empty body.
        let digest = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        file.headers = [HeaderField(name: "x-amz-checksum-sha256", value: digest)]
        server.script(Self.path, .file(file))
        let result = try download(Self.object)
        #expect(result.code == 1 && (result.output + result.errors).contains("SHA-256"), "\(result)")
        #expect(!TestFiles.names(in: daemon.files).contains("a film.bin"))
    }

    @Test func `wrong keys, buckets and options are said in one sentence`() throws {
        server.script(Self.path, Self.refusal(404, "NoSuchBucket"), Self.refusal(403, "AccessDenied"))
        for words in ["there is no bucket 'films' at", "the profile 'default' may not read \(Self.object)"] {
            let result = try download(Self.object)
            #expect(!result.isSuccess && (result.output + result.errors).contains(words), "\(result)")
        }
        for (arguments, words) in [
            (["s3://films/"], "is a folder: name an object"), (["s3://films"], "is a folder"),
            (["-H", "A: b", Self.object], "-H cannot be used with s3://"),
            (["-X", "POST", Self.object], "-X cannot be used with s3://"),
            (["-k", Self.object], "--insecure cannot be used with s3://"),
            (["--compressed", Self.object], "--compressed cannot be used with s3://"),
            (["--region", "eu-west-1", server.url("/a")], "--region is for a download from s3://"),
            ([Self.object, server.url("/a")], "fetch files from s3:// and files from other places separately"),
            (["--profile", "nobody", Self.object], "there is no profile 'nobody'"),
            (["s3://films/a/../b"], "'.' or '..'"),
        ] {
            let result = try daemon.run(["download"] + arguments, environment: variables)
            #expect(result.code != 0 && result.errors.contains(words), "\(arguments): \(result)")
        }
        #expect(server.requests.count == 2)
    }
}
