// SPDX-License-Identifier: Apache-2.0
import AccountTestSupport
import OffstageAccounts
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import OffstageTransfers
import Testing

/// What happens to an account, and to its waiting requests, after a sign-in under an existing or former name.
@Suite struct AccountSignInAgainTests {
    private let harness: AccountHarness
    private var service: TokenService { harness.service }

    init() throws { harness = try AccountHarness() }

    private func spec() throws -> TransferSpec {
        let parameters = DropboxParameters(account: "work", path: "/a")
        var spec = TransferSpec(
            direction: .upload(
                .init(path: "/home/a/film.mov", identity: .init(device: 1, inode: 2, size: 3, modified: 3))
            ),
            url: try parameters.url(),
            method: "POST",
            owner: "command"
        )
        spec.dialect = try parameters.dialectSpec()
        return spec
    }

    /// Requests a token as an upload does.
    private func token(_ parameters: DropboxParameters) async -> Result<GrantedToken, TransferFailure> {
        await harness.center.token(
            for: "work",
            rejecting: nil,
            at: [parameters.api, parameters.content],
            of: parameters.accountID
        )
    }

    @Test func `a file for one person is not sent to another's account of the same name`() async throws {
        try await harness.add()
        let admitted = try await harness.center.admitted(try spec(), requiresAccount: true)
        let parameters = try DropboxParameters(try #require(admitted.dialect))
        #expect(parameters.accountID == "dbid:someone")
        #expect(try await token(parameters).get() == GrantedToken("sl.SECRET-access-1", owner: "dbid:someone"))
        _ = try await harness.center.remove(RemoveAccount(account: "work"))
        service.change {
            $0.codes = ["code-2", "code-3"]
            $0.accountID = "dbid:another"
        }
        try await harness.add(code: "code-2")
        #expect(await token(parameters) == .failure(.accountOfAnother("work")))
        // The same person signs in again.
        _ = try await harness.center.remove(RemoveAccount(account: "work"))
        service.change { $0.accountID = "dbid:someone" }
        try await harness.add(code: "code-3")
        #expect(try await token(parameters).get().text == "sl.SECRET-access-3")
    }

    @Test func `a new sign-in has the one before withdrawn`() async throws {
        try await harness.add()
        service.change { $0.codes = ["code-2"] }
        try await harness.add(code: "code-2")
        try service.server.waitForRequests("/2/auth/token/revoke", count: 1)
        let service = service
        try eventually("the former tokens are withdrawn") {
            service.refreshTokens == ["SECRET-refresh-2"] && service.accessTokens == ["sl.SECRET-access-2"] ? true : nil
        }
        #expect(try await harness.center.token(for: "work").get() == "sl.SECRET-access-2")
    }

    @Test func `a new sign-in withdraws one whose token has ended, too`() async throws {
        try await harness.add()
        harness.advance(by: 14_401)
        service.change { $0.codes = ["code-2"] }
        try await harness.add(code: "code-2")
        let service = service
        try eventually("the former refresh token is withdrawn") {
            service.refreshTokens == ["SECRET-refresh-2"] ? true : nil
        }
        #expect(service.forms("refresh_token").map { $0["refresh_token"] } == ["SECRET-refresh-1"])
    }

    @Test func `of two people who sign in at once under a name one has it`() async throws {
        let gate = FaultGate()
        let known = FaultAnswer.status(200, body: #"{"email": "first@example.org"}"#)
        let other = FaultAnswer.status(200, body: #"{"email": "second@example.org"}"#)
        service.server.script("/2/users/get_current_account", .held(gate, then: known), other)
        let first = harness.begin(code: "code-1")
        try service.server.waitForRequests("/2/users/get_current_account", count: 1)
        service.change {
            $0.codes = ["code-2"]
            $0.accountID = "dbid:another"
        }
        let second = harness.begin(code: "code-2")
        let reply = try #require(second.wait(TimeLimit(seconds: 20)) { $0 })
        #expect(try reply.get().row.account.accountID == "dbid:another")
        gate.open()
        let end = try #require(first.wait(TimeLimit(seconds: 20)) { $0 })
        let error = #expect(throws: WireFailure.self) { try end.get() }
        #expect(error?.message.contains("second@example.org") == true)
        #expect(try await harness.row()?.account.accountID == "dbid:another")
        #expect(service.accessTokens == ["sl.SECRET-access-2"])
    }

    @Test func `a refresh token that comes while the daemon stops is kept`() async throws {
        // On a busy machine, an answer that does not arrive within a second of the stop may be abandoned.
        var isKept = false
        for _ in 0..<5 where !isKept { isKept = try await keepsTokenAtStop() }
        #expect(isKept)
    }

    /// Whether the next daemon has the refresh token that the service gave as this one stopped.
    private func keepsTokenAtStop() async throws -> Bool {
        let harness = try AccountHarness()
        let gate = FaultGate()
        harness.service.change {
            $0.rotates = true
            $0.gate = gate
        }
        try await harness.add()
        let waiting = harness.ask(rejecting: "sl.SECRET-access-1")
        try harness.service.server.waitForRequests("/oauth2/token", count: 2)
        let hasEnded = Monitor(false)
        try TestThread.start {
            harness.end()
            hasEnded.withLock { $0 = true }
        }
        guard case .failure(let failure) = try waiting.result(), failure.code == .daemonInterrupted else {
            throw TestError("Who waited when the daemon stopped was given a token.")
        }
        gate.open()
        _ = hasEnded.wait(TimeLimit(seconds: 20)) { $0 ? true : nil }
        let next = try AccountHarness(after: harness)
        let token = await next.center.token(for: "work")
        return try token.get() == "sl.SECRET-access-2"
    }
}
