// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// Accounts as a daemon would show them.
enum AccountSamples {
    static func s3(
        _ name: String = "s3",
        at base: String? = nil,
        _ standing: AccountRow.Standing = .usable
    ) -> AccountRow {
        let account = Account(
            name: name,
            service: .s3(S3Endpoint(base: base, region: "eu-west-1")),
            accountID: "AKIA…MPLE",
            addedAt: noon
        )
        let reason = standing == .usable ? nil : "It is refused."
        return AccountRow(account: account, standing: standing, reason: reason, renewsItself: false)
    }

    static func row(
        _ name: String = "dropbox",
        _ standing: AccountRow.Standing = .usable,
        email: String? = "someone@example.org",
        renewsItself: Bool = true
    ) -> AccountRow {
        var account = Account(
            name: name,
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
