// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// When a token is renewed, to the second, and what happens to requests for one while it cannot be.
@Suite struct AccountRenewalTests {
    private var stage: AccountStage

    init() throws {
        stage = try AccountStage()
        try stage.signIn()
    }

    private var renewals: Int { stage.service.asked("refresh_token").count }
    private static let lost = TransferFailure(.connectionLost, "the network broke")

    @Test func `a token is given out until five minutes before its end, and then is renewed`() throws {
        stage.engine.advance(by: 14_400 - 300 - 1)
        #expect(try stage.token() == "access-1")
        stage.engine.advance(by: 0.9)
        #expect(try stage.token() == "access-1")
        #expect(renewals == 0)
        stage.engine.advance(by: 0.2)
        #expect(try stage.token() == "access-2")
        #expect(renewals == 1)
        // The new token has its own lifetime.
        stage.engine.advance(by: 14_400 - 301)
        #expect(try stage.token() == "access-2")
        stage.engine.advance(by: 2)
        #expect(try stage.token() == "access-3")
    }

    @Test func `nobody asks a service for a token that nobody wants`() throws {
        let before = stage.service.requests.count
        stage.engine.advance(by: 30 * 86_400)
        #expect(stage.service.requests.count == before)
        #expect(try stage.token() == "access-2")
    }

    @Test func `a hundred who want one at the same time share one renewal`() throws {
        let center = stage.center
        let begun = (0..<100).map { number in
            stage.engine.beginLater { await center.token(for: "work", rejecting: number < 50 ? "access-1" : nil) }
        }
        stage.engine.advance(by: 14_000)
        let late = (0..<100).map { _ in stage.engine.beginLater { await center.token(for: "work") } }
        stage.engine.settle()
        #expect(try Set(begun.map { try $0.value()?.get() }).isSubset(of: ["access-1", "access-2"]))
        #expect(try begun.prefix(50).allSatisfy { try $0.value()?.get() == "access-2" })
        #expect(try late.allSatisfy { try $0.value()?.get() == "access-2" })
        #expect(renewals == 1)
    }

    @Test func `a service that fails costs nothing as long as the token is good`() throws {
        stage.service.trouble = .failure(Self.lost)
        stage.engine.advance(by: 14_200)
        #expect(try stage.token() == "access-1")
        #expect(renewals == 1)
        stage.engine.advance(by: 201)
        #expect(try stage.failure()?.code == .connectionLost)
        stage.service.trouble = nil
        #expect(try stage.token() == "access-2")
    }

    @Test func `a service that asks for a minute is not asked before, and then is`() throws {
        stage.engine.advance(by: 14_401)
        stage.service.trouble = .success(TokenAnswer(status: 429, body: [], retryAfter: 60))
        #expect(try stage.failure()?.retryAfter == 60)
        stage.engine.advance(by: 20)
        let told = try #require(try stage.failure()?.retryAfter)
        #expect(abs(told - 40) < 0.01)
        stage.engine.advance(by: 39)
        _ = try stage.failure()
        #expect(renewals == 1)
        stage.service.trouble = nil
        stage.engine.advance(by: 2)
        #expect(try stage.token() == "access-2")
        #expect(renewals == 2)
    }

    @Test func `an answer that makes no sense is a failure, and costs no sign-in`() throws {
        stage.engine.advance(by: 14_401)
        for text in ["", "<html>", #"{"access_token": ""}"#, #"{"access_token": "a b", "expires_in": 1}"#] {
            stage.service.trouble = .success(TokenAnswer(status: 200, body: Array(text.utf8)))
            #expect(try stage.failure()?.code == .serverMisbehaves)
        }
        stage.service.trouble = nil
        #expect(try stage.token() == "access-2")
    }

    @Test mutating func `a refusal ends the sign-in for good, and the next daemon knows`() throws {
        stage.service.revokeAll()
        #expect(try stage.failure(rejecting: "access-1")?.code == .accountUnusable)
        #expect(try stage.row()?.standing == .needsSignIn)
        let asked = stage.service.requests.count
        _ = try stage.failure()
        #expect(stage.service.requests.count == asked)
        stage = try stage.next()
        #expect(try stage.failure()?.code == .accountUnusable)
        #expect(stage.service.requests.count == asked)
        stage.service.codes = ["code-2"]
        try stage.signIn("code-2")
        #expect(try stage.token() == "access-2")
    }

    @Test mutating func `a token from before a restart has the rest of its time`() throws {
        stage.engine.advance(by: 7200)
        stage = try stage.next(after: 6890)
        #expect(try stage.token() == "access-1")
        stage.engine.advance(by: 20)
        #expect(try stage.token() == "access-2")
    }

    @Test mutating func `a refresh token that replaces another is durable before anybody has its token`() throws {
        stage.service.rotates = true
        stage.engine.disk.isFull = true
        let center = stage.center
        let begun = stage.engine.begin { await center.token(for: "work", rejecting: "access-1") }
        stage.engine.advance(by: 30)
        #expect(!begun.hasEnded)
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect(try begun.value()?.get() == "access-2")
        stage = try stage.next()
        #expect(try stage.token(rejecting: "access-2") == "access-3")
        #expect(stage.service.asked("refresh_token").last?.fields["refresh_token"] == "refresh-2")
    }

    @Test mutating func `a refresh token that comes while a sign-in cannot be kept is there for the next daemon`()
        throws
    {
        let refusals = Monitor<[Double]>([])
        stage = try AccountStage { RefusingAccountStore(store: $0.store, loop: $0.loop, refusals: refusals) }
        try stage.signIn()
        stage.service.codes = ["code-2"]
        stage.service.rotates = true
        // The renewal is tried again while the sign-in waits for its commit, which eventually fails.
        refusals.withLock { $0 = [0, 60] }
        let (center, request) = (stage.center, try stage.request("code-2"))
        let renewed = stage.engine.begin { await center.token(for: "work", rejecting: "access-1") }
        stage.engine.advance(by: 0.1)
        let added = stage.engine.begin { try await center.add(request) }
        stage.engine.advance(by: 59)
        #expect(try renewed.value()?.get() == "access-2")
        #expect(!added.hasEnded)
        stage.engine.advance(by: 10)
        #expect(throws: StoreError.self) { try added.value() }
        stage = try stage.next()
        #expect(try stage.token(rejecting: "access-2") == "access-4")
        #expect(stage.service.asked("refresh_token").last?.fields["refresh_token"] == "refresh-2")
    }

    @Test func `without a new refresh token nobody waits for a full disk`() throws {
        stage.engine.disk.isFull = true
        #expect(try stage.token(rejecting: "access-1") == "access-2")
        #expect(stage.engine.elapsed < 1)
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
    }
}
