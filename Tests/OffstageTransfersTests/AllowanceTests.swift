// SPDX-License-Identifier: Apache-2.0
import OffstageTransfers
import Testing

struct AllowanceTests {
    let start = ContinuousClock.now

    @Test func `without a limit everything may go`() {
        var allowance = Allowance(limit: nil, now: start)
        allowance.spend(1 << 40)
        #expect(allowance.available(now: start) == .max)
        #expect(allowance.refilled(now: start) == start)
    }

    @Test func `a tenth of a second's worth may go at once, then it is time to wait`() {
        var allowance = Allowance(limit: 1_000_000, now: start)
        #expect(allowance.available(now: start) == 100_000)
        allowance.spend(100_000)
        #expect(allowance.available(now: start) == 0)
        let half = allowance.refilled(now: start)
        #expect(abs((start.duration(to: half) - .milliseconds(50)) / .milliseconds(1)) < 0.01)
        #expect(abs(allowance.available(now: half) - 50_000) <= 1)
    }

    @Test func `what was overdrawn is waited for`() {
        var allowance = Allowance(limit: 1000, now: start)
        allowance.spend(2000)
        let refilled = allowance.refilled(now: start)
        #expect(abs((start.duration(to: refilled) - .milliseconds(1500)) / .milliseconds(1)) < 0.01)
        #expect(allowance.available(now: start + .seconds(1)) == 0)
        #expect(allowance.available(now: start + .seconds(2)) == 1000)
    }

    @Test func `a low limit begins with no more than a second's worth`() {
        var allowance = Allowance(limit: 1024, now: start)
        #expect(allowance.available(now: start) == 1024)
        #expect(allowance.available(now: start + .seconds(60)) == 1024)
    }

    @Test func `time that was not used does not add up without end`() {
        var allowance = Allowance(limit: 1_000_000, now: start)
        allowance.spend(100_000)
        #expect(allowance.available(now: start + .seconds(3600)) == 100_000)
    }

    @Test func `a new limit forgives what was overdrawn under the old one`() {
        var allowance = Allowance(limit: 1000, now: start)
        allowance.spend(1_000_000)
        allowance.setLimit(2000, now: start)
        #expect(allowance.limit == 2000)
        #expect(allowance.available(now: start + .milliseconds(500)) == 1000)
        allowance.setLimit(nil, now: start)
        #expect(allowance.available(now: start) == .max)
    }

    @Test func `over a long time the rate is the limit`() {
        var allowance = Allowance(limit: 300_000, now: start)
        var now = start
        var moved = 0
        while now < start + .seconds(100) {
            let piece = min(16_384, allowance.available(now: now))
            if piece == 0 {
                now = allowance.refilled(now: now)
            } else {
                // Like libcurl, sends a whole piece although less is available.
                allowance.spend(16_384)
                moved += 16_384
            }
        }
        #expect(abs(moved - 30_000_000) < 100_000)
    }
}
