// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageTransfers

/// A token is only sent to its account's own places. This is checked when an upload is handed over, to notify its
/// owner, and again whenever a token is requested: the account may then be a different one with the same name.
extension AccountCenter {
    /// Completes a transfer when it is handed over; unchanged without an account.
    ///
    /// - Parameters:
    ///   - spec: the owner's specification.
    ///   - requiresAccount: whether it is refused if there is no account with that name.
    /// - Returns: the specification to keep.
    /// - Throws: `RequestError` with the mistake, `StoreError`.
    package func admitted(_ spec: TransferSpec, requiresAccount: Bool) async throws -> TransferSpec {
        guard spec.dialect != nil else { return spec }
        var account: Account?
        if let name = try Dialects.account(of: spec) {
            try await load()
            account = held[name]?.stored.account
            guard account != nil || !requiresAccount else {
                let kind: Account.Kind = spec.dialect?.name == S3Object.dialect ? .s3 : .dropbox
                throw RequestError.invalidValue(
                    "There is no account '\(name.redactedControls)': '\(Account.signIn(to: name, kind))' \(kind.adds) one"
                )
            }
        }
        return try Dialects.settled(spec, for: account, now: clock.now())
    }

    /// Like `token(for:rejecting:)`, but only for requests below `places`, and only for `owner` if one is named.
    package func token(
        for name: String,
        rejecting: String?,
        at places: [String],
        of owner: String?
    ) async -> Result<GrantedToken, TransferFailure> {
        // Check before as well: no token needs to be renewed for another place.
        if let failure = await failure(of: name, at: places, owner) { return .failure(failure) }
        let token = await token(for: name, rejecting: rejecting)
        // In the meantime the account may have been removed, and added again for another place or person.
        if case .success = token, let failure = await failure(of: name, at: places, owner) { return .failure(failure) }
        let account = held[name]?.stored.account
        guard account?.kind == .s3, case .success(let text) = token else {
            return token.map { GrantedToken($0, owner: account?.accountID) }
        }
        let grant = held[name]?.tokens?.grant
        // In the meantime the account may have received another key.
        guard let grant, let key = grant.accessKey, grant.accessToken == text else {
            return await self.token(for: name, rejecting: rejecting, at: places, of: owner)
        }
        var granted = GrantedToken(text)
        granted.accessKey = key
        return .success(granted)
    }

    /// The reason why an account's token must not be sent there, or for that person.
    private func failure(of name: String, at places: [String], _ owner: String?) async -> TransferFailure? {
        do throws(StoreError) { try await load() } catch {
            return .init(.daemonInterrupted, "the store's accounts could not be read")
        }
        guard let account = held[name]?.stored.account else { return .noAccount(name) }
        guard account.owns(places) else { return .accountElsewhere(name) }
        // A file for one person's folder must not end up in another's.
        if let owner, let known = account.accountID, owner != known { return .accountOfAnother(name) }
        return nil
    }
}
