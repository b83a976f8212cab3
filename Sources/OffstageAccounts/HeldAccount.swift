// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageTransfers

/// One account in memory, only for `AccountCenter`. A new sign-in makes a new object.
final class HeldAccount {
    /// The account as it is, or will be, in the store.
    var stored: StoredAccount
    /// Nil until the tokens have been decrypted, or if there are none.
    var tokens: AccountTokens?
    /// Why the last attempt to decrypt its tokens failed, and since when.
    var trouble: (error: VaultError, since: Date)?
    /// Whether a change was not written because another sign-in had replaced this one.
    var isUnwritten = false

    init(_ stored: StoredAccount) {
        self.stored = stored
        if case .needsSignIn(let reason, _) = stored.account.state {
            tokens = AccountTokens(name: stored.account.name, needsSignIn: reason)
        } else if stored.sealedGrant == nil {
            // Offstage writes no such row; another program has removed the tokens.
            tokens = AccountTokens(name: stored.account.name, needsSignIn: .unreadable)
            self.stored.account.state = .needsSignIn(.unreadable, since: stored.account.addedAt)
        }
    }

    init(_ stored: StoredAccount, grant: AccountGrant) {
        self.stored = stored
        tokens = AccountTokens(name: stored.account.name, grant: grant)
    }

    var name: String { stored.account.name }

    /// The account as shown to a person.
    func row(at now: Moment) -> AccountRow {
        var account = stored.account
        // A proxy's URL may contain a password.
        account.proxy = .init()
        let grant = tokens?.grant
        if case .needsSignIn(let reason, let since) = account.state {
            return AccountRow(account, .needsSignIn, reason: sentence(reason), since: since)
        }
        if let trouble {
            guard let reason = trouble.error.signInReason else {
                return AccountRow(account, .blocked, reason: trouble.error.sentence)
            }
            return AccountRow(account, .needsSignIn, reason: sentence(reason), since: trouble.since)
        }
        let past = grant?.expiry?.pastDate(at: now)
        if let past, grant?.refreshToken == nil {
            return AccountRow(account, .needsSignIn, reason: sentence(.expired), since: past)
        }
        return AccountRow(
            account: account,
            standing: .usable,
            tokenEnds: past ?? grant?.expiry?.date(at: now),
            renewsItself: grant?.refreshToken != nil
        )
    }

    private func sentence(_ reason: SignInReason) -> String {
        let detail = TransferFailure.signInNeeded(name, reason).detail
        return "\(detail.prefix(1).uppercased())\(detail.dropFirst())."
    }
}

extension AccountRow {
    /// An account that cannot be used.
    fileprivate init(_ account: Account, _ standing: Standing, reason: String, since: Date? = nil) {
        self.init(account: account, standing: standing, reason: reason, since: since, renewsItself: false)
    }
}
