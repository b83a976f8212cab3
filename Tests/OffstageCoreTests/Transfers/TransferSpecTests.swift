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
}
