// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct TransferSpecTests {
    @Test func `what the library makes is valid`() throws {
        try Fixture.download().validate()
        try Fixture.upload().validate()
        #expect(try Fixture.upload().method == "PUT")
        #expect(try Fixture.download().method == "GET")
        #expect(try Fixture.upload().isUpload)
        #expect(try Fixture.upload().path == "/tmp/source")
        #expect(try Fixture.download().path == "/tmp/target")
    }

    private static let faults: [(String, @Sendable (inout TransferSpec) throws -> Void)] = [
        ("method", { $0.method = "" }), ("method", { $0.method = "get" }), ("method", { $0.method = "G T" }),
        ("method", { $0.method = "GET\r\nX: y" }), ("method", { $0.method = String(repeating: "A", count: 33) }),
        ("path", { $0.direction = .download(.init(path: "relative")) }),
        ("path", { $0.direction = .download(.init(path: "")) }),
        ("path", { $0.direction = .download(.init(path: "/a\0b")) }), ("priority", { $0.priority = -0.1 }),
        ("priority", { $0.priority = 1.1 }), ("priority", { $0.priority = .nan }), ("idle", { $0.idleTimeout = 0 }),
        ("idle", { $0.idleTimeout = -1 }), ("idle", { $0.idleTimeout = .nan }),
        ("idle", { $0.idleTimeout = .infinity }),
        ("overall", { $0.overallTimeout = 0 }), ("overall", { $0.overallTimeout = .infinity }),
        ("overall", { $0.overallTimeout = 1e300 }), ("connect", { $0.connectTimeout = 0 }),
        ("connect", { $0.connectTimeout = 1e300 }), ("rate", { $0.rateLimit = 0 }), ("rate", { $0.rateLimit = -1 }),
        ("retries", { $0.maximumRetries = -1 }), ("begin", { $0.earliestBegin = Date(timeIntervalSince1970: 1e300) }),
        ("begin", { $0.earliestBegin = .distantFuture + 1e15 }), ("key", { $0.idempotencyKey = "a\r\nX: y" }),
        ("header", { $0.headers = [HeaderField(name: "A", value: "b\nC: d")] }),
        ("header", { $0.headers = [HeaderField(name: "A b", value: "c")] }),
    ]

    @Test(arguments: faults.indices) func `what a client must not ask for is refused in a sentence`(index: Int) throws {
        var spec = try Fixture.download()
        try Self.faults[index].1(&spec)
        let error = try #require(throws: RequestError.self, "\(Self.faults[index].0)") { try spec.validate() }
        #expect(error.sentence.hasSuffix("."))
        #expect(!error.sentence.utf8.contains { $0 < 32 })
    }

    private static let extremes: [@Sendable (inout TransferSpec) -> Void] = [
        { $0.priority = 0 }, { $0.priority = 1 }, { $0.maximumRetries = 0 }, { $0.rateLimit = 1 },
        { $0.rateLimit = .max },
        { $0.overallTimeout = 0.001 }, { $0.overallTimeout = 3e9 }, { $0.earliestBegin = .distantPast },
        { $0.earliestBegin = Fixture.start }, { $0.method = "M-SEARCH" }, { $0.idempotencyKey = "abc" },
    ]

    @Test(arguments: extremes.indices) func `what is unusual but sensible is taken`(index: Int) throws {
        var spec = try Fixture.upload()
        Self.extremes[index](&spec)
        try spec.validate()
    }

    private static let ordinary: [@Sendable (inout TransferSpec) throws -> Void] = [
        { _ in }, { $0.label = "a \"b\" \\ \n\t\u{1}\u{7f} ä€😀\u{2028}" }, { $0.label = "" },
        { $0.headers = [HeaderField(name: "X-A", value: "ä \" \\"), HeaderField(name: "B", value: "")] },
        { $0.priority = 0.1 }, { $0.priority = 1 }, { $0.idleTimeout = 1e-5 }, { $0.overallTimeout = 3e9 },
        { $0.sessionTask = SessionTaskKey(session: "a/\"b", task: .max) }, { $0.connectionsPerHost = 6 },
        { $0.handlesChallengesByDefault = true }, { $0.handlesChallengesByDefault = false },
        { $0.url = try RequestURL("https://example.org/%22?a=\\b&c=%C3%A4#d") },
        {
            $0.direction = .upload(
                .init(
                    path: "/ä \" /\u{1}",
                    identity: FileIdentity(device: .max, inode: 2, size: .max, modified: -1),
                    isSnapshot: true
                )
            )
        },
        { $0.direction = .download(.init(path: "/x", overwrites: true)) }, { $0.method = "POST" },
    ]

    @Test(arguments: ordinary.indices) func `the quick way to JSON says the same`(index: Int) throws {
        for var spec in [try Fixture.upload(), try Fixture.download()] {
            try Self.ordinary[index](&spec)
            let json = try spec.json()
            #expect(try JSONDecoder().decode(TransferSpec.self, from: Data(json)) == spec)
        }
    }

    private static let rare: [@Sendable (inout TransferSpec) -> Void] = [
        { $0.credentials = .init(user: "a", password: "b") }, { $0.earliestBegin = Fixture.start },
        { $0.statusPolicy = .retryTransientAndFailOnError }, { $0.unauthorizedPolicy = .waitForCredentials },
        { $0.maximumRetries = 1 }, { $0.idempotencyKey = "k" }, { $0.connectTimeout = 1 }, { $0.rateLimit = 1 },
        { $0.certificateAuthorityPath = "/ca" }, { $0.proxy.http = "http://p" }, { $0.pinnedKey = "sha256//k" },
        { $0.completionCommand = .init(command: "c", workingDirectory: "/") }, { $0.asksBeforeBegin = true },
        { $0.handlesChallengesByDefault = true }, { $0.resumesFrom = "t" }, { $0.maximumAttemptsBeforeFirstAnswer = 5 },
        { $0.resumePartial = PartialDownload(validator: .lastModified("d"), totalBytes: 5, bootID: "b") },
        { $0.credentials = .init(user: "a", password: "b", isForDigest: true) },
    ]

    @Test(arguments: rare.indices) func `the quick way to JSON leaves nothing out`(index: Int) throws {
        var spec = try Fixture.upload()
        Self.rare[index](&spec)
        #expect(try JSONDecoder().decode(TransferSpec.self, from: Data(spec.json())) == spec)
    }
}
