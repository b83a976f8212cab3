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

    @Test func `a deadline that is asked for again and again takes no more room`() {
        var heap = DeadlineHeap()
        for number in 1...100 { heap.insert(TransferID(rawValue: Int64(number)), due: 1000) }
        // Rounded differently each time.
        for number in 0..<10_000 { heap.insert(TransferID(rawValue: 50), due: 2000 + Double(number % 7) * 1e-9) }
        #expect(heap.count < 400)
        var taken: [TransferID: Int] = [:]
        while let id = heap.popDue(at: 1000) { taken[id, default: 0] += 1 }
        #expect(taken.count == 100 && taken.values.allSatisfy { $0 == 1 })
        #expect(heap.earliest.map { $0 >= 2000 } == true)
    }

    @Test func `of many deadlines of a few transfers none is lost or comes early, and one that was removed stays so`() {
        var heap = DeadlineHeap()
        var wanted: [Double] = []
        for number in 0..<3000 {
            let due = Double(number * 7919 % 3001)
            heap.insert(TransferID(rawValue: Int64(number % 5)), due: due)
            // As left over from an earlier attempt.
            heap.insert(TransferID(rawValue: Int64(number % 5)), due: due)
            if number % 5 != 4 { wanted.append(due) }
        }
        heap.remove(TransferID(rawValue: 4))
        var found: [Double] = []
        while let due = heap.earliest, let id = heap.popDue(at: due) {
            #expect(id.rawValue != 4)
            if found.last != due { found.append(due) }
        }
        #expect(found == wanted.sorted())
        #expect(heap.count == 0)
    }

    @Test func `an empty heap has nothing due`() {
        var heap = DeadlineHeap()
        #expect(heap.earliest == nil)
        #expect(heap.popDue(at: .infinity) == nil)
    }
}
