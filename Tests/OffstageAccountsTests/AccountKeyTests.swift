// SPDX-License-Identifier: Apache-2.0
import AccountTestSupport
import FoundationEssentials
import OffstageAccounts
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// S3 accounts on the daemon's own loop: their keys, and where the keys may sign.
@Suite struct AccountKeyTests {
    private let harness: AccountHarness
    private let server: FaultServer

    private static let key = AccessKey(id: "AKIAIOSFODNN7EXAMPLE", secret: "hunter2-secret")

    init() throws {
        harness = try AccountHarness()
        server = try FaultServer()
        server.script("/", .status(200))
    }

    private func account(_ name: String = "minio", at base: String? = nil) -> Account {
        Account(
            name: name,
            service: .s3(S3Endpoint(base: base ?? server.url(""), region: "us-east-1")),
            addedAt: Date(timeIntervalSince1970: 0)
        )
    }

    @discardableResult
    private func add(_ key: AccessKey = key) async throws -> AddKeyAccount.Reply {
        let (center, request) = (harness.center, AddKeyAccount(account: account(), key: key))
        return try await harness.onLoop { try await center.add(request) }
    }

    private func token(
        _ name: String = "minio",
        rejecting: String? = nil,
        at places: [String]? = nil
    ) async -> Result<GrantedToken, TransferFailure> {
        await harness.center.token(for: name, rejecting: rejecting, at: places ?? [server.url("")], of: nil)
    }

    private func failure(_ result: Result<GrantedToken, TransferFailure>) -> TransferFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    @Test func `a key is given out for its own server, and for no other`() async throws {
        let reply = try await add()
        #expect(reply.isNew && reply.notChecked == nil && reply.row.account.accountID == "AKIA…MPLE")
        #expect(try await token().get().accessKey == Self.key)
        for place in ["https://other.example", server.url("").replacing("http:", with: "https:")] {
            #expect(failure(await token(at: [place])) == .accountElsewhere("minio"))
            #expect(failure(await token(at: [server.url(""), place])) == .accountElsewhere("minio"))
        }
        #expect(failure(await token(at: [])) == .accountElsewhere("minio"))
        #expect(failure(await token("other")) == .noAccount("other"))
    }

    @Test func `it lies in the store sealed, and is there after a restart`() async throws {
        try await add()
        let bytes = try harness.storedBytes()
        #expect(
            bytes.firstRange(of: Array("hunter2".utf8)) == nil && bytes.firstRange(of: Array(Self.key.id.utf8)) == nil
        )
        let next = try AccountHarness(after: harness)
        let token = await next.center.token(for: "minio", rejecting: nil, at: [server.url("")], of: nil)
        #expect(try token.get().accessKey == Self.key)
        #expect(try await next.row("minio")?.account.kind == .s3)
        #expect(!next.log.contains { "\($0)".contains("hunter2") })
    }

    @Test func `a refused key is kept for others, and one that replaces it is not taken for it`() async throws {
        try await add()
        let first = try await token().get()
        #expect(failure(await token(rejecting: first.text)) == .signInNeeded("minio", .keyRefused))
        #expect(try await token().get().accessKey == Self.key)
        #expect(try await harness.row("minio")?.standing == .usable)
        // The same ID with another secret: the first secret was mistyped.
        let right = AccessKey(id: Self.key.id, secret: "right")
        let reply = try await add(right)
        #expect(!reply.isNew && reply.row.standing == .usable)
        #expect(try await token(rejecting: first.text).get().accessKey == right)
    }

    @Test func `what the server says of a key decides whether it is kept`() async throws {
        for code in ["InvalidAccessKeyId", "SignatureDoesNotMatch"] {
            server.script("/", .status(403, body: "<Error><Code>\(code)</Code></Error>"))
            do {
                let reply = try await add()
                Issue.record("The key is kept: \(reply.notChecked ?? "the server is said to know it")")
            } catch let error as WireFailure {
                #expect(!error.message.contains("hunter2"))
            }
            #expect(try await harness.row("minio") == nil)
        }
        server.script("/", .status(403, body: "<Error><Code>AccessDenied</Code></Error>"))
        #expect(try await add().notChecked == nil)
        server.script("/", .status(500))
        #expect(try await add().notChecked?.contains("500") == true)
    }

    @Test func `what is no key, or not for S3, is refused`() async throws {
        for key in [
            AccessKey(id: "", secret: "s"), AccessKey(id: "a b", secret: "s"), AccessKey(id: "a", secret: "ü"),
            AccessKey(id: "a", secret: String(repeating: "s", count: 9000)),
            AccessKey(id: "a", secret: "s", sessionToken: "t"),
        ] {
            await #expect(throws: RequestError.self) { try await add(key) }
        }
        let dropbox = Account(name: "minio", appKey: "k", addedAt: Date(timeIntervalSince1970: 0))
        await #expect(throws: RequestError.self) {
            try await harness.center.add(AddKeyAccount(account: dropbox, key: Self.key))
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a name belongs to one service`() async throws {
        try await harness.add("minio")
        await #expect(throws: WireFailure.self) { try await add() }
        #expect(try await harness.row("minio")?.account.kind == .dropbox)
        #expect(failure(await token()) == .accountElsewhere("minio"))
    }

    @Test func `a removed key is gone, and its owner is told that it is still valid`() async throws {
        try await add()
        let reply = try await harness.center.remove(RemoveAccount(account: "minio"))
        #expect(reply.notRevoked?.contains("is still valid at \(server.url(""))") == true)
        #expect(failure(await token()) == .noAccount("minio"))
        let request = AddAccount(
            account: account(),
            code: "c",
            verifier: String(repeating: "v", count: 43),
            redirectURI: nil
        )
        await #expect(throws: WireFailure.self) { try await harness.center.add(request) }
    }
}
