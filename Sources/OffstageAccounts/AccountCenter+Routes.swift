// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
package import OffstageProtocol
import OffstageRuntime
import OffstageTransfers

/// People's requests about accounts.
extension AccountCenter {
    package func list() async throws -> ListAccounts.Reply {
        try await load()
        let all = held.values.sorted { $0.name < $1.name }
        for account in all { _ = await open(account) }
        let now = clock.now()
        return ListAccounts.Reply(rows: all.filter(isCurrent).map { $0.row(at: now) })
    }

    /// How many accounts are usable, as far as is known, and how many need a person. Opens none of them.
    package func standings() async throws -> Tally<AccountStanding> {
        try await load()
        var standings = Tally<AccountStanding>()
        for account in held.values {
            switch account.stored.account.state {
            case .usable: standings.add(.usable)
            case .needsSignIn: standings.add(.needsSignIn)
            }
        }
        return standings
    }

    /// Exchanges a code for tokens and keeps them, immediately or once a person has confirmed the account as theirs.
    ///
    /// - Throws: `RequestError`, `StoreError`, `WireFailure`.
    package func add(_ request: AddAccount) async throws -> AddAccount.Reply {
        try request.validate()
        guard request.account.kind == .dropbox else {
            throw WireFailure(.badRequest, "An account at S3 is added with a key, not with a code.")
        }
        work.begin()
        defer { work.end() }
        try await load()
        var account = request.account
        account.state = .usable
        account.addedAt = clock.now().wall
        let (grant, id) = try await exchange(request)
        account.accountID = id
        do {
            try checkOwner(of: account)
            account.email = await email(account, grant.accessToken)
            if request.asksFirst == true { return hold(account, grant) }
            let (row, isNew) = try await keep(account, grant)
            return AddAccount.Reply(row: row, isNew: isNew)
        } catch {
            // These tokens will not be used.
            _ = await revoke(grant.accessToken, of: account)
            guard let error = error as? VaultError else { throw error }
            throw WireFailure(.store, error.sentence)
        }
    }

    func keep(_ account: Account, _ grant: AccountGrant) async throws -> (row: AccountRow, isNew: Bool) {
        let sealed = try await seal(grant, of: account.name, makesKey: true)
        // A different person may have signed in in the meantime.
        try checkOwner(of: account)
        let stored = StoredAccount(account, sealedGrant: sealed)
        let before = held[account.name]
        let new = HeldAccount(stored, grant: grant)
        held[account.name] = new
        do throws(StoreError) { try await records.putNow(stored) } catch {
            if isCurrent(new) {
                held[account.name] = nil
                if let before { restore(before) }
            }
            throw error
        }
        if let before {
            step(before, .closed(.init(.daemonInterrupted, "the account '\(account.name)' was signed in to again")))
            withdraw(before, for: grant)
        }
        onAdded?(account.name)
        return (new.row(at: clock.now()), before == nil)
    }

    // MARK: Asking first

    private func hold(_ account: Account, _ grant: AccountGrant) -> AddAccount.Reply {
        let now = clock.now()
        let (entry, dropped) = unconfirmed.add(account, grant, at: now.uptime)
        for entry in dropped {
            // The person has left without an answer.
            loop.startTask { _ = await revoke(entry.grant.accessToken, of: entry.account) }
        }
        return AddAccount.Reply(
            row: entry.row(at: now),
            isNew: held[account.name] == nil,
            unconfirmed: entry.number
        )
    }

    /// Keeps the account that was shown to a person, or has its tokens revoked.
    ///
    /// - Throws: `StoreError`, `WireFailure`.
    package func confirm(_ request: ConfirmAccount) async throws -> ConfirmAccount.Reply {
        guard let entry = unconfirmed.remove(request.number) else { throw Self.expired }
        work.begin()
        defer { work.end() }
        guard request.keeps else {
            let why = await revoke(entry.grant.accessToken, of: entry.account)
            return ConfirmAccount.Reply(row: nil, notRevoked: why.map(Self.notRevoked))
        }
        do {
            // Old sign-ins are only removed when new ones are added, and there may have been none since.
            if UnconfirmedAccounts.isOld(entry, at: clock.now().uptime) { throw Self.expired }
            let (row, isNew) = try await keep(entry.account, entry.grant)
            return ConfirmAccount.Reply(row: row, isNew: isNew)
        } catch {
            _ = await revoke(entry.grant.accessToken, of: entry.account)
            guard let error = error as? VaultError else { throw error }
            throw WireFailure(.store, error.sentence)
        }
    }

    private static var expired: WireFailure {
        WireFailure(.notFound, "That sign-in has expired: run 'offstage account add' again.")
    }

    /// Checks the account's owner: files for one person's folder must not end up in another's.
    ///
    /// - Throws: `WireFailure` if the name belongs to another person's account, or to one at another service.
    func checkOwner(of account: Account) throws(WireFailure) {
        if let other = held[account.name]?.stored.account, other.kind != account.kind {
            throw WireFailure(
                .notApplicable,
                "'\(account.name)' is an account at another service (\(other.kind.rawValue)): remove it first, or choose another name with --name."
            )
        }
        guard account.kind == .dropbox, let other = held[account.name]?.stored.account, let known = other.accountID,
            let id = account.accountID,
            known != id
        else { return }
        throw WireFailure(
            .notApplicable,
            "'\(account.name)' is the account of \(other.email ?? "somebody else"), but you signed in as another user: remove it first, or choose another name with --name."
        )
    }

