// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// A sign-in that a person has to confirm. It is kept only in memory.
struct UnconfirmedAccount {
    let number: UInt64
    let account: Account
    let grant: AccountGrant
    /// When it was made, on the boot-time clock.
    let since: Double

    /// The account as shown to the person.
    func row(at now: Moment) -> AccountRow {
        var shown = account
        // A proxy's URL may contain a password.
        shown.proxy = .init()
        return AccountRow(
            account: shown,
            standing: .usable,
            tokenEnds: grant.expiry?.date(at: now),
            renewsItself: grant.refreshToken != nil
        )
    }
}
