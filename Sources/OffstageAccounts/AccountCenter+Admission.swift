// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageTransfers

/// A token goes nowhere but to its account's own places. That is looked at when an upload is handed over, so that
/// somebody hears of it, and again whenever a token is asked for: by then the account may be another of the same name.
extension AccountCenter {
    /// A transfer as it is taken in; one that is for no account is as it was.
    ///
    /// - Parameters:
    ///   - spec: as its owner wrote it.
    ///   - requiresAccount: whether it is refused when there is no account of that name.
    /// - Returns: what is kept.
    /// - Throws: `RequestError` with what is wrong, `StoreError`.
    package func admitted(_ spec: TransferSpec, requiresAccount: Bool) async throws -> TransferSpec {
        guard spec.dialect != nil else { return spec }
        var account: Account?
        if let name = try Dialects.account(of: spec) {
            try await load()
            account = held[name]?.stored.account
            guard account != nil || !requiresAccount else {
                throw RequestError.invalidValue(
                    "There is no account '\(name.redactedControls)': '\(Account.signIn(to: name))' signs in to one"
                )
            }
        }
        return try Dialects.settled(spec, for: account, now: clock.now())
    }

    /// As `token(for:rejecting:)`, for requests below `places` alone, and for `owner` alone where somebody is named.
    package func token(
        for name: String,
        rejecting: String?,
        at places: [String],
        of owner: String?
    ) async -> Result<GrantedToken, TransferFailure> {
        // Asked before as well: for another place there is nothing to renew.
        if let failure = await failure(of: name, at: places, owner) { return .failure(failure) }
        let token = await token(for: name, rejecting: rejecting)
        // It may have been removed, and added anew elsewhere or by another, while the token was got.
        if case .success = token, let failure = await failure(of: name, at: places, owner) { return .failure(failure) }
        return token.map { GrantedToken($0, owner: held[name]?.stored.account.accountID) }
    }

    /// Why an account's token must not be sent there, or for that person.
    private func failure(of name: String, at places: [String], _ owner: String?) async -> TransferFailure? {
        do throws(StoreError) { try await load() } catch {
            return .init(.daemonInterrupted, "the store's accounts could not be read")
        }
        guard let account = held[name]?.stored.account else { return .noAccount(name) }
        guard account.owns(places) else { return .accountElsewhere(name) }
        // A file for one person's folder is not to end in another's.
        if let owner, let known = account.accountID, owner != known { return .accountOfAnother(name) }
        return nil
    }
}