    /// Asks the service to revoke the tokens of the former sign-in, as far as they are known and the service can be
    /// reached. This is not waited for.
    private func withdraw(_ before: HeldAccount, for new: AccountGrant) {
        guard let old = before.tokens?.grant, old.accessKey == nil, old.accessToken != new.accessToken,
            old.refreshToken == nil || old.refreshToken != new.refreshToken
        else { return }
        let account = before.stored.account
        loop.startTask {
            var token = old.accessToken
            if old.expiry?.isDue(at: clock.now()) == true, let refreshToken = old.refreshToken {
                // An expired token cannot revoke anything.
                switch await renew(refreshToken, of: account) {
                case .granted(let grant, _): token = grant.accessToken
                case .refused: return
                case .failed(let failure): return notWithdrawn(account, failure.detail)
                }
            }
            if let why = await revoke(token, of: account) { notWithdrawn(account, why) }
        }
    }

    private func notWithdrawn(_ account: Account, _ why: String) {
        log.error(
            "the previous sign-in to an account was not revoked",
            ["account": account.name, "reason": Self.notRevoked(why)]
        )
    }

    /// Asks the service to revoke an account's tokens, if it can be reached, and forgets them.
    ///
    /// - Throws: `StoreError`, `WireFailure`.
    package func remove(_ request: RemoveAccount) async throws -> RemoveAccount.Reply {
        work.begin()
        defer { work.end() }
        try await load()
        let name = request.account
        guard let account = held[name] else {
            throw WireFailure(
                .notFound,
                "There is no account '\(name.redactedControls)': 'offstage account list' shows those that exist."
            )
        }
        let notRevoked = await revoke(account)
        guard isCurrent(account) else {
            throw WireFailure(.notApplicable, "The account '\(name)' was changed just now: check it and try again.")
        }
        held[name] = nil
        do throws(StoreError) { try await records.deleteNow(name) } catch {
            if held[name] == nil { restore(account) }
            throw error
        }
        step(account, .closed(.noAccount(name)))
        return RemoveAccount.Reply(notRevoked: notRevoked)
    }

    // MARK: The service

    private func exchange(_ request: AddAccount) async throws(WireFailure) -> (AccountGrant, id: String?) {
        let account = request.account
        var fields = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: request.code),
            (name: "client_id", value: account.dropbox?.appKey ?? ""), (name: "code_verifier", value: request.verifier),
        ]
        if let uri = request.redirectURI { fields.append((name: "redirect_uri", value: uri)) }
        switch await askForTokens(account, fields) {
        case .granted(let grant, let id): return (grant, id)
        case .refused:
            throw WireFailure(
                .notApplicable,
                "Dropbox does not accept the code: it is valid for a few minutes and for one use, so run '\(Account.signIn(to: account.name))' again and enter the new one."
            )
        case .failed(let failure):
            throw WireFailure(
                .notApplicable,
                "The sign-in to the account '\(account.name)' failed, since \(failure.detail): fix that and run '\(Account.signIn(to: account.name))' again."
            )
        }
    }

    /// The account's e-mail address; nil if the service does not report it.
    private func email(_ account: Account, _ token: String) async -> String? {
        struct Known: Decodable { var email: String }
        guard let endpoints = account.dropbox?.endpoints else { return nil }
        let url = endpoints.api + "/users/get_current_account"
        guard let request = try? TokenRequest(url, .json("null"), bearer: token, of: account),
            case .success(let answer) = await run(request, for: .account(account.name)), answer.status == 200,
            let known = try? ForeignJSON.decode(Known.self, from: answer.body), known.email.utf8.count <= 320
        else { return nil }
        return known.email.redactedControls
    }

    /// - Returns: why the service may still accept the account's tokens, as a sentence; nil if it does not accept them.
    private func revoke(_ account: HeldAccount) async -> String? {
        let known = account.stored.account
        guard known.kind == .dropbox else {
            return "The key itself is still valid at \(known.server): delete it there if nothing else uses it."
        }
        if case .needsSignIn = account.stored.account.state { return nil }
        switch await token(for: account.name) {
        case .success(let token):
            guard let why = await revoke(token, of: account.stored.account) else { return nil }
            return Self.notRevoked(why)
        case .failure(let failure):
            // The request for a token may have shown that there is nothing left to revoke.
            if case .needsSignIn = account.stored.account.state { return nil }
            return Self.notRevoked(failure.detail)
        }
    }

    private static func notRevoked(_ why: String) -> String {
        "Dropbox could not be notified (\(why)): revoke the app's access under 'Connected apps' in your settings at Dropbox."
    }

    /// - Returns: the failure, as the middle of a sentence.
    private func revoke(_ token: String, of account: Account) async -> String? {
        guard let endpoints = account.dropbox?.endpoints else { return nil }
        let url = endpoints.api + "/auth/token/revoke"
        guard let request = try? TokenRequest(url, .json("null"), bearer: token, of: account) else { return "no URL" }
        switch await run(request, for: .account(account.name)) {
        // A token that is not accepted has already been revoked.
        case .success(let answer) where (200..<300).contains(answer.status) || answer.status == 401: return nil
        case .success(let answer): return "\(request.server) answered \(answer.status)"
        case .failure(let failure): return failure.detail
        }
    }
}
