// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Sign-ins: two with one name, ones that are not durable, and ones that are never answered.
@Suite struct AccountSignInClockTests {
    private var stage: AccountStage

    init() throws {
        stage = try AccountStage()
        stage.service.codes = ["code-1", "code-2"]
    }

    @Test func `a second sign-in takes the place of the first, whose tokens are withdrawn`() throws {
        #expect(try stage.signIn("code-1").isNew)
        #expect(try !stage.signIn("code-2").isNew)
        stage.engine.settle()
        #expect(try stage.token() == "access-2")
        #expect(stage.service.revocations.map(\.bearer) == ["access-1"])
        #expect(!stage.service.isGood("access-1"))
    }

    @Test func `who waits for a token while somebody signs in again has the new one`() throws {
        try stage.signIn("code-1")
        stage.service.rotates = true
        stage.engine.disk.isFull = true
        // The renewal is not durable yet when the second sign-in is.
        let (center, request) = (stage.center, try stage.request("code-2"))
        let waiting = stage.engine.begin { await center.token(for: "work", rejecting: "access-1") }
        stage.engine.advance(by: 5)
        #expect(!waiting.hasEnded)
        stage.engine.disk.isFull = false
        let added = stage.engine.begin { try await center.add(request) }
        stage.engine.advance(by: 5)
        #expect(try added.value()?.isNew == false)
        #expect(try waiting.value()?.get() == "access-3")
    }

    @Test func `two signs-in at the same time leave one, and it works`() throws {
        let (center, one, other) = (stage.center, try stage.request("code-1"), try stage.request("code-2"))
        let first = stage.engine.beginLater { try await center.add(one) }
        let second = stage.engine.beginLater { try await center.add(other) }
        stage.engine.settle()
        #expect(first.hasEnded && second.hasEnded)
        let token = try stage.token()
        #expect(stage.service.isGood(token))
        #expect(stage.service.revocations.count == 1)
        #expect(stage.service.revocations.first?.bearer != token)
    }

    @Test func `another user's sign-in is refused and withdrawn, and the first is kept`() throws {
        try stage.signIn("code-1")
        stage.service.accountID = "dbid:another"
        let refusal = #expect(throws: WireFailure.self) { try stage.signIn("code-2") }
        #expect(refusal?.message.contains("another user") == true)
        #expect(stage.service.revocations.map(\.bearer) == ["access-2"])
        #expect(try stage.token() == "access-1")
    }

    @Test func `a sign-in that cannot be kept is withdrawn, and said to have failed`() throws {
        stage.engine.disk.isFull = true
        #expect(throws: StoreError.self) { try stage.signIn("code-1") }
        stage.engine.disk.isFull = false
        stage.engine.settle()
        #expect(stage.service.revocations.map(\.bearer) == ["access-1"])
        #expect(try stage.row() == nil)
    }

    @Test(arguments: [false, true])
    mutating func `a sign-in that is cut off at its commit is there, whole, or not at all`(isAfter: Bool) throws {
        stage.engine.disk.cutOff(at: .init(commit: 1, isAfter: isAfter))
        _ = try? stage.signIn("code-1")
        stage = try stage.next()
        #expect(try stage.row()?.standing == (isAfter ? .usable : nil))
        if isAfter { #expect(try stage.token() == "access-1") }
    }

    @Test func `a person has a quarter of an hour to say that an account is theirs`() throws {
        let number = try #require(try stage.signIn("code-1", asksFirst: true).unconfirmed)
        stage.engine.advance(by: 899)
        #expect(try stage.confirm(number).isNew)
        #expect(try stage.token() == "access-1")
    }

    @Test func `after that the sign-in has expired, and is withdrawn`() throws {
        let number = try #require(try stage.signIn("code-1", asksFirst: true).unconfirmed)
        stage.engine.advance(by: 901)
        let refusal = #expect(throws: WireFailure.self) { try stage.confirm(number) }
        #expect(refusal?.message.contains("has expired") == true)
        stage.engine.settle()
        #expect(stage.service.revocations.map(\.bearer) == ["access-1"])
        #expect(try stage.row() == nil)
    }

    @Test mutating func `an account that is removed is withdrawn, and gone for the next daemon`() throws {
        try stage.signIn("code-1")
        let center = stage.center
        let reply = try stage.engine.run { try await center.remove(RemoveAccount(account: "work")) }
        #expect(reply.notRevoked == nil)
        #expect(!stage.service.isGood("access-1"))
        stage = try stage.next()
        #expect(try stage.row() == nil)
        #expect(try stage.failure()?.code == .accountUnusable)
    }
}
