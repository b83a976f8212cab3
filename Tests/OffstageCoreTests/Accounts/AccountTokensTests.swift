// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// The rule of one account's tokens.
@Suite struct AccountTokensTests {
    private let first = AccountGrant(
        accessToken: "access-1",
        expiry: Deadline(setAt: Fixture.moment(0), delay: 14_400),
        refreshToken: "refresh-1"
    )

    private func fresh() -> AccountTokens { AccountTokens(name: "work", grant: first) }

    private func granted(_ token: String, at seconds: Double, refresh: String? = nil) -> TokenAnswer.Verdict {
        let expiry = Deadline(setAt: Fixture.moment(seconds), delay: 14_400)
        return .granted(AccountGrant(accessToken: token, expiry: expiry, refreshToken: refresh), accountID: nil)
    }

    private func kept(_ token: String, at seconds: Double, refresh: String = "refresh-1") -> AccountGrant {
        let expiry = Deadline(setAt: Fixture.moment(seconds), delay: 14_400)
        return AccountGrant(accessToken: token, expiry: expiry, refreshToken: refresh)
    }

    private let lost = TransferFailure(.cannotConnect, "nobody answers")

    @Test(arguments: [
        (0.0, true), (14_099, true), (14_100, false), (14_400, false), (100_000, false),
    ])
    func `a token is renewed five minutes before its end`(seconds: Double, isGiven: Bool) {
        var tokens = fresh()
        let actions = tokens.handle(.asked(1), now: Fixture.moment(seconds))
        #expect(actions == (isGiven ? [.answer([1], token: "access-1")] : [.refresh("refresh-1")]))
    }

    @Test func `a token without an end is never renewed on its own`() {
        var tokens = AccountTokens(
            name: "work",
            grant: AccountGrant(accessToken: "a", expiry: nil, refreshToken: "r")
        )
        #expect(tokens.handle(.asked(1), now: Fixture.moment(1e9)) == [.answer([1], token: "a")])
        #expect(tokens.handle(.asked(2, rejecting: "a"), now: Fixture.moment(1e9)) == [.refresh("r")])
    }

    @Test func `a key that a server refuses is kept, and refused to whoever says so`() {
        let key = AccessKey(id: "AKID", secret: "s")
        var tokens = AccountTokens(name: "work", grant: AccountGrant(key, mark: "m1"))
        let now = Fixture.moment(1e9)
        #expect(tokens.handle(.asked(1), now: now) == [.answer([1], token: "m1")])
        #expect(tokens.handle(.asked(2, rejecting: "another"), now: now) == [.answer([2], token: "m1")])
        let failure = TransferFailure.signInNeeded("work", .keyRefused)
        #expect(tokens.handle(.asked(3, rejecting: "m1"), now: now) == [.refuse([3], failure)])
        #expect(tokens.handle(.asked(4), now: now) == [.answer([4], token: "m1")])
    }

    @Test func `all who ask share one renewal`() {
        var tokens = fresh()
        let now = Fixture.moment(14_200)
        #expect(tokens.handle(.asked(1), now: now) == [.refresh("refresh-1")])
        for waiter: AccountTokens.Waiter in 2...50 {
            let rejected = waiter.isMultiple(of: 2) ? "access-1" : nil
            #expect(tokens.handle(.asked(waiter, rejecting: rejected), now: now).isEmpty)
        }
        let actions = tokens.handle(.refreshed(granted("access-2", at: 14_200)), now: now)
        #expect(actions == [.save(kept("access-2", at: 14_200)), .answer(Array(1...50), token: "access-2")])
        #expect(tokens.handle(.asked(51), now: now) == [.answer([51], token: "access-2")])
        #expect(tokens.handle(.saved, now: now).isEmpty)
    }

    @Test func `a rejected token is renewed once, however many were rejected with it`() {
        var tokens = fresh()
        let now = Fixture.moment(60)
        #expect(tokens.handle(.asked(1, rejecting: "access-1"), now: now) == [.refresh("refresh-1")])
        #expect(tokens.handle(.asked(2, rejecting: "access-1"), now: now).isEmpty)
        _ = tokens.handle(.refreshed(granted("access-2", at: 60)), now: now)
        // A caller whose request was answered late had the old token.
        let late = tokens.handle(.asked(3, rejecting: "access-1"), now: now)
        #expect(late == [.answer([3], token: "access-2")])
        #expect(tokens.handle(.asked(4, rejecting: "access-2"), now: now) == [.refresh("refresh-1")])
    }

    @Test func `a new refresh token is on the disk before anybody hears of the access token`() {
        var tokens = fresh()
        let now = Fixture.moment(14_200)
        _ = tokens.handle(.asked(1), now: now)
        let new = kept("access-2", at: 14_200, refresh: "refresh-2")
        let actions = tokens.handle(.refreshed(granted("access-2", at: 14_200, refresh: "refresh-2")), now: now)
        #expect(actions == [.save(new)])
        #expect(tokens.handle(.asked(2), now: now).isEmpty)
        #expect(tokens.handle(.saved, now: now) == [.answer([1, 2], token: "access-2")])
        #expect(tokens.handle(.asked(3, rejecting: "access-2"), now: now) == [.refresh("refresh-2")])
    }

