// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageTransfers

/// One account in memory, for `AccountCenter` alone. One that was signed in to anew is another.
final class HeldAccount {
    /// As the store has it, or will have it.
    var stored: StoredAccount
    /// Nil until its tokens were opened, or it is known that there are none.
    var tokens: AccountTokens?
    /// What kept its tokens from being opened when that was tried last, and since when.
    var trouble: (error: VaultError, since: Date)?

    init(_ stored: StoredAccount) {
        self.stored = stored
        if case .needsSignIn(let reason, _) = stored.account.state {
            tokens = AccountTokens(name: stored.account.name, needsSignIn: reason)
        } else if stored.sealedGrant == nil {
            // Nothing writes such a row; whoever did has taken the tokens away.
            tokens = AccountTokens(name: stored.account.name, needsSignIn: .unreadable)
            self.stored.account.state = .needsSignIn(.unreadable, since: stored.account.addedAt)
        }
    }

    init(_ stored: StoredAccount, grant: AccountGrant) {
        self.stored = stored
        tokens = AccountTokens(name: stored.account.name, grant: grant)
    }

    var name: String { stored.account.name }

    /// What a person is shown.
    func row(at now: Moment) -> AccountRow {
        var account = stored.account
        // A proxy's URL may hold a password.
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
    /// One that is not usable.
    fileprivate init(_ account: Account, _ standing: Standing, reason: String, since: Date? = nil) {
        self.init(account: account, standing: standing, reason: reason, since: since, renewsItself: false)
    }
}
