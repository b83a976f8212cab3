// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct FleetPaceTests {
    private func wait(_ pace: FleetPace, hasRoom: Bool = true, holds: Bool = false, jitter: Double = 0.5) -> Double {
        pace.wait(hasRoom: hasRoom, holds: holds, renewal: 9, jitter: jitter)
    }

    @Test func `an idle member asks once in half a minute`() {
        var pace = FleetPace()
        pace.isTold = true
        pace.looked(given: 0, asked: 20)
        #expect(wait(pace) == 30)
        #expect(wait(pace, holds: true) == 9, "a lease has to be renewed")
    }

    @Test func `told of rows it asks soon, and not at the same time as others`() {
        var pace = FleetPace()
        pace.isTold = true
        pace.looked(given: 0, asked: 20)
        pace.called()
        #expect(wait(pace, jitter: 0) == 0)
        #expect(wait(pace, jitter: 1) == 0.5)
        #expect(wait(pace, hasRoom: false) == 30, "without room there is nothing to ask for")
        pace.looked(given: 20, asked: 20)
        #expect(wait(pace, holds: true) == 0, "a full turn has left some")
        pace.looked(given: 3, asked: 20)
        #expect(wait(pace, holds: true) == 9)
    }

    @Test func `without notifications it asks ever more rarely, and in the end once in half a minute`() {
        var pace = FleetPace()
        var last = 0.0
        for _ in 0..<40 {
            pace.looked(given: 0, asked: 20)
            let next = wait(pace)
            #expect(next >= last && next <= 30)
            last = next
        }
        #expect(last == 30)
        pace.looked(given: 1, asked: 20)
        pace.looked(given: 0, asked: 20)
        #expect(wait(pace) == 2)
    }

    @Test func `where a server's limit keeps rows back it asks each second`() {
        var pace = FleetPace()
        pace.isTold = true
        pace.looked(given: 2, asked: 20, isHeldBack: true)
        #expect(wait(pace) == 1)
        #expect(wait(pace, hasRoom: false, holds: true) == 9)
        pace.looked(given: 2, asked: 20)
        #expect(wait(pace) == 30)
    }

    @Test func `the time that rows take is an average of the last`() {
        var pace = FleetPace()
        #expect(pace.average == nil)
        pace.ended(after: 10)
        #expect(pace.average == 10)
        for seconds in [.nan, -1, .infinity] { pace.ended(after: seconds) }
        #expect(pace.average == 10)
        for _ in 0..<100 { pace.ended(after: 1) }
        #expect(pace.average.map { abs($0 - 1) < 0.01 } == true)
    }

    @Test func `it asks for what it can carry out`() {
        #expect(FleetPace.appetite(capacity: 20, held: 5, average: nil, period: 1) == 15)
        #expect(FleetPace.appetite(capacity: 20, held: 40, average: nil, period: 1) == 0)
        #expect(
            FleetPace.appetite(capacity: 20, held: 20, average: 0.1, period: 1) == 200,
            "these end before the next turn"
        )
        for average in [0, -1, .nan, .infinity, 1e-300] {
            #expect(
                (0...500).contains(FleetPace.appetite(capacity: .max, held: 0, average: average, period: .infinity))
            )
        }
    }
}
