// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The requests of accounts against a real server.
@Suite struct TokenRequestTests {
    private let server: FaultServer
    private let secret = "sl.SECRET-token"

    init() throws { server = try FaultServer() }

    private func account(_ change: (inout Account) -> Void = { _ in }) -> Account {
        var account = Account(name: "work", appKey: "key", addedAt: Date(timeIntervalSince1970: 0))
        change(&account)
        return account
    }

    private func send(
        _ url: String,
        _ body: TokenRequest.Body = .form([("grant_type", "refresh_token"), ("refresh_token", "a&b=c")]),
        _ change: (inout Account) -> Void = { _ in }
    ) throws -> Result<TokenAnswer, TransferFailure> {
        try TokenRequest(url, body, bearer: secret, of: account(change)).run()
    }

    private func failure(_ result: Result<TokenAnswer, TransferFailure>) -> TransferFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    @Test func `a form is posted, and the answer comes whole`() throws {
        server.script("/token", .status(400, [HeaderField(name: "Retry-After", value: "7")], body: "what?"))
        let answer = try send(server.url("/token")).get()
        #expect(answer.status == 400 && answer.body == Array("what?".utf8) && answer.retryAfter == 7)
        let request = try #require(server.requests("/token").first)
        #expect(request.method == "POST")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["Authorization"] == "Bearer \(secret)")
        #expect(String(decoding: request.body, as: UTF8.self) == "grant_type=refresh_token&refresh_token=a%26b%3Dc")
    }

    @Test func `JSON is posted as such`() throws {
        server.script("/route", .status(200))
        let answer = try send(server.url("/route"), .json("null")).get()
        #expect(answer.status == 200 && answer.body.isEmpty && answer.retryAfter == nil)
        let request = try #require(server.requests("/route").first)
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.body == Array("null".utf8))
    }

    @Test func `a redirect is not followed`() throws {
        server.script("/token", .redirect(to: server.url("/elsewhere"), status: 307))
        #expect(try send(server.url("/token")).get().status == 307)
        #expect(server.requests("/elsewhere").isEmpty)
    }

    @Test(arguments: ["http://far.example/token", "http://10.1.2.3/", "http://127.0.0.1.nip.example/"])
    func `plain http goes to this machine alone`(url: String) {
        #expect(throws: RequestError.self) { try TokenRequest(url, .json("null"), of: account()) }
    }

    @Test func `a question with a token is refused there too, and an owner's goes as the transfer went`() throws {
        let way = TokenRequest.Way(.init(), certificateAuthorityPath: nil)
        let url = "http://far.example/a"
        #expect(throws: RequestError.self) { try TokenRequest(url, .question(.init("GET", [])), by: way) }
        let options = TokenRequest.OwnersOptions(credentials: nil, connection: nil, pinnedKey: nil)
        _ = try TokenRequest(url, .question(.init("HEAD", [], owners: options)), by: way)
    }

    @Test func `an owner's question takes the owner's proxy, and an empty field is sent`() throws {
        let proxy = try FaultServer()
        proxy.script("http://far.invalid/a", .status(204))
        let way = TokenRequest.Way(.init(http: proxy.url("")), certificateAuthorityPath: nil)
        let options = TokenRequest.OwnersOptions(
            credentials: .init(user: "me", password: "hunter2"),
            connection: nil,
            pinnedKey: nil
        )
        let question = TokenRequest.Question("HEAD", [HeaderField(name: "X-Empty", value: "")], owners: options)
        let answer = try TokenRequest("http://far.invalid/a", .question(question), by: way).run().get()
        let request = try #require(proxy.requests.first)
        #expect(request.method == "HEAD" && request.headers["X-Empty"] == "" && answer.status == 204)
        #expect(request.headers["Authorization"] == "Basic bWU6aHVudGVyMg==")
    }

    @Test func `what goes to this machine takes no way round`() throws {
        let proxy = try FaultServer()
        server.script("/token", .status(200))
        let answer = try send(server.url("/token")) {
            $0.proxy = .init(http: proxy.url(""), https: proxy.url(""), all: proxy.url(""))
        }
        #expect(try answer.get().status == 200)
        #expect(proxy.connections == 0)
    }

    @Test func `what goes elsewhere takes the account's proxy, and tells it no secret`() throws {
        server.script("far.invalid:443", .status(407))
        let result = try send("https://far.invalid/token") { $0.proxy = .init(https: server.url("")) }
        #expect(failure(result)?.code == .proxyFailed)
        let connect = try #require(server.requests.first)
        #expect(connect.method == "CONNECT" && connect.headers["Authorization"] == nil && connect.body.isEmpty)
    }

    @Test func `a host that the environment exempts is reached directly`() throws {
        let result = try send("https://127.0.0.1:\(server.port)/token") {
            $0.proxy = .init(https: "http://127.0.0.1:1", none: "127.0.0.1")
        }
        // There is no TLS there, but the attempt shows where the request went.
        #expect([.secureConnectionFailed, .connectionLost].contains(failure(result)?.code))
        #expect(server.connections == 1)
    }

    @Test func `failures on the way are those of transfers, and hold no secret`() throws {
        let port = try FreePort.find()
        let refused = try #require(failure(try send("http://127.0.0.1:\(port)/token?x=\(secret)")))
        #expect(refused.code == .cannotConnect && refused.retryClass == .connection)
        server.script("/cut", .closes)
        server.script("/garbage", .garbage)
        let cut = try #require(failure(try send(server.url("/cut?x=\(secret)"))))
        let garbage = try #require(failure(try send(server.url("/garbage?x=\(secret)"))))
        #expect(cut.code == .connectionLost)
        for failure in [refused, cut, garbage] { #expect(!failure.detail.contains("SECRET"), "\(failure)") }
    }

    @Test func `an answer without end is none`() throws {
        server.script("/token", .endlessBody)
        #expect(failure(try send(server.url("/token")))?.code == .serverMisbehaves)
    }

    @Test func `a certificate file that cannot be read is named`() throws {
        let result = try send(server.url("/token")) { $0.certificateAuthorityPath = "/nowhere/ca.pem" }
        #expect(failure(result)?.code == .certificateFileUnreadable)
        #expect(server.connections == 0)
    }

    @Test func `a request is broken off when the daemon stops`() throws {
        server.script("/token", .stalls)
        let request = try TokenRequest(server.url("/token"), .json("null"), of: account())
        let isCancelled = Monitor(false)
        let result = Monitor<Result<TokenAnswer, TransferFailure>?>(nil)
        try TestThread.start {
            let end = request.run(isCancelled: { isCancelled.withLock { $0 } })
            result.withLock { $0 = end }
        }
        try server.waitForRequests("/token", count: 1)
        isCancelled.withLock { $0 = true }
        let found = try #require(result.wait(TimeLimit(seconds: 10)) { $0 })
        #expect(failure(found)?.code == .daemonInterrupted)
    }
}
