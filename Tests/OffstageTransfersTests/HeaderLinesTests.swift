// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

/// The fields of a request, as a value. Other tests check with real requests what servers receive.
struct HeaderLinesTests {
    private static let identity = FileIdentity(device: 1, inode: 2, size: 5_000_000, modified: 3)

    private static func request(
        _ direction: TransferSpec.Direction,
        _ fields: [(String, String)],
        _ change: (inout EngineRequest) -> Void = { _ in }
    ) throws -> EngineRequest {
        var spec = TransferSpec(direction: direction, url: try RequestURL("http://host.example/file"), owner: "test")
        spec.headers = fields.map { HeaderField(name: $0.0, value: $0.1) }
        var request = EngineRequest(
            id: TransferID(rawValue: 1),
            attempt: 1,
            spec: spec,
            fileDescriptor: -1,
            filePath: "/tmp/file"
        )
        change(&request)
        return request
    }

    private static func download(
        _ fields: [(String, String)] = [],
        _ change: (inout EngineRequest) -> Void = { _ in }
    ) throws -> EngineRequest {
        try request(.download(.init(path: "/tmp/file")), fields, change)
    }

    private static func upload(
        _ fields: [(String, String)] = [],
        _ change: (inout EngineRequest) -> Void = { _ in }
    ) throws -> EngineRequest {
        try request(.upload(.init(path: "/tmp/file", identity: identity)), fields, change)
    }

    private static let before = RedirectTrail()
    private static let elsewhere = {
        var trail = RedirectTrail()
        trail.leaveOrigin()
        return trail
    }()
    private static let forAnswer = {
        var trail = RedirectTrail()
        trail.fetchAnswer(sent: 5)
        return trail
    }()

    @Test func `an owner's fields go out, except those that would be false`() throws {
        let request = try Self.download([
            ("X-Empty", ""), ("Content-Length", "5"), ("X-Token", "t"), ("Range", "bytes=1-"),
        ])
        #expect(
            HeaderLines(after: Self.before).lines(of: request)
                == ["X-Empty;", "X-Token: t", "Range: bytes=1-", "Accept-Encoding: identity"]
        )
        let rest = try Self.download([("range", "bytes=1-"), ("If-Range", "\"a\""), ("accept-encoding", "br")]) {
            $0.offset = 10
        }
        #expect(HeaderLines(after: Self.before).lines(of: rest) == ["accept-encoding: br", "Range: bytes=10-"])
    }

    @Test func `what is decoded is asked for, unless the owner asks for something else`() throws {
        let compresses: (inout EngineRequest) -> Void = {
            $0.spec.connection = ConnectionOptions()
            $0.spec.connection?.asksForCompression = true
        }
        let lines = HeaderLines(after: Self.before)
        #expect(try lines.lines(of: Self.download([], compresses)) == ["Accept-Encoding: gzip, deflate"])
        let elsewhere = HeaderLines(after: Self.elsewhere)
        #expect(try elsewhere.lines(of: Self.download([], compresses)) == ["Accept-Encoding: gzip, deflate"])
        let own = try Self.download([("accept-encoding", "br")], compresses)
        #expect(lines.lines(of: own) == ["accept-encoding: br"])
        // In the middle of a file nothing is decoded.
        let rest = try Self.download {
            compresses(&$0)
            $0.offset = 10
        }
        #expect(lines.lines(of: rest) == ["Accept-Encoding: identity", "Range: bytes=10-"])
    }

    @Test func `another origin receives no field that may be secret`() throws {
        let request = try Self.download([("X-Token", "t"), ("Accept", "text/plain"), ("Authorization", "Bearer t")])
        #expect(
            HeaderLines(after: Self.elsewhere).lines(of: request)
                == ["Accept: text/plain", "Accept-Encoding: identity"]
        )
    }

    @Test(
        arguments: [
            (nil, false, []),
            (.strongETag("\"a\""), false, ["If-Range: \"a\""]),
            (.strongETag("\"a\""), true, ["If-Match: \"a\""]),
        ] as [(PartialDownload.Validator?, Bool, [String])]
    )
    func `a range is asked for on the condition that the file is the same`(
        validator: PartialDownload.Validator?,
        needsMatch: Bool,
        condition: [String]
    ) throws {
        let request = try Self.download {
            $0.offset = 10
            $0.pieceEnd = 20
            $0.partial = validator.map { PartialDownload(validator: $0, totalBytes: 100, bootID: "boot") }
            $0.needsMatch = needsMatch
        }
        #expect(
            HeaderLines(after: Self.before).lines(of: request)
                == ["Accept-Encoding: identity", "Range: bytes=10-19"] + condition
        )
    }

    @Test func `a GET for the answer says nothing of the body, and repeats no key`() throws {
        let request = try Self.upload([("Content-Type", "text/plain"), ("Accept", "a/b"), ("Expect", "no")]) {
            $0.spec.idempotencyKey = "k"
        }
        #expect(
            HeaderLines(after: Self.before).lines(of: request)
                == ["Content-Type: text/plain", "Accept: a/b", "Expect: no", "Idempotency-Key: k"]
        )
        #expect(HeaderLines(after: Self.forAnswer).lines(of: request) == ["Accept: a/b", "Expect: no"])
    }

    @Test func `libcurl's own expectation is left out, unless the server is asked for a go-ahead`() throws {
        let request = try Self.upload()
        #expect(HeaderLines(after: Self.before).lines(of: request) == ["Expect:"])
        #expect(HeaderLines(after: Self.before, asksForGoAhead: true).lines(of: request) == [])
    }

    @Test func `cookies and an app's answer to a challenge have a place of their own`() throws {
        let request = try Self.upload([("Cookie", "a=1"), ("Authorization", "Bearer t")]) {
            $0.spec.sessionTask = SessionTaskKey(session: "s", task: 1)
        }
        let all = ["Cookie: a=1", "Authorization: Bearer t", "Accept-Encoding: identity", "Expect:"]
        #expect(HeaderLines(after: Self.before).lines(of: request) == all)
        var answered = request
        answered.spec.credentials = .init(user: "u", password: "p")
        let lines = HeaderLines(after: Self.before, withholdsCookies: true).lines(of: answered)
        #expect(lines == ["Accept-Encoding: identity", "Expect:"])
    }
}
