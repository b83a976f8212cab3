// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct ChronicleTests {
    private let start = Fixture.start

    private func attempt(_ number: Int) -> TimelineSpan {
        let attempt = TimelineAttempt(
            transfer: TransferID(rawValue: Int64(number)),
            number: 1,
            owner: "command",
            host: "h:80",
            isUpload: true,
            bytes: 1,
            outcome: .succeeded
        )
        return TimelineSpan(began: start, ended: start + Double(number), .attempt(attempt))
    }

    @Test func `what has ended is taken once, in order, and again after a commit that failed`() {
        var chronicle = Chronicle(nextNumber: 7)
        #expect(!chronicle.hasWaiting)
        for number in 1...3 { chronicle.record(attempt(number)) }
        let taken = chronicle.take(at: start)
        #expect(taken.map(\.number) == [7, 8, 9])
        #expect(taken.map(\.span) == (1...3).map(attempt))
        #expect(chronicle.take(at: start).isEmpty)
        chronicle.record(attempt(4))
        chronicle.putBack(taken)
        #expect(chronicle.take(at: start).map(\.number) == [7, 8, 9, 10])
    }

    @Test func `it is ahead of the store until what was taken is written, or nothing is left to write`() {
        var chronicle = Chronicle()
        #expect(!chronicle.isAhead)
        chronicle.record(attempt(1))
        #expect(chronicle.isAhead)
        let taken = chronicle.take(at: start)
        #expect(chronicle.isAhead && !chronicle.hasWaiting, "the commit is under way")
        chronicle.putBack(taken)
        #expect(chronicle.isAhead && chronicle.hasWaiting)
        _ = chronicle.take(at: start)
        chronicle.written()
        #expect(!chronicle.isAhead)
        #expect(chronicle.take(at: start).isEmpty)
        #expect(!chronicle.isAhead, "a commit without entries keeps nobody waiting")
    }

    @Test func `a state lasts until the next one, under one number`() {
        var chronicle = Chronicle()
        chronicle.stand(.network(.unmetered), in: .network, at: start)
        #expect(
            chronicle.lasting(at: start + 5) == [TimelineSpan(began: start, ended: start + 5, .network(.unmetered))]
        )
        let first = chronicle.take(at: start + 10)
        #expect(first.map(\.span.ended) == [start + 10])
        // The same state, or a look too soon, adds nothing.
        chronicle.stand(.network(.unmetered), in: .network, at: start + 20)
        #expect(chronicle.take(at: start + 20).isEmpty)
        #expect(chronicle.take(at: start + 70).map(\.span.ended) == [start + 70])
        // A clock that was set back delays nothing.
        #expect(chronicle.take(at: start - 3600).count == 1)
        chronicle.stand(.network(.none), in: .network, at: start + 80)
        let last = chronicle.take(at: nil)
        #expect(
            last == [
                .init(
                    number: first[0].number,
                    span: TimelineSpan(began: start, ended: start + 80, .network(.unmetered))
                )
            ]
        )
        chronicle.finish(at: start + 90)
        let rest = chronicle.take(at: nil)
        #expect(rest.map(\.span) == [TimelineSpan(began: start + 80, ended: start + 90, .network(.none))])
        #expect(rest[0].number > first[0].number)
        #expect(chronicle.lasting(at: start + 90).isEmpty)
    }

    @Test func `a commit that failed does not take an end back`() {
        var chronicle = Chronicle()
        chronicle.stand(.daemon, in: .daemon, at: start)
        let taken = chronicle.take(at: start + 1)
        chronicle.stand(nil, in: .daemon, at: start + 2)
        chronicle.putBack(taken)
        #expect(chronicle.take(at: nil).map(\.span.ended) == [start + 1, start + 2])
        chronicle.stand(.daemon, in: .daemon, at: start + 3)
        let again = chronicle.take(at: start + 4)
        chronicle.putBack(again)
        #expect(chronicle.take(at: nil).isEmpty, "it still lasts, and is written with a later commit")
        #expect(chronicle.take(at: start + 64).count == 1)
    }

    @Test func `however much lasts, one commit looks at a few`() {
        var chronicle = Chronicle()
        for number in 0..<1000 { chronicle.stand(.app("app\(number)", .active), in: .app("app\(number)"), at: start) }
        var seen: Set<Int64> = []
        var rounds = 0
        while seen.count < 1000, rounds < 100 {
            let taken = chronicle.take(at: start + 1)
            #expect(taken.count <= Chronicle.refreshedAtOnce)
            seen.formUnion(taken.map(\.number))
            rounds += 1
        }
        #expect(seen.count == 1000)
        // Apps whose state has ended leave the round.
        for number in 0..<1000 { chronicle.stand(nil, in: .app("app\(number)"), at: start + 2) }
        var ends = 0
        while case let taken = chronicle.take(at: start + 200), !taken.isEmpty { ends += taken.count }
        #expect(ends == 1000)
    }

    @Test func `what cannot be written for long is bounded`() {
        var chronicle = Chronicle()
        for _ in 0..<3 * Chronicle.mostWaiting { chronicle.record(attempt(1)) }
        var taken: [Chronicle.Entry] = []
        while case let some = chronicle.take(at: nil), !some.isEmpty {
            #expect(some.count <= Chronicle.mostAtOnce)
            taken += some
        }
        #expect(taken.count <= Chronicle.mostWaiting)
        #expect(taken.last?.number == Int64(3 * Chronicle.mostWaiting))
    }

    @Test func `a number at the end of all numbers does not trap`() {
        var chronicle = Chronicle(nextNumber: .max)
        chronicle.record(attempt(1))
        chronicle.record(attempt(2))
        #expect(chronicle.take(at: nil).map(\.number) == [.max, .max])
    }
}
