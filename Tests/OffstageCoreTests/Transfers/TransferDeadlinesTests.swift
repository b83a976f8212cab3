// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

struct TransferDeadlinesTests {
    private static func id(_ number: Int64) -> TransferID { TransferID(rawValue: number) }

    @Test func `what is due is taken out once, by either clock`() {
        var deadlines = TransferDeadlines()
        let now = Fixture.moment(0)
        deadlines.insert(Self.id(1), Deadline(setAt: now, delay: 10), now: now)
        deadlines.insert(Self.id(2), Fixture.start + 20)
        deadlines.insert(Self.id(3), Deadline(setAt: now, delay: 30), now: now)
        #expect(deadlines.earliest == (now.uptime + 10, (Fixture.start + 20).timeIntervalSince1970))
        #expect(deadlines.popDue(at: Fixture.moment(9), limit: 10) == [])
        #expect(deadlines.popDue(at: Fixture.moment(20), limit: 10) == [Self.id(1), Self.id(2)])
        #expect(deadlines.popDue(at: Fixture.moment(20), limit: 10) == [])
        #expect(deadlines.earliest == (now.uptime + 30, nil))
    }

    @Test func `what is over the limit stays due`() {
        var deadlines = TransferDeadlines()
        let now = Fixture.moment(0)
        for number in 1...5 { deadlines.insert(Self.id(Int64(number)), Deadline(setAt: now, delay: 1), now: now) }
        #expect(deadlines.popDue(at: Fixture.moment(2), limit: 3).count == 3)
        #expect(deadlines.popDue(at: Fixture.moment(2), limit: 3).count == 2)
    }

    @Test func `nobody is woken for one that was removed`() {
        var deadlines = TransferDeadlines()
        let now = Fixture.moment(0)
        deadlines.insert(Self.id(1), Deadline(setAt: now, delay: 10), now: now)
        deadlines.insert(Self.id(1), Fixture.start + 20)
        deadlines.insert(Self.id(1), Deadline(setAt: now, delay: 40), now: now)
        deadlines.insert(Self.id(2), Deadline(setAt: now, delay: 30), now: now)
        deadlines.remove(Self.id(1))
        #expect(deadlines.earliest == (now.uptime + 30, nil))
        #expect(deadlines.next(until: Fixture.start + 100, now: now, limit: 4) == [Self.id(2)])
        #expect(deadlines.popDue(at: Fixture.moment(50), limit: 10) == [Self.id(2)])
        #expect(deadlines.earliest == (nil, nil))
        // It begins again.
        deadlines.insert(Self.id(1), Deadline(setAt: now, delay: 60), now: now)
        #expect(deadlines.earliest == (now.uptime + 60, nil))
    }

    @Test func `those that were removed take no room, and the others stay in order`() {
        var heap = DeadlineHeap()
        for number in 1...10_000 { heap.insert(Self.id(Int64(number)), due: Double(number * 7919 % 10_007)) }
        for number in 1...10_000 where number % 10 != 0 { heap.remove(Self.id(Int64(number))) }
        #expect(heap.count < 2000)
        var seen: [TransferID] = []
        var last = 0.0
        while let due = heap.earliest, let id = heap.popDue(at: due) {
            #expect(due >= last)
            last = due
            seen.append(id)
        }
        #expect(seen.count == 1000 && seen.allSatisfy { $0.rawValue % 10 == 0 })
        #expect(heap.count == 0)
    }

    @Test func `a host out of reach has three seconds, however often that is noticed`() {
        var deadlines = TransferDeadlines()
        #expect(!deadlines.isWatchingNetworkLoss)
        deadlines.recordNetworkLoss(now: Fixture.moment(0))
        deadlines.recordNetworkLoss(now: Fixture.moment(2))
        #expect(deadlines.earliest == (Fixture.moment(3).uptime, nil))
        let isEarly = deadlines.takeNetworkLoss(at: Fixture.moment(2.9))
        let isDue = deadlines.takeNetworkLoss(at: Fixture.moment(3))
        let isTwice = deadlines.takeNetworkLoss(at: Fixture.moment(4))
        #expect(!isEarly && isDue && !isTwice)
    }

    @Test func `the next ones are those that come first, by either clock`() {
        var deadlines = TransferDeadlines()
        let now = Fixture.moment(0)
        for number in 1...5 {
            deadlines.insert(Self.id(Int64(number)), Fixture.start + Double(number) * 10)
            deadlines.insert(
                Self.id(Int64(number + 10)),
                Deadline(setAt: now, delay: Double(number) * 10 - 5),
                now: now
            )
        }
        let next = deadlines.next(until: Fixture.start + 100, now: now, limit: 4)
        #expect(next == [Self.id(11), Self.id(1), Self.id(12), Self.id(2)])
        #expect(deadlines.next(until: Fixture.start + 12, now: now, limit: 4) == [Self.id(11), Self.id(1)])
    }
}
