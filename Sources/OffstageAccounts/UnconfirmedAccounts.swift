// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The sign-ins that people are being asked about: a few, for a limited time.
struct UnconfirmedAccounts {
    private var entries: [UnconfirmedAccount] = []
    private var nextNumber: UInt64 = 1

    /// Seconds that a person has to answer.
    private static let patience = 900.0
    private static let most = 16

    /// Adds a sign-in.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - grant: its tokens.
    ///   - uptime: the present time on the boot-time clock.
    /// - Returns: the sign-in with its number, and the sign-ins that make room for it or have expired, whose tokens
    ///   must be revoked.
    mutating func add(
        _ account: Account,
        _ grant: AccountGrant,
        at uptime: Double
    ) -> (entry: UnconfirmedAccount, dropped: [UnconfirmedAccount]) {
        let isOld = { (entry: UnconfirmedAccount) in Self.isOld(entry, at: uptime) }
        var dropped = entries.filter(isOld)
        entries.removeAll(where: isOld)
        // checked: it contains at least that many
        if entries.count >= Self.most { dropped.append(entries.removeFirst()) }
        let entry = UnconfirmedAccount(number: nextNumber, account: account, grant: grant, since: uptime)
        nextNumber += 1
        entries.append(entry)
        return (entry, dropped)
    }

    /// Whether the person's time to answer is over.
    static func isOld(_ entry: UnconfirmedAccount, at uptime: Double) -> Bool { uptime - entry.since > patience }

    /// Removes and returns a sign-in; nil if there is none with that number.
    mutating func remove(_ number: UInt64) -> UnconfirmedAccount? {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
        return entries.remove(at: index)
    }
}
