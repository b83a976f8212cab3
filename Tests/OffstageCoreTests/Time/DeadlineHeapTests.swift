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

    @Test func `an empty heap has nothing due`() {
        var heap = DeadlineHeap()
        #expect(heap.earliest == nil)
        #expect(heap.popDue(at: .infinity) == nil)
    }
}
