// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct DeadlineHeapTests {
    @Test func `deadlines come out when they are due, earliest first`() {
        var heap = DeadlineHeap()
        let dues = [5.0, 1, 4, 2, 3, 1]
        for (index, due) in dues.enumerated() { heap.insert(TransferID(rawValue: Int64(index)), due: due) }
        #expect(heap.earliest == 1)
        #expect(heap.popDue(at: 0.5) == nil)
        var order: [Double] = []
        while let id = heap.popDue(at: 3) { order.append(dues[Int(id.rawValue)]) }
        #expect(order == [1, 1, 2, 3])
        #expect(heap.earliest == 4)
    }

    @Test func `the next deadlines are seen in order, and stay`() {
        var heap = DeadlineHeap()
        for number in 0..<100 { heap.insert(TransferID(rawValue: Int64(number)), due: Double(number * 37 % 100)) }
        let first = heap.next(upTo: 50, limit: 5)
        #expect(first.map { $0.id.rawValue * 37 % 100 } == [0, 1, 2, 3, 4])
        #expect(first.map(\.due) == [0, 1, 2, 3, 4])
        #expect(heap.next(upTo: 2, limit: 100).count == 3)
        #expect(heap.next(upTo: .infinity, limit: 1000).count == 100)
        #expect(heap.earliest == 0)
        #expect(DeadlineHeap().next(upTo: .infinity, limit: 9).isEmpty)
    }

    @Test func `an empty heap has nothing due`() {
        var heap = DeadlineHeap()
        #expect(heap.earliest == nil)
        #expect(heap.popDue(at: .infinity) == nil)
    }
}
