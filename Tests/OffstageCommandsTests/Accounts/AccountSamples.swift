// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// Accounts as a daemon would show them.
enum AccountSamples {
    static func row(
        _ name: String = "dropbox",
        _ standing: AccountRow.Standing = .usable,
        email: String? = "someone@example.org",
        renewsItself: Bool = true
    ) -> AccountRow {
        var account = Account(
            name: name,
            kind: .dropbox,
            appKey: "key-of-\(name)",
            accountID: "dbid:AAA",
            email: email,
            addedAt: noon
        )
        guard standing != .usable else {
            let end = noon.addingTimeInterval(14_400)
            return AccountRow(account: account, standing: .usable, tokenEnds: end, renewsItself: renewsItself)
        }
        if standing == .needsSignIn { account.state = .needsSignIn(.revoked, since: noon) }
        return AccountRow(
            account: account,
            standing: standing,
            reason: "It was unlinked.",
            since: standing == .needsSignIn ? noon : nil,
            renewsItself: false
        )
    }
}
