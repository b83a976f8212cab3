// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

struct PredecessorLooksTests {
    private static func id(_ number: Int64) -> TransferID { TransferID(rawValue: number) }

    /// 10 comes after 1 and 2, and 20 after 2; both have been checked.
    private static func looks() -> PredecessorLooks {
        var looks = PredecessorLooks()
        looks.add(id(10), after: [id(1), id(2)])
        looks.add(id(20), after: [id(2)])
        _ = looks.removeFirst(10)
        return looks
    }

    @Test func `whoever comes after others is looked at for all of them at first`() {
        var looks = PredecessorLooks()
        looks.add(Self.id(10), after: [Self.id(1), Self.id(2)])
        let taken = looks.removeFirst(10)
        #expect(taken.map(\.id) == [Self.id(10)])
        #expect(taken.first?.predecessors == [Self.id(1), Self.id(2)])
        #expect(looks.isEmpty)
    }

    @Test(arguments: [(1, [10]), (2, [10, 20]), (3, [])] as [(Int64, [Int64])])
    func `those are looked at that come after what has changed`(changed: Int64, looked: [Int64]) {
        var looks = Self.looks()
        let isNews = looks.changed(Self.id(changed), hasCompleted: false)
        let taken = looks.removeFirst(10)
        #expect(isNews == !looked.isEmpty)
        #expect(taken.map(\.id.rawValue).sorted() == looked)
        #expect(taken.allSatisfy { $0.predecessors == [Self.id(changed)] })
    }

    @Test func `what is not waited for any more is no news`() {
        var looks = Self.looks()
        looks.keep([Self.id(2)], of: Self.id(10))
        let (first, second) = (
            looks.changed(Self.id(1), hasCompleted: true), looks.changed(Self.id(2), hasCompleted: true)
        )
        #expect(!first && second)
    }

    @Test func `some are taken at a time, and none twice`() {
        var looks = PredecessorLooks()
        for number: Int64 in 10..<15 { looks.add(Self.id(number), after: [Self.id(1)]) }
        let (first, second, third) = (looks.removeFirst(3), looks.removeFirst(3), looks.removeFirst(3))
        #expect(first.count == 3 && second.count == 2 && third.isEmpty)
        #expect(Set((first + second).map(\.id)).count == 5)
    }

    @Test func `what has completed is known until the look is over, even if it is forgotten meanwhile`() {
        var looks = Self.looks()
        let isMine = looks.begin()
        let isOthers = looks.begin()
        #expect(isMine && !isOthers)
        _ = looks.changed(Self.id(2), hasCompleted: true)
        _ = looks.changed(Self.id(2), hasCompleted: false)
        #expect(looks.hasCompleted(Self.id(2)) && !looks.hasCompleted(Self.id(1)))
        looks.end()
        #expect(!looks.hasCompleted(Self.id(2)) && !looks.isLooking)
    }
}
