// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageProtocol

/// An account in `--json` output (docs/json.md): a stable form, independent of the wire's.
package struct AccountDocument: Encodable, Sendable {
    let name: String
    let service: String
    let accountID: String?
    let email: String?
    let appKey: String?
    let apiURL: String
    let region: String?
    let addedAt: Date
    let state: String
    let reason: String?
    let since: Date?
    let tokenEnds: Date?
    let renewsItself: Bool

    package init(_ row: AccountRow) {
        name = row.account.name
        service = row.account.kind.rawValue
        accountID = row.account.accountID
        email = row.account.email
        appKey = row.account.dropbox?.appKey
        apiURL = row.account.server
        region = row.account.s3?.region
        addedAt = row.account.addedAt
        state = row.standing.rawValue
        reason = row.reason
        since = row.since
        tokenEnds = row.tokenEnds
        renewsItself = row.renewsItself
    }
}