    @Test func `a refused renewal wants a person, and everybody who waits is told`() {
        var tokens = fresh()
        let now = Fixture.moment(14_399)
        _ = tokens.handle(.asked(1), now: now)
        _ = tokens.handle(.asked(2), now: now)
        let refusal = TransferFailure.signInNeeded("work", .revoked)
        let actions = tokens.handle(.refreshed(.refused), now: now)
        #expect(actions == [.needSignIn(.revoked), .refuse([1, 2], refusal)])
        #expect(tokens.handle(.asked(3), now: now) == [.refuse([3], refusal)])
        #expect(tokens.grant == nil)
        #expect(refusal.code == .accountUnusable && refusal.retryClass == .permanent)
    }

    @Test func `a renewal that fails is no end, and the token that is left is still good`() {
        var tokens = fresh()
        let now = Fixture.moment(14_200)
        _ = tokens.handle(.asked(1), now: now)
        _ = tokens.handle(.asked(2, rejecting: "access-1"), now: now)
        let actions = tokens.handle(.refreshed(.failed(lost)), now: now)
        #expect(actions == [.answer([1], token: "access-1"), .refuse([2], lost)])
        // The next caller triggers another refresh. Once the token has expired, there is none to return.
        let later = Fixture.moment(14_401)
        #expect(tokens.handle(.asked(3), now: later) == [.refresh("refresh-1")])
        #expect(tokens.handle(.refreshed(.failed(lost)), now: later) == [.refuse([3], lost)])
    }

    @Test func `a service that asks to be left alone is`() {
        var tokens = fresh()
        let now = Fixture.moment(14_200)
        let busy = TransferFailure(.serverBusy, "later", retryAfter: 60)
        _ = tokens.handle(.asked(1), now: now)
        #expect(tokens.handle(.refreshed(.failed(busy)), now: now) == [.answer([1], token: "access-1")])
        // The current token is still valid for a caller that has not had it rejected.
        let soon = Fixture.moment(14_220)
        #expect(tokens.handle(.asked(2), now: soon) == [.answer([2], token: "access-1")])
        let left = TransferFailure(.serverBusy, "later", retryAfter: 40)
        #expect(tokens.handle(.asked(3, rejecting: "access-1"), now: soon) == [.refuse([3], left)])
        #expect(tokens.handle(.asked(4), now: Fixture.moment(14_260)) == [.refresh("refresh-1")])
    }

    @Test func `a token that nothing renews is used to its end, and then a person is wanted`() {
        let expiry = Deadline(setAt: Fixture.moment(0), delay: 14_400)
        let grant = AccountGrant(accessToken: "a", expiry: expiry, refreshToken: nil)
        var tokens = AccountTokens(name: "work", grant: grant)
        #expect(tokens.handle(.asked(1), now: Fixture.moment(14_399)) == [.answer([1], token: "a")])
        let end: [AccountTokens.Action] = [
            .needSignIn(.expired), .refuse([2], .signInNeeded("work", .expired)),
        ]
        #expect(tokens.handle(.asked(2), now: Fixture.moment(14_400)) == end)
        var rejected = AccountTokens(name: "work", grant: grant)
        #expect(rejected.handle(.asked(2, rejecting: "a"), now: Fixture.moment(1)) == end)
    }

    @Test func `an account that wants a person says why`() {
        var tokens = AccountTokens(name: "work", needsSignIn: .revoked)
        let actions = tokens.handle(.asked(1), now: Fixture.moment(0))
        #expect(actions == [.refuse([1], .signInNeeded("work", .revoked))])
    }

    @Test func `an account that is closed lets everybody go`() {
        var tokens = fresh()
        let now = Fixture.moment(14_200)
        _ = tokens.handle(.asked(1), now: now)
        #expect(tokens.handle(.closed(lost), now: now) == [.refuse([1], lost)])
        #expect(tokens.handle(.closed(lost), now: now).isEmpty)
        // The answer arrives after all, with no caller waiting.
        #expect(tokens.handle(.refreshed(granted("b", at: 14_200)), now: now) == [.save(kept("b", at: 14_200))])
    }

    @Test func `an answer that nobody asked for changes nothing`() {
        var tokens = fresh()
        #expect(tokens.handle(.refreshed(.refused), now: Fixture.moment(0)).isEmpty)
        #expect(tokens.handle(.saved, now: Fixture.moment(0)).isEmpty)
        #expect(tokens.grant == first)
    }

    @Test func `a clock that was set back makes no token last longer`() {
        var tokens = fresh()
        // In another boot, only the wall clock can be compared.
        let before = Fixture.moment(-50_000, boot: "boot-2")
        #expect(tokens.handle(.asked(1), now: before) == [.answer([1], token: "access-1")])
        let after = Fixture.moment(14_200, boot: "boot-2")
        #expect(tokens.handle(.asked(2), now: after) == [.refresh("refresh-1")])
    }

    @Test func `printing a grant shows nothing of it`() {
        var dumped = ""
        dump(first, to: &dumped)
        for text in ["\(first)", String(reflecting: first), "\([first])", dumped, "\(Optional(first) as Any)"] {
            #expect(!text.contains("access-1") && !text.contains("refresh-1"), "\(text)")
        }
    }
}
