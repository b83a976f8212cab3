// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct FleetSpecTests {
    private static let source = TransferSpec.UploadSource(
        path: "/mnt/media/a.mov",
        identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
    )

    private static func upload(_ url: String, _ change: (inout TransferSpec) throws -> Void = { _ in }) throws
        -> TransferSpec
    {
        var spec = TransferSpec(direction: .upload(source), url: try RequestURL(url), owner: "fleet")
        try change(&spec)
        return spec
    }

    /// Specs without secrets, and specs with each kind of secret, whose text contains a tiger.
    private static func specs() throws -> (plain: [TransferSpec], secret: [TransferSpec]) {
        let plain = [
            try upload("https://files.example/in/a.mov"),
            try upload("http://127.0.0.1:8080/a") {
                $0.headers = [HeaderField(name: "Content-Type", value: "video/quicktime")]
                $0.idempotencyKey = "key"
                $0.label = "a label"
                $0.dialect = ResumableParameters.dialectSpec(at: $0.url)
            },
        ]
        var tus = TusParameters()
        tus.metadata = [MetadataEntry("token", "tiger")]
        let url = try RequestURL("https://files.example/files")
        let parts: [FormBody.Part] = [
            .init(name: "key", content: .value("tiger")),
            .init(name: "file", content: .file(source), fileName: "a.mov"),
        ]
        let form = FormBody(parts: parts)
        let secret = [
            try upload("https://files.example:8443/in/a.mov?signature=tiger&x=1"),
            try upload("https://user:tiger@files.example/in"),
            try upload("https://files.example/tigerAbCdEf0123456789abcdef0123456789abcdef01/x"),
            try upload("https://files.example/in") {
                $0.headers = [
                    HeaderField(name: "Authorization", value: "Bearer tiger"),
                    HeaderField(name: "Accept", value: "*/*"),
                ]
            },
            try upload("https://files.example/in") { $0.credentials = .init(user: "tiger", password: "") },
            try upload("https://files.example/in") {
                $0.proxy = ProxyEnvironment(https: "http://me:tiger@proxy.example:3128", none: "localhost")
            },
            try upload("https://files.example/files") { $0.dialect = try tus.dialectSpec(at: url) },
            TransferSpec(direction: .form(form), url: url, owner: "fleet"),
        ]
        return (plain, secret)
    }

    @Test func `a specification without secrets has one part, which is all of it`() throws {
        for spec in try Self.specs().plain {
            let parts = try FleetSpec(spec)
            #expect(parts.secrets == nil)
            #expect(try parts.joined() == spec)
        }
    }

    @Test func `what is secret is in the sealed part alone, and both make the specification again`() throws {
        for spec in try Self.specs().secret {
            let parts = try FleetSpec(spec)
            #expect(!parts.open.lowercased().contains("tiger"), "\(parts.open)")
            #expect(parts.secrets.map { String(decoding: $0, as: UTF8.self).contains("tiger") } == true)
            #expect(try parts.joined() == spec)
            // A reader of the database sees the server and the files.
            let open = try FleetSpec(open: parts.open, secrets: nil).joined()
            #expect(open.url.hasOrigin(of: spec.url) && open.paths == spec.paths)
        }
    }

    @Test func `secrets that belong to another server, another form or no dialect are refused`() throws {
        let specs = try Self.specs()
        let secrets = try specs.secret.map { try FleetSpec($0).secrets }
        let elsewhere = try FleetSpec(Self.upload("https://other.example/")).open
        // A URL on another server, a form's values, and a dialect's parameters.
        for index in [0, 6, 7] {
            #expect(throws: RequestError.self) { try FleetSpec(open: elsewhere, secrets: secrets[index]).joined() }
        }
        var form = FormBody(parts: [
            .init(name: "key", content: .value("")), .init(name: "f", content: .file(Self.source)),
        ])
        form.parts[1].content = .file(.init(path: "/etc/passwd", identity: Self.source.identity))
        let other = try FleetSpec(TransferSpec(direction: .form(form), url: specs.plain[0].url, owner: "fleet")).open
        #expect(throws: RequestError.self) { try FleetSpec(open: other, secrets: secrets[7]).joined() }
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"url":7}"#, #"{"url":"https://x/","owner":"o","upload":{}}"#,
        String(repeating: "[", count: 100), String(repeating: "x", count: (1 << 20) + 1),
    ]) func `what no submitter has written is refused`(text: String) throws {
        #expect(throws: (any Error).self) { try FleetSpec(open: text, secrets: nil).joined() }
        let open = try FleetSpec(Self.upload("https://files.example/")).open
        if text != "{}" {
            #expect(throws: (any Error).self) { try FleetSpec(open: open, secrets: Array(text.utf8)).joined() }
        }
    }

    @Test func `a row reaches only what the member shares`() throws {
        let trust = FleetTrust(folders: ["/mnt/media", "/srv"], accounts: ["box"])
        for path in ["/mnt/media/a", "/mnt/media/x/y", "/srv/a"] { #expect(trust.reaches(path)) }
        for path in [
            "/mnt/media", "/mnt/mediatheque/a", "/etc/passwd", "/mnt/media/../x", "mnt/media/a", "", "/srv/./a",
        ] {
            #expect(!trust.reaches(path), "\(path)")
        }
        #expect(FleetTrust(folders: ["/"]).reaches("/etc/passwd"))
        #expect(!FleetTrust(folders: []).reaches("/a"))
    }

    @Test func `a row names no file but those that it sends, wherever that lies`() throws {
        let trust = FleetTrust(folders: ["/mnt/media"])
        func named(_ change: (inout ConnectionOptions) -> Void) throws -> TransferSpec {
            var options = ConnectionOptions()
            change(&options)
            return try Self.upload("https://files.example/") { $0.connection = options }
        }
        let authority = try Self.upload("https://files.example/") { $0.certificateAuthorityPath = "/mnt/media/ca.pem" }
        let cases: [(spec: TransferSpec, advice: String)] = try [
            (named { $0.netrcPath = "/mnt/media/netrc" }, "--user"),
            (named { $0.certificatePath = "/mnt/media/client.pem" }, "without --fleet"),
            (named { $0.keyPath = "/mnt/media/client.key" }, "without --fleet"),
            (authority, "trust the authority"),
        ]
        for (spec, advice) in cases {
            do throws(RequestError) {
                try trust.check(spec)
                Issue.record("A row would have its member read a file: \(advice)")
            } catch {
                #expect(error.sentence.contains(advice), "\(error.sentence)")
            }
        }
        let plain = try named { $0.needsTLS13 = true }
        #expect(throws: Never.self) { try trust.check(plain) }
    }

    @Test func `a row runs no command, writes no file and gives no token away`() throws {
        let trust = FleetTrust(folders: ["/mnt/media"], accounts: ["box", "s3"])
        let url = "https://files.example/"
        #expect(throws: Never.self) { try trust.check(Self.upload(url)) }
        var refused: [TransferSpec] = [
            TransferSpec(
                direction: .download(.init(path: "/mnt/media/x")),
                url: try RequestURL(url),
                owner: "fleet"
            ),
            try Self.upload(url) { $0.completionCommand = .init(command: "id", workingDirectory: "/") },
            try Self.upload(url) { $0.predecessors = [TransferID(rawValue: 1)] },
            try Self.upload(url) { $0.keptUpload = Base64Bytes(bytes: [1]) },
            try Self.upload(url) { $0.resumesFrom = "x" },
            try Self.upload(url) { $0.dialect = DialectSpec(name: "new", parameters: "{}", destination: "") },
            TransferSpec(direction: .form(FormBody(parts: [])), url: try RequestURL(url), owner: "fleet"),
        ]
        func dropbox(_ account: String, _ change: (inout DropboxParameters) -> Void = { _ in }) throws -> TransferSpec {
            var parameters = DropboxParameters(account: account, path: "/a")
            change(&parameters)
            let dialect = try parameters.dialectSpec()
            return try Self.upload(url) { $0.dialect = dialect }
        }
        #expect(throws: Never.self) { try trust.check(dropbox("box")) }
        refused.append(try dropbox("other"))
        refused.append(try dropbox("box") { $0.content = "https://thief.example/2" })
        let location = GCSLocation(bucket: "bucket", object: "a")
        let marker = String(repeating: "0", count: 32)
        for identity in [GoogleIdentity.command("id"), .keyFile("/etc/key.json")] {
            let dialect = try GCSParameters(location, at: nil, by: identity, marker: marker).dialectSpec()
            refused.append(try Self.upload(url) { $0.dialect = dialect })
        }
        for spec in refused { #expect(throws: RequestError.self) { try trust.check(spec) } }
    }

    @Test(arguments: ["", "\\x0", "\\x0g", "0102", "\\x010203"]) func `bytes that are none are not read`(text: String) {
        #expect(FleetBytes.read(text, most: 2) == nil)
    }

    @Test func `bytes are written as they are read`() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(FleetBytes.read(FleetBytes.text(bytes), most: 256) == bytes)
        #expect(FleetBytes.text([]) == "\\x" && FleetBytes.read("\\x", most: 0) == [])
    }

    @Test func `arrays are quoted whatever is in them`() {
        #expect(FleetArray.texts([]) == "{}")
        #expect(FleetArray.texts(["a", nil, "", "NULL"]) == #"{"a",NULL,"","NULL"}"#)
        #expect(FleetArray.texts(["\"},{\\", "a\0b", "é"]) == "{\"\\\"},{\\\\\",\"a\u{FFFD}b\",\"é\"}")
        #expect(FleetArray.numbers([1, -2] as [Int64]) == "{1,-2}" && FleetArray.seconds([0.5]) == "{0.5}")
    }
}
