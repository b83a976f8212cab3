// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import Testing

@Suite struct RequestWindowTests {
    @Test func `half of what the daemon works on for a connection is left to the others`() {
        #expect(RequestWindow<Int>.limit == 32)
        #expect(RequestWindow<Int>.limit * 2 == ConnectionBudget().requests)
    }

    @Test func `what is held back follows in order as others are answered`() {
        var window = RequestWindow<Int>()
        let entered = (1...7).map { window.enter($0, weight: 8) }
        #expect(entered == [true, true, true, true, false, false, false])
        // Light, but still queued behind the others.
        let isLightBegun = window.enter(8, weight: 1)
        #expect(!isLightBegun)
        let ended = (1...4).map { _ in window.ended(weight: 8) }
        #expect(ended == [[5], [6], [7], [8]])
        let last = [window.enter(9, weight: 7), window.enter(10, weight: 1)]
        #expect(last == [true, false])
    }

    @Test func `one that is heavier than all is asked alone`() {
        var window = RequestWindow<Int>()
        let entered = [window.enter(1, weight: 300), window.enter(2, weight: 1), window.enter(3, weight: 300)]
        #expect(entered == [true, false, false])
        let ended = [300, 1, 300].map { window.ended(weight: $0) }
        #expect(ended == [[2], [3], []])
        let isBegun = window.enter(4, weight: 1)
        #expect(isBegun)
    }

    @Test func `a random walk never has more under way than may be, and loses nothing`() {
        var generator = SystemRandomNumberGenerator()
        var window = RequestWindow<(number: Int, weight: Int)>()
        var underWay: [(number: Int, weight: Int)] = []
        var begun: [Int] = []
        for number in 0..<2000 {
            let request = (number: number, weight: Int.random(in: 1...20, using: &generator))
            if window.enter(request, weight: request.weight) {
                underWay.append(request)
                begun.append(number)
            }
            if Bool.random(using: &generator), !underWay.isEmpty {
                let ended = underWay.remove(at: Int.random(in: underWay.indices, using: &generator))
                let next = window.ended(weight: ended.weight)
                underWay += next
                begun += next.map(\.number)
            }
            #expect(underWay.reduce(0) { $0 + $1.weight } <= RequestWindow<Int>.limit)
        }
        while !underWay.isEmpty {
            let next = window.ended(weight: underWay.removeFirst().weight)
            underWay += next
            begun += next.map(\.number)
        }
        #expect(begun == Array(0..<2000))
    }
}
