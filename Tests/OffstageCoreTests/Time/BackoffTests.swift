// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct BackoffTests {
    private let backoff = Backoff(first: 0.5, longest: 60)

    @Test func `each failure in a row doubles the delay, up to the longest`() {
        #expect((1...9).map(backoff.delay(after:)) == [0.5, 1, 2, 4, 8, 16, 32, 60, 60])
    }

    @Test func `no count of failures traps, and none makes the delay shorter`() {
        #expect([0, -1, .min].allSatisfy { backoff.delay(after: $0) == 0.5 })
        #expect([64, 65, 1 << 40, .max].allSatisfy { backoff.delay(after: $0) == 60 })
        let unlimited = Backoff(first: 1, longest: .infinity)
        #expect(unlimited.delay(after: .max) == unlimited.delay(after: 41))
    }

    @Test func `the delay that follows another is the same as by count`() {
        var delay = 0.0
        for failures in 1...12 {
            delay = backoff.delay(following: delay)
            #expect(delay == backoff.delay(after: failures))
        }
    }

    @Test func `a first delay of nothing stays nothing`() {
        #expect(Backoff(first: 0, longest: 60).delay(after: 7) == 0)
    }
}
