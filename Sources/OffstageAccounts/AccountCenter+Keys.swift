// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol
import OffstageRuntime
package import OffstageTransfers

/// Accounts at S3, which have a key instead of tokens, and queries to servers.
extension AccountCenter {
    /// Keeps a key, unless the server reports it as unknown.
    ///
    /// - Throws: `RequestError`, `StoreError`, `WireFailure`.
    package func add(_ request: AddKeyAccount) async throws -> AddKeyAccount.Reply {
        try request.validate()
        work.begin()
        defer { work.end() }
        try await load()
        var account = request.account
        account.state = .usable
        account.email = nil
        account.addedAt = clock.now().wall
        account.accountID = request.key.shortID
        try checkOwner(of: account)
        let notChecked = try await check(request.key, of: account)
        do {
            let grant = AccountGrant(request.key, mark: String(UInt64.random(in: 0 ... .max), radix: 16))
            let (row, isNew) = try await keep(account, grant)
            return AddKeyAccount.Reply(row: row, isNew: isNew, notChecked: notChecked)
        } catch let error as VaultError {
            throw WireFailure(.store, error.sentence)
        }
    }

    /// Asks the server whether it knows a key, and whether the secret matches.
    ///
    /// - Returns: why the answer is unknown, as a sentence; nil if the key is valid.
    /// - Throws: `WireFailure` if the key is invalid.
    private func check(_ key: AccessKey, of account: Account) async throws(WireFailure) -> String? {
        guard let endpoint = account.s3 else { return nil }
        let way = TokenRequest.Way(account.proxy, certificateAuthorityPath: account.certificateAuthorityPath)
        let inquiry = S3Inquiry(.key, at: endpoint, keys: .account(account.name), by: way)
        var isFirst = true
        let answer = await ask(inquiry) { _, _, _ in
            defer { isFirst = false }
            return isFirst ? .success(GrantedToken(key)) : .failure(.signInNeeded(account.name, .keyRefused))
        }
        guard case .failure(let failure) = answer else { return nil }
        switch failure.code {
        case .accountUnusable:
            throw WireFailure(
                .notApplicable,
                "\(account.server) does not know this key: check its ID, and add the account again; nothing was kept."
            )
        case .accessKeyRefused where failure.status == nil:
            throw WireFailure(
                .notApplicable,
                "The key was not kept, since \(failure.detail): correct that, and add the account again."
            )
        // The key may be valid for other actions than listing buckets.
        case .accessKeyRefused: return nil
        default: return "It is not known yet whether the key is valid, since \(failure.detail)."
        }
    }

    /// The way to a server: for an account, missing values are taken from the account.
    package func way(of keys: CredentialSource, _ given: TokenRequest.Way) async -> TokenRequest.Way {
        guard case .account(let name) = keys else { return given }
        do throws(StoreError) { try await load() } catch { return given }
        guard let account = held[name]?.stored.account else { return given }
        return TokenRequest.Way(
            given.proxy == .init() ? account.proxy : given.proxy,
            certificateAuthorityPath: given.certificateAuthorityPath ?? account.certificateAuthorityPath
        )
    }

    /// Sends a server a query that belongs to no attempt at a transfer.
    ///
    /// - Parameters:
    ///   - inquiry: the query.
    ///   - token: provides a token, or the key for signing.
    /// - Returns: the answer, or why there is none.
    package func ask(
        _ inquiry: any ServerInquiry,
        token: (CredentialSource, _ rejecting: String?, _ places: [String]) async -> Result<
            GrantedToken, TransferFailure
        >
    ) async -> Result<TokenAnswer, TransferFailure> {
        var inquiry = inquiry
        while true {
            switch inquiry.next(now: clock.now()) {
            case .authorize(let source, let rejecting, let places):
                switch await token(source, rejecting, places) {
                case .success(let key): inquiry.authorized(key)
                case .failure(let failure): return .failure(failure)
                }
            case .send(let request):
                switch await run(request, for: .inquiry(request.certificateAuthorityPath ?? request.server)) {
                case .success(let answer): inquiry.answered(answer, now: clock.now())
                case .failure(let failure): return .failure(failure)
                }
            case .finish(let answer): return .success(answer)
            case .fail(let failure): return .failure(failure)
            }
        }
    }
}
