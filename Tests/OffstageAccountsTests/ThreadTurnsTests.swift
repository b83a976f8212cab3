// SPDX-License-Identifier: Apache-2.0
import OffstageAccounts
import OffstageCore
import Testing

@Suite struct `Turns for the threads of accounts` {
    private static let dead = ThreadTurns.Purpose.inquiry("/mnt/dead/ca.pem")

    @Test func `key files take no more than their share, and accounts and the vault do not wait for them`() {
        var turns = ThreadTurns()
        for ticket: UInt64 in 1...4 { #expect(turns.enter(ticket, for: .keyFiles, now: 0) == .begins) }
        for ticket: UInt64 in 5...64 { #expect(turns.enter(ticket, for: .keyFiles, now: 1) == .waits) }
        #expect(turns.enter(65, for: .account("work"), now: 1) == .begins)
        #expect(turns.enter(66, for: .vault, now: 1) == .begins)
        #expect(turns.enter(67, for: .inquiry("s3.example.org:443"), now: 1) == .begins)
        #expect(turns.ended(2, now: 30) == 5)
        #expect(turns.ended(65, now: 30) == nil)
    }

    @Test func `what hangs is given up, and refused from then on, until a thread ends`() {
        var turns = ThreadTurns()
        for ticket: UInt64 in 1...4 { #expect(turns.enter(ticket, for: Self.dead, now: 0) == .begins) }
        #expect(turns.enter(5, for: Self.dead, now: 10) == .waits)
        #expect(turns.nextDue == ThreadTurns.patience)
        #expect(turns.giveUp(now: ThreadTurns.patience - 1) == [])
        #expect(turns.giveUp(now: ThreadTurns.patience) == [1, 2, 3, 4, 5])
        #expect(turns.nextDue == nil)
        #expect(turns.enter(6, for: Self.dead, now: 50) == .refused)
        #expect(turns.enter(7, for: .inquiry("s3.example.org:443"), now: 50) == .begins)
        // The disk answers again; no request waits for this turn any more.
        #expect(turns.ended(1, now: 60) == nil)
        #expect(turns.enter(8, for: Self.dead, now: 60) == .begins)
        #expect(turns.enter(9, for: Self.dead, now: 60) == .waits)
        #expect(turns.ended(2, now: 61) == 9)
    }

    @Test func `a renewal is waited for as long as it takes, unless the daemon stops`() {
        var turns = ThreadTurns()
        #expect(turns.enter(1, for: .account("work"), now: 0) == .begins)
        #expect(turns.nextDue == nil)
        #expect(turns.giveUp(now: 100_000) == [])
        turns.stop(now: 100_000)
        #expect(turns.enter(2, for: .vault, now: 100_001) == .begins)
        #expect(turns.nextDue == 100_000 + ThreadTurns.moment)
        #expect(turns.giveUp(now: 100_000 + ThreadTurns.moment) == [1])
        #expect(turns.isAwaited(2))
        #expect(turns.ended(2, now: 100_005.5) == nil)
        #expect(!turns.isAwaited(2))
    }
}
