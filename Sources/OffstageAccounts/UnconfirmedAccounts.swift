// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The sign-ins that persons are being asked about: a few, for a while.
struct UnconfirmedAccounts {
    private var entries: [UnconfirmedAccount] = []
    private var nextNumber: UInt64 = 1

    /// Seconds that a person has for the answer.
    private static let patience = 900.0
    private static let most = 16

    /// Adds a sign-in.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - grant: its tokens.
    ///   - uptime: the present time on the boot-time clock.
    /// - Returns: the sign-in with its number, and those that make room for it or have expired: their tokens are to be
    ///   withdrawn.
    mutating func add(
        _ account: Account,
        _ grant: AccountGrant,
        at uptime: Double
    ) -> (entry: UnconfirmedAccount, dropped: [UnconfirmedAccount]) {
        let isOld = { (entry: UnconfirmedAccount) in Self.isOld(entry, at: uptime) }
        var dropped = entries.filter(isOld)
        entries.removeAll(where: isOld)
        // checked: it holds at least as many as that
        if entries.count >= Self.most { dropped.append(entries.removeFirst()) }
        let entry = UnconfirmedAccount(number: nextNumber, account: account, grant: grant, since: uptime)
        nextNumber += 1
        entries.append(entry)
        return (entry, dropped)
    }

    /// Whether the person has had all the time that there is for an answer.
    static func isOld(_ entry: UnconfirmedAccount, at uptime: Double) -> Bool { uptime - entry.since > patience }

    /// Removes and returns a sign-in; nil if there is none with that number.
    mutating func remove(_ number: UInt64) -> UnconfirmedAccount? {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
        return entries.remove(at: index)
    }
}
