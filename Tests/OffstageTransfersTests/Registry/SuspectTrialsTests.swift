// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

struct SuspectTrialsTests {
    private static func id(_ number: Int64) -> TransferID { TransferID(rawValue: number) }

    @Test func `suspects are tried one at a time, in the order in which they came`() {
        var trials = SuspectTrials()
        for number: Int64 in [2, 1, 2] { trials.add(Self.id(number)) }
        #expect(trials.line == [Self.id(2), Self.id(1)])
        let (first, second) = (trials.next(), trials.next())
        #expect(first == Self.id(2) && second == nil)
        #expect(trials.current == Self.id(2) && !trials.isInLine(Self.id(2)))
        let isOver = trials.end(Self.id(2))
        let next = trials.next()
        #expect(isOver && next == Self.id(1))
    }

    @Test func `whoever is being tried does not line up again`() {
        var trials = SuspectTrials()
        trials.add(Self.id(1))
        _ = trials.next()
        trials.add(Self.id(1))
        #expect(trials.line.isEmpty)
    }

    @Test func `whoever waits no more leaves the line, and ends nobody's trial`() {
        var trials = SuspectTrials()
        for number: Int64 in 1...3 { trials.add(Self.id(number)) }
        _ = trials.next()
        let isOver = trials.end(Self.id(2))
        #expect(!isOver && trials.line == [Self.id(3)] && trials.current == Self.id(1))
    }
}
