// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct TransferSpecCodingTests {
    private static let changes: [@Sendable (inout TransferSpec) throws -> Void] = [
        { _ in }, { $0.method = "POST" }, { $0.method = "GET" }, { $0.method = "PUT" },
        { $0.headers = [("A", "b"), ("A", ""), ("C", " d")].map(HeaderField.init(name:value:)) },
        { $0.credentials = .init(user: "u", password: "p") }, { $0.label = "" }, { $0.label = "photo 1" },
        { $0.priority = 0 }, { $0.priority = 0.1 }, { $0.earliestBegin = Fixture.start },
        { $0.predecessors = [TransferID(rawValue: 7)] }, { $0.skipsExisting = true },
        { $0.statusPolicy = .retryTransientAndFailOnError }, { $0.unauthorizedPolicy = .waitForCredentials },
        { $0.maximumRetries = 0 }, { $0.maximumAttemptsBeforeFirstAnswer = 3 }, { $0.idempotencyKey = "k" },
        { $0.idleTimeout = 0.1 }, { $0.connectTimeout = 5 }, { $0.overallTimeout = 1e20 },
        { $0.overallTimeout = 604_800 },
        { $0.rateLimit = 7 }, { $0.certificateAuthorityPath = "/ca.pem" }, { $0.proxy = .init(http: "http://p:1") },
        { $0.completionCommand = .init(command: "true", workingDirectory: "/") },
        { $0.sessionTask = .init(session: "s", task: .max) }, { $0.connectionsPerHost = 6 },
        { $0.pinnedKey = "sha256//AA==" }, { $0.asksBeforeBegin = true }, { $0.asksBeforeBegin = false },
        { $0.handlesChallengesByDefault = true }, { $0.resumesFrom = "a" }, { $0.sendsLaunchEvents = false },
        { $0.needs = [.noCellular, .goodMoment] }, { $0.needs = [.noExpensive, .noConstrained] },
        { $0.url = try RequestURL("https://u:p@h/%C3%A4?a=\"b\"#c") },
        { $0.direction = .download(.init(path: "/x", overwrites: true)) },
        { $0.direction = .download(.init(path: "/x", umask: 0o077)) }, { $0.refusesCookies = true },
        { $0.collections = 2 }, { $0.notify = true }, { $0.notify = false }, { $0.offersResumption = true },
        { $0.offersResumption = false }, { $0.isSentOnce = true }, { $0.hasHandler = true }, { $0.hasHandler = false },
        {
            var target = TransferSpec.DownloadTarget(path: "/x")
            target.remoteName = .wanted
            $0.direction = .download(target)
        },
        {
            let checksum = try Checksum(parsing: "sha256:" + String(repeating: "0f", count: 32))
            $0.direction = .download(.init(path: "/x", checksum: checksum))
        },
        {
            let identity = FileIdentity(device: .max, inode: 0, size: .max, modified: .min)
            $0.direction = .upload(.init(path: "/x", identity: identity, isSnapshot: true))
        },
    ]

    @Test(arguments: changes.indices, [false, true])
    func `a specification comes back, whoever wrote it`(index: Int, isUpload: Bool) throws {
        var spec = try isUpload ? Fixture.upload() : Fixture.download()
        try Self.changes[index](&spec)
        #expect(try decoded(spec.json()) == spec)
        #expect(try decoded(Array(JSONEncoder().encode(spec))) == spec)
    }

    /// A process that attaches to a session takes the kind of each task from here, without decoding the remaining text.
    @Test func `what a session hands over begins with its direction`() throws {
        for isUpload in [false, true] {
            var spec = try isUpload ? Fixture.upload(isSnapshot: true) : Fixture.download()
            spec.method = "POST"
            spec.headers = [HeaderField(name: "A", value: "b")]
            spec.sessionTask = .init(session: "s", task: 1)
            spec.idempotencyKey = "k"
            spec.hasHandler = true
            spec.asksBeforeBegin = true
            spec.handlesChallengesByDefault = true
            spec.connectionsPerHost = 6
            spec.needs = [.noCellular]
            spec.refusesCookies = true
            spec.sendsLaunchEvents = false
            if isUpload { spec.offersResumption = true }
            let text = String(decoding: try spec.json(), as: UTF8.self)
            #expect(text.hasPrefix(isUpload ? #"{"upload""# : #"{"download""#), "\(text)")
        }
    }

    @Test func `both ways of writing say the same`() throws {
        for change in Self.changes {
            var spec = try Fixture.upload()
            try change(&spec)
            let sorted = JSONEncoder()
            sorted.outputFormatting = .sortedKeys
            // A field that only one of them leaves out would differ here.
            let direct = try JSONDecoder().decode([String: JSONValue].self, from: Data(spec.json()))
            let usual = try JSONDecoder().decode([String: JSONValue].self, from: sorted.encode(spec))
            #expect(direct == usual)
        }
    }

    @Test func `text of any kind comes back`() throws {
        let texts = [
            "", "\"", "\\", "\\\"", "/", "a\nb\r\t\u{8}\u{C}", "\0", "\u{1}\u{1F}\u{7F}", "ä\u{308}", "😀", "\u{2028}",
            "\u{FEFF}a", "日本語", String(repeating: "x", count: 10_000) + "\"",
        ]
        for text in texts {
            var spec = try Fixture.download()
            spec.label = text
            spec.direction = .download(.init(path: "/" + text))
            spec.sessionTask = .init(session: text, task: 1)
            spec.headers = [HeaderField(name: "A", value: text), HeaderField(name: "B", value: "")]
            #expect(try decoded(spec.json()) == spec)
        }
    }

    @Test func `what is as usual is left out`() throws {
        var spec = TransferSpec(
            direction: .upload(.init(path: "/a", identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4))),
            url: try RequestURL("https://h/b"),
            owner: "o"
        )
        #expect(
            String(decoding: try spec.json(), as: UTF8.self)
                == #"{"upload":{"path":"/a","identity":[1,2,3,4]},"url":"https://h/b","owner":"o"}"#
        )
        spec.pinnedKey = "k"
        let keys = try JSONDecoder().decode([String: JSONValue].self, from: Data(spec.json())).keys
        #expect(keys.sorted() == ["owner", "pinnedKey", "upload", "url"])
    }

    /// Compared in the direct way's order: the usual way's order differs in each run.
    @Test func `what a command sets is written directly`() throws {
        var spec = TransferSpec(
            direction: .download(.init(path: "/a", umask: 0o22)),
            url: try RequestURL("https://h/b"),
            owner: "o"
        )
        spec.statusPolicy = .retryTransientAndFailOnError
        spec.certificateAuthorityPath = "/ca.crt"
        spec.notify = true
        let written =
            #"{"download":{"path":"/a","umask":18},"url":"https://h/b","owner":"o","#
            + #""statusPolicy":{"retryTransientAndFailOnError":{}},"certificateAuthorityPath":"/ca.crt","notify":true}"#
        #expect(String(decoding: try spec.json(), as: UTF8.self) == written)
    }

    @Test(arguments: [Double.nan, .infinity])
    func `what is no number in JSON is refused`(number: Double) throws {
        for path in [\TransferSpec.priority, \.idleTimeout, \.overallTimeout] {
            var spec = try Fixture.upload()
            spec[keyPath: path] = number
            #expect(throws: EncodingError.self) { try spec.json() }
        }
    }

    @Test func `what the first version wrote is read`() throws {
        let old = #"""
            {"direction":{"download":{"_0":{"path":"/tmp/target","overwrites":false}}},"headers":[],"idleTimeout":60,
            "method":"GET","overallTimeout":1000,"owner":"command","priority":0.5,"proxy":{},
            "statusPolicy":{"everyResponseIsFinal":{}},"unauthorizedPolicy":{"finish":{}},
            "url":"https://files.example.org/a"}
            """#
        #expect(try decoded(Array(old.utf8)) == Fixture.download())
        let upload = old.replacing(
            #"{"download":{"_0":{"path":"/tmp/target","overwrites":false}}}"#,
            with: #"{"upload":{"_0":{"path":"/tmp/source","identity":[1,2,300,4],"isSnapshot":true}}}"#
        ).replacing(#""GET""#, with: #""PUT""#)
        #expect(try decoded(Array(upload.utf8)) == Fixture.upload(isSnapshot: true))
        #expect(throws: DecodingError.self) { try decoded(Array(#"{"url":"https://h/","owner":"o"}"#.utf8)) }
    }

    private func decoded(_ json: [UInt8]) throws -> TransferSpec {
        try JSONDecoder().decode(TransferSpec.self, from: Data(json))
    }
}
