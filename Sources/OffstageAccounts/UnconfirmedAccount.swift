// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// A sign-in that a person has to confirm. It is kept only in memory.
struct UnconfirmedAccount {
    let number: UInt64
    let account: Account
    let grant: AccountGrant
    /// On the boot-time clock.
    let since: Double

    /// The account as the person sees it.
    func row(at now: Moment) -> AccountRow {
        var shown = account
        // A proxy's URL may hold a password.
        shown.proxy = .init()
        return AccountRow(
            account: shown,
            standing: .usable,
            tokenEnds: grant.expiry?.date(at: now),
            renewsItself: grant.refreshToken != nil
        )
    }
}
