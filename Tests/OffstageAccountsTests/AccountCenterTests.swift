// SPDX-License-Identifier: Apache-2.0
import AccountTestSupport
import Glibc
import OffstageAccounts
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// The daemon's accounts, on its own loop and with a server.
@Suite struct AccountCenterTests {
    private let harness: AccountHarness
    private var service: TokenService { harness.service }

    init() throws { harness = try AccountHarness() }

    private func failure(_ result: Result<String, TransferFailure>) -> TransferFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    @Test func `a code becomes an account whose token is given out`() async throws {
        let reply = try await harness.add()
        #expect(reply.isNew)
        #expect(reply.row.account.accountID == "dbid:someone" && reply.row.account.email == "someone@example.org")
        #expect(reply.row.standing == .usable && reply.row.renewsItself)
        #expect(try await harness.center.token(for: "work").get() == "sl.SECRET-access-1")
        let form = try #require(service.forms("authorization_code").first)
        #expect(form["client_id"] == "app-key" && form["code"] == "code-1" && form["redirect_uri"] == nil)
        #expect(form["client_secret"] == nil)
        #expect(service.forms("refresh_token").isEmpty)
    }

    @Test func `an account that a person is asked about is kept when they say that it is theirs`() async throws {
        let reply = try await harness.add(asksFirst: true)
        let number = try #require(reply.unconfirmed)
        #expect(reply.isNew && reply.row.account.email == "someone@example.org")
        #expect(try await harness.row() == nil)
        let kept = try await harness.center.confirm(ConfirmAccount(number: number, keeps: true))
        #expect(kept.isNew && kept.row?.account.accountID == "dbid:someone")
        #expect(try await harness.center.token(for: "work").get() == "sl.SECRET-access-1")
        await #expect(throws: WireFailure.self) {
            _ = try await harness.center.confirm(ConfirmAccount(number: number, keeps: true))
        }
    }

    @Test func `one that is not theirs is withdrawn, and nothing is changed`() async throws {
        try await harness.add()
        service.change { $0.codes = ["code-2"] }
        let number = try #require(try await harness.add(code: "code-2", asksFirst: true).unconfirmed)
        let reply = try await harness.center.confirm(ConfirmAccount(number: number, keeps: false))
        #expect(reply.row == nil && reply.notRevoked == nil)
        #expect(service.server.requests("/2/auth/token/revoke").count == 1)
        #expect(try await harness.center.token(for: "work").get() == "sl.SECRET-access-1")
    }

    @Test func `sign-ins that nobody answers for are not kept without end`() async throws {
        service.change { $0.codes = Set((1...20).map { "code-\($0)" }) }
        var numbers: [UInt64] = []
        for count in 1...20 {
            numbers.append(try #require(try await harness.add(code: "code-\(count)", asksFirst: true).unconfirmed))
        }
        await #expect(throws: WireFailure.self) {
            _ = try await harness.center.confirm(ConfirmAccount(number: numbers[0], keeps: true))
        }
        #expect(try await harness.center.confirm(ConfirmAccount(number: numbers[19], keeps: true)).row != nil)
    }

    @Test func `an account that the next daemon finds is opened with the key`() async throws {
        try await harness.add()
        let next = try AccountHarness(after: harness)
        #expect(try await next.center.token(for: "work").get() == "sl.SECRET-access-1")
        #expect(try await next.row()?.standing == .usable)
    }

    @Test func `no token is on the disk as it is`() async throws {
        try await harness.add()
        _ = await harness.center.token(for: "work", rejecting: "sl.SECRET-access-1")
        let bytes = try harness.storedBytes()
        #expect(bytes.count > 4096)
        for mark in ["SECRET", "code-1", String(repeating: "v", count: 43)] {
            let wanted = Array(mark.utf8)
            #expect(!bytes.indices.contains { bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted) }, "\(mark)")
        }
    }

    @Test func `a token is renewed once for all who wait, five minutes before its end`() async throws {
        try await harness.add()
        harness.advance(by: 14_400 - 301)
        #expect(try await harness.center.token(for: "work").get() == "sl.SECRET-access-1")
        harness.advance(by: 2)
        let gate = FaultGate()
        service.change { $0.gate = gate }
        let askers = (0..<40).map { harness.ask(rejecting: $0.isMultiple(of: 2) ? nil : "sl.SECRET-access-1") }
        try service.server.waitForRequests("/oauth2/token", count: 2)
        gate.open()
        let tokens = Set(try askers.map { try $0.result().get() })
        #expect(tokens == ["sl.SECRET-access-2"])
        let forms = service.forms("refresh_token")
        let form = ["grant_type": "refresh_token", "refresh_token": "SECRET-refresh-1", "client_id": "app-key"]
        #expect(forms == [form])
        let late = await harness.center.token(for: "work", rejecting: "sl.SECRET-access-1")
        #expect(try late.get() == "sl.SECRET-access-2")
    }

    @Test func `a renewed token is written once the store works again`() async throws {
        let isFull = Monitor(false)
        let harness = try AccountHarness(seenThrough: { FailingAccountStore(store: $0, isFull: isFull) })
        try await harness.add()
        isFull.withLock { $0 = true }
        let before = try await harness.stored()
        let token = await harness.center.token(for: "work", rejecting: "sl.SECRET-access-1")
        #expect(try token.get() == "sl.SECRET-access-2")
        try eventually("the store has failed") {
            harness.log.contains { $0.level == .error && $0["reason"] == StoreError.full(path: "/s").sentence }
                ? true : nil
        }
        #expect(try await harness.stored() == before)
        isFull.withLock { $0 = false }
        harness.advance(by: 2)
        try eventually("the store works") { harness.log.contains { $0.level == .notice } ? true : nil }
        #expect(try await harness.stored() != before)
        let next = try AccountHarness(after: harness)
        #expect(try await next.center.token(for: "work").get() == "sl.SECRET-access-2")
        #expect(harness.service.forms("refresh_token").count == 1)
    }

    @Test func `the renewed token is kept for the next daemon`() async throws {
        try await harness.add()
        _ = await harness.center.token(for: "work", rejecting: "sl.SECRET-access-1")
        let next = try AccountHarness(after: harness)
        #expect(try await next.center.token(for: "work").get() == "sl.SECRET-access-2")
        #expect(service.forms("refresh_token").count == 1)
    }

    @Test func `a service that changes refresh tokens is followed`() async throws {
        service.change { $0.rotates = true }
        try await harness.add()
        for number in 1...3 {
            let token = await harness.center.token(for: "work", rejecting: "sl.SECRET-access-\(number)")
            #expect(try token.get() == "sl.SECRET-access-\(number + 1)")
        }
        let next = try AccountHarness(after: harness)
        let token = await next.center.token(for: "work", rejecting: "sl.SECRET-access-4")
        #expect(try token.get() == "sl.SECRET-access-5")
        #expect(service.forms("refresh_token").map { $0["refresh_token"] } == (1...4).map { "SECRET-refresh-\($0)" })
    }

    @Test func `a refused renewal wants a person, tells everybody, and is asked once`() async throws {
        try await harness.add()
        service.revokeAll()
        let askers = (0..<10).map { _ in harness.ask(rejecting: "sl.SECRET-access-1") }
        let failures = try askers.map { failure(try $0.result()) }
        #expect(failures.allSatisfy { $0 == .signInNeeded("work", .revoked) })
        #expect(service.forms("refresh_token").count == 1)
        let row = try #require(try await harness.row())
        #expect(row.standing == .needsSignIn && row.since != nil)
        #expect(row.reason?.contains("no longer accepts it") == true)
        #expect(harness.log.contains { $0.message == "an account needs a new sign-in" && $0["account"] == "work" })
        // The next daemon has it without asking.
        let next = try AccountHarness(after: harness)
        #expect(try await next.row()?.standing == .needsSignIn)
        #expect(failure(await next.center.token(for: "work")) == .signInNeeded("work", .revoked))
        #expect(service.forms("refresh_token").count == 1)
        service.change { $0.codes = ["code-2"] }
        let again = try await next.add(code: "code-2")
        #expect(!again.isNew && again.row.standing == .usable)
        #expect(try await next.center.token(for: "work").get() == "sl.SECRET-access-2")
    }

    @Test func `a server in trouble is no reason for a new sign-in`() async throws {
        try await harness.add()
        service.change {
            $0.troubles = [.busy(503, retryAfter: "7"), .closes, .status(200, body: "<html>"), .status(403)]
        }
        var failures: [TransferFailure?] = []
        for _ in 0..<4 {
            harness.advance(by: 8)
            failures.append(failure(await harness.center.token(for: "work", rejecting: "sl.SECRET-access-1")))
        }
        #expect(failures.map { $0?.code } == [.serverBusy, .connectionLost, .serverMisbehaves, .accountUnusable])
        #expect(failures[0]?.retryAfter == 7)
        #expect(try await harness.row()?.standing == .usable)
        let token = await harness.center.token(for: "work", rejecting: "sl.SECRET-access-1")
        #expect(try token.get() == "sl.SECRET-access-2")
    }

    @Test func `without its key an account wants a person, and another key does not help`() async throws {
        try await harness.add()
        harness.end()
        unlink(harness.directory.path("accounts.key"))
        let next = try AccountHarness(after: harness)
        #expect(failure(await next.center.token(for: "work")) == .signInNeeded("work", .keyMissing))
        #expect(try await next.row()?.standing == .needsSignIn)
        service.change { $0.codes = ["code-2", "code-3"] }
        try await next.add("other", code: "code-2")
        #expect(failure(await next.center.token(for: "work")) == .signInNeeded("work", .unreadable))
        #expect(try await next.center.token(for: "other").get() == "sl.SECRET-access-2")
        try await next.add("work", code: "code-3")
        #expect(try await next.center.token(for: "work").get() == "sl.SECRET-access-3")
    }

    @Test func `a key that is put back is found at once`() async throws {
        try await harness.add()
        let key = harness.directory.path("accounts.key")
        let next = try AccountHarness(after: harness)
        #expect(rename(key, key + ".away") == 0)
        #expect(failure(await next.center.token(for: "work")) == .signInNeeded("work", .keyMissing))
        #expect(rename(key + ".away", key) == 0)
        #expect(try await next.center.token(for: "work").get() == "sl.SECRET-access-1")
        #expect(try await next.row()?.standing == .usable)
    }

    @Test func `a key that others may read blocks its accounts until that is put right`() async throws {
        try await harness.add()
        let key = harness.directory.path("accounts.key")
        let next = try AccountHarness(after: harness)
        #expect(chmod(key, 0o644) == 0)
        let refused = try #require(failure(await next.center.token(for: "work")))
        #expect(refused.code == .accountUnusable && refused.detail.contains("0600") && !refused.detail.hasSuffix("."))
        let row = try #require(try await next.row())
        #expect(row.standing == .blocked && row.reason?.contains(key) == true)
        service.change { $0.codes = ["code-2"] }
        let error = await #expect(throws: WireFailure.self) { try await next.add("other", code: "code-2") }
        #expect(error?.message.contains(key) == true)
        // The useless grant is revoked.
        #expect(!service.accessTokens.contains("sl.SECRET-access-2"))
        #expect(chmod(key, 0o600) == 0)
        #expect(try await next.row()?.standing == .usable)
    }

    @Test func `a store that was changed by hand makes an account want a person`() async throws {
        try await harness.add()
        service.change { $0.codes = ["code-2"] }
        try await harness.add("other", code: "code-2")
        harness.end()
        let path = harness.directory.path("store.sqlite")
        let swap = "UPDATE accounts SET grant_sealed = (SELECT grant_sealed FROM accounts WHERE name = 'other')"
        let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()"
        #expect(try ChildProcess.run("/usr/bin/python3", ["-c", script, path, swap]).isSuccess)
        let next = try AccountHarness(after: harness)
        #expect(failure(await next.center.token(for: "work")) == .signInNeeded("work", .unreadable))
        #expect(try await next.center.token(for: "other").get() == "sl.SECRET-access-2")
    }

    @Test func `a removed account is withdrawn at the service and forgotten`() async throws {
        try await harness.add()
        let reply = try await harness.center.remove(RemoveAccount(account: "work"))
        #expect(reply.notRevoked == nil)
        #expect(service.accessTokens.isEmpty && service.refreshTokens.isEmpty)
        #expect(try await harness.center.list().rows.isEmpty)
        #expect(failure(await harness.center.token(for: "work")) == .noAccount("work"))
        let error = await #expect(throws: WireFailure.self) {
            try await harness.center.remove(RemoveAccount(account: "work"))
        }
        #expect(error?.code == .notFound)
        let next = try AccountHarness(after: harness)
        #expect(try await next.center.list().rows.isEmpty)
    }

    @Test func `an account is forgotten although the service cannot be told`() async throws {
        try await harness.add()
        service.server.script("/2/auth/token/revoke", .status(500))
        let reply = try await harness.center.remove(RemoveAccount(account: "work"))
        #expect(reply.notRevoked?.contains("answered 500") == true)
        #expect(try await harness.center.list().rows.isEmpty)
    }

    @Test func `who waits for a token of an account gets that of a new sign-in`() async throws {
        try await harness.add()
        let gate = FaultGate()
        service.change { $0.gate = gate }
        let waiting = harness.ask(rejecting: "sl.SECRET-access-1")
        try service.server.waitForRequests("/oauth2/token", count: 2)
        service.change { $0.codes = ["code-2"] }
        try await harness.add(code: "code-2")
        #expect(try waiting.result().get() == "sl.SECRET-access-2")
        gate.open()
        // The old sign-in's late token is discarded.
        #expect(try await harness.center.token(for: "work").get() == "sl.SECRET-access-2")
    }

    @Test func `a sign-in as somebody else does not take an account's place`() async throws {
        try await harness.add()
        service.change {
            $0.codes = ["code-2"]
            $0.accountID = "dbid:another"
        }
        let error = await #expect(throws: WireFailure.self) { try await harness.add(code: "code-2") }
        #expect(error?.message.contains("someone@example.org") == true)
        #expect(try await harness.row()?.account.accountID == "dbid:someone")
        #expect(!service.accessTokens.contains("sl.SECRET-access-2"))
    }

    @Test func `a code that is not accepted leaves nothing behind`() async throws {
        let error = await #expect(throws: WireFailure.self) { try await harness.add(code: "wrong") }
        #expect(error?.code == .notApplicable && error?.message.contains("does not accept the code") == true)
        #expect(error?.message.contains("'offstage account add dropbox --name work'") == true)
        #expect(try await harness.center.list().rows.isEmpty)
        #expect(!TestFiles.exists(harness.directory.path("accounts.key")))
    }

    @Test func `a service that says no name is taken as it is`() async throws {
        service.change {
            $0.email = nil
            $0.isOffline = false
        }
        let reply = try await harness.add()
        #expect(reply.row.account.email == nil && !reply.row.renewsItself)
        harness.advance(by: 14_401)
        let row = try #require(try await harness.row())
        #expect(row.standing == .needsSignIn && row.reason?.contains("gave no refresh token") == true)
        let (since, end) = (try #require(row.since), try #require(reply.row.tokenEnds))
        #expect(abs(since.timeIntervalSince(end)) < 1)
        #expect(failure(await harness.center.token(for: "work")) == .signInNeeded("work", .expired))
    }

    @Test func `an end of the daemon lets nobody wait`() async throws {
        try await harness.add()
        service.change { $0.troubles = [.stalls] }
        let waiting = harness.ask(rejecting: "sl.SECRET-access-1")
        try service.server.waitForRequests("/oauth2/token", count: 2)
        harness.end()
        #expect(failure(try waiting.result())?.code == .daemonInterrupted)
    }

    @Test func `nothing that is said holds a token`() async throws {
        try await harness.add()
        service.change { $0.troubles = [.status(400, body: #"{"error": "sl.SECRET-access-1 SECRET-refresh-1"}"#)] }
        var said = harness.log.map(\.text)
        said.append("\(failure(await harness.center.token(for: "work", rejecting: "sl.SECRET-access-1")) as Any)")
        service.revokeAll()
        said.append("\(failure(await harness.center.token(for: "work", rejecting: "sl.SECRET-access-1")) as Any)")
        said.append("\(try await harness.center.list())")
        said += harness.log.map(\.text)
        #expect(said.count > 3)
        for text in said { #expect(!text.contains("SECRET"), "\(text)") }
    }
}
