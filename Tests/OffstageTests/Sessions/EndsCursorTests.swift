// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageCore
import Testing

@Suite final class EndsCursorTests {
    private var cursor = EndsCursor()

    private func begin() -> EndsCursor.Pull? { cursor.begin() }

    private func takeFinish() -> Bool { cursor.takeFinish() }

    private func came(_ number: Int, last: Int64?, hasMore: Bool, isWithheld: Bool = false) -> Bool {
        cursor.came(number, last: last.map(TransferID.init(rawValue:)), hasMore: hasMore, isWithheld: isWithheld)
    }

    @Test func `pages are asked for one at a time, each after the last of the one before`() throws {
        cursor.opened(pendingEnds: 150)
        let first = try #require(begin())
        #expect(first.after == nil)
        #expect(begin() == nil)
        #expect(came(first.number, last: 7, hasMore: true))
        #expect(begin()?.after == TransferID(rawValue: 7))
    }

    @Test func `no page is asked for before the daemon has given the session over a new connection`() throws {
        cursor.opened(pendingEnds: 150)
        _ = try #require(begin())
        cursor.connectionLost()
        #expect(cursor.hasMore)
        #expect(!cursor.mayPull)
        #expect(begin() == nil)
        cursor.opened(pendingEnds: 150)
        #expect(begin()?.after == nil)
    }

    @Test func `a page of before does not end the wait for the one that was asked for since`() throws {
        cursor.opened(pendingEnds: 150)
        let former = try #require(begin())
        cursor.connectionLost()
        cursor.opened(pendingEnds: 150)
        let present = try #require(begin())
        #expect(!came(former.number, last: 3, hasMore: false))
        cursor.failed(former.number)
        #expect(cursor.isPulling)
        #expect(cursor.hasMore)
        #expect(came(present.number, last: 9, hasMore: false))
        #expect(!cursor.isPulling)
    }

    @Test func `a page that could not be had is asked for again`() throws {
        cursor.opened(pendingEnds: 1)
        let first = try #require(begin())
        cursor.failed(first.number)
        #expect(begin()?.after == nil)
    }

    @Test func `an end that comes about while a page is on its way is fetched with the first`() throws {
        cursor.opened(pendingEnds: 1)
        let first = try #require(begin())
        cursor.missed()
        #expect(came(first.number, last: 4, hasMore: false))
        #expect(!takeFinish())
        let second = try #require(begin())
        #expect(second.after == nil)
        #expect(came(second.number, last: 2, hasMore: false))
        #expect(!cursor.hasMore)
        #expect(takeFinish())
    }

    @Test func `an end that overtakes the answer that there are none is fetched`() {
        cursor.missed()
        #expect(!cursor.mayPull)
        cursor.opened(pendingEnds: 0)
        #expect(begin()?.after == nil)
    }

    @Test func `no more are fetched while many wait to be told`() {
        cursor.opened(pendingEnds: 500)
        cursor.untold = EndsCursor.enough
        #expect(begin() == nil)
        cursor.untold -= 1
        #expect(begin() != nil)
    }

    @Test func `only what was kept at first has an end that is told`() throws {
        cursor.opened(pendingEnds: 0)
        #expect(!takeFinish())
        cursor.connectionLost()
        cursor.opened(pendingEnds: 1)
        let page = try #require(begin())
        #expect(came(page.number, last: 1, hasMore: false))
        #expect(!takeFinish())
    }

    @Test func `that nothing is left is also known from a new connection`() throws {
        cursor.opened(pendingEnds: 101)
        let page = try #require(begin())
        #expect(came(page.number, last: 100, hasMore: true))
        cursor.connectionLost()
        #expect(!takeFinish())
        cursor.opened(pendingEnds: 0)
        #expect(takeFinish())
        #expect(!takeFinish())
    }

    // MARK: - Apps that are called for events

    @Test func `a supervised app hears that it has heard of all only when it was called for that`() throws {
        cursor = EndsCursor(isSupervised: true)
        cursor.opened(pendingEnds: 3)
        let page = try #require(begin())
        #expect(came(page.number, last: 3, hasMore: false))
        #expect(!takeFinish())
        #expect(cursor.isExhausted)
        cursor.expect()
        #expect(!takeFinish())
        #expect(!cursor.isExhausted)
        cursor.released()
        #expect(!takeFinish())
        let second = try #require(begin())
        #expect(second.after == nil)
        #expect(came(second.number, last: 4, hasMore: false))
        #expect(takeFinish())
        #expect(!takeFinish())
        #expect(cursor.isExhausted)
    }

    @Test func `an app that is called before it makes the session fetches once, also when nothing is left`() throws {
        cursor = EndsCursor(isSupervised: true)
        cursor.expect()
        cursor.opened(pendingEnds: 0)
        #expect(!takeFinish())
        let page = try #require(begin())
        #expect(came(page.number, last: nil, hasMore: false))
        #expect(takeFinish())
    }

    @Test func `what is withheld is fetched once it is not any more`() throws {
        cursor = EndsCursor(isSupervised: true)
        cursor.opened(pendingEnds: 0, isWithheld: true)
        #expect(!cursor.mayPull)
        #expect(!cursor.isExhausted)
        cursor.expect()
        cursor.released()
        let page = try #require(begin())
        #expect(came(page.number, last: 1, hasMore: false))
        #expect(takeFinish())
    }

    @Test func `a page that was kept back is no sign that nothing is left`() throws {
        cursor = EndsCursor(isSupervised: true)
        cursor.opened(pendingEnds: 0)
        cursor.expect()
        cursor.released()
        let early = try #require(begin())
        #expect(came(early.number, last: nil, hasMore: false, isWithheld: true))
        #expect(!takeFinish())
        #expect(begin() == nil)
        cursor.released()
        let page = try #require(begin())
        #expect(came(page.number, last: 1, hasMore: false))
        #expect(takeFinish())
    }

    @Test func `that nothing is withheld may overtake the answer that it is`() throws {
        cursor = EndsCursor(isSupervised: true)
        cursor.expect()
        cursor.released()
        cursor.opened(pendingEnds: 0, isWithheld: true)
        let page = try #require(begin())
        #expect(came(page.number, last: 1, hasMore: false))
        #expect(takeFinish())
    }

    @Test func `a new connection says anew whether anything is withheld`() throws {
        cursor = EndsCursor(isSupervised: true)
        cursor.opened(pendingEnds: 0)
        cursor.expect()
        cursor.released()
        cursor.connectionLost()
        cursor.opened(pendingEnds: 0, isWithheld: true)
        #expect(!takeFinish())
        cursor.connectionLost()
        cursor.opened(pendingEnds: 1)
        let page = try #require(begin())
        #expect(came(page.number, last: 1, hasMore: false))
        #expect(takeFinish())
    }
}
