// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// Accounts for people.
package enum AccountText {
    package static func table(_ rows: [AccountRow]) -> TextTable {
        var table = TextTable([
            .init("ACCOUNT"), .init("SERVICE"), .init("STATE"), .init("SIGNED IN AS", isFlexible: true),
        ])
        table.rows = rows.map { row in
            [
                .init(row.account.name), .init(row.account.kind.rawValue), .init(words(row), style(row)),
                .init(row.account.email ?? row.account.accountID ?? ""),
            ]
        }
        return table
    }

    /// Everything about one account.
    package static func lines(_ row: AccountRow, now: Date) -> [String] {
        let account = row.account
        var pairs: [(String, String)] = [("Account", account.name), ("Service", account.kind.rawValue)]
        let who = [account.email, account.accountID].compactMap(\.self)
        if account.kind == .s3 {
            pairs.append(("Key", who.joined(separator: ", ")))
        } else {
            pairs.append(
                ("Signed in", who.isEmpty ? "the service has not said as whom" : "as \(who.joined(separator: ", "))")
            )
        }
        pairs.append(("State", words(row) + (row.since.map { ", since \(Format.fullTime($0))" } ?? "")))
        if let reason = row.reason { pairs.append(("Reason", reason)) }
        if let advice = advice(row) { pairs.append(("To do", advice)) }
        switch account.service {
        case .dropbox(let appKey, _):
            if row.standing == .usable { pairs.append(("Access", access(row, now))) }
            pairs.append(("App key", appKey))
        case .s3(let endpoint): pairs.append(("Region", endpoint.region))
        }
        pairs += [("Server", account.server), ("Added", Format.fullTime(account.addedAt))]
        if let path = account.certificateAuthorityPath { pairs.append(("Authorities", path)) }
        return pairs.map { "\(DetailText.padded($0.0)) \($0.1.redactedControls)" }
    }

    private static func words(_ row: AccountRow) -> String {
        switch row.standing {
        case .usable: "usable"
        case .needsSignIn: "needs a new \(row.account.kind == .s3 ? "key" : "sign-in")"
        case .blocked: "blocked"
        }
    }

    private static func style(_ row: AccountRow) -> Style {
        switch row.standing {
        case .usable: .good
        case .needsSignIn, .blocked: .bad
        }
    }

    /// What the user must do; nil if the reason already explains it, or there is nothing to do.
    static func advice(_ row: AccountRow) -> String? {
        row.standing == .needsSignIn ? Account.signIn(to: row.account.name, row.account.kind) : nil
    }

    private static func access(_ row: AccountRow, _ now: Date) -> String {
        let end = row.tokenEnds.map { Format.time($0, now: now) }
        let hasEnded = row.tokenEnds.map { $0 <= now } ?? false
        return switch (end, row.renewsItself) {
        case (let end?, true): "renews itself; the \(hasEnded ? "last token expired" : "current token expires") \(end)"
        case (let end?, false): "expires \(end) and then needs a new sign-in"
        case (nil, _): "does not expire"
        }
    }
}
