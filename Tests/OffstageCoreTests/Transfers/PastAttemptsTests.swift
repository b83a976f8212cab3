// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct PastAttemptsTests {
    private static let failure = TransferFailure(.connectionLost, "the connection broke")

    @Test func `a failure that got further than any before begins a new count`() {
        var past = PastAttempts()
        past.failed(Self.failure, reached: 0)
        past.failed(Self.failure, reached: 0)
        #expect(past.fruitless == 2)
        past.failed(Self.failure, reached: 10)
        #expect(past.fruitless == 1 && past.furthestByte == 10)
        past.failed(Self.failure, reached: 10)
        #expect(past.fruitless == 2 && past.lastFailure == Self.failure)
    }

    @Test func `bytes that a server has lost are progress when they are sent again`() {
        for isDialect in [true, false] {
            var past = PastAttempts()
            past.failed(Self.failure, reached: 100)
            past.begin(at: 40, isCountedByServer: isDialect)
            past.failed(Self.failure, reached: 60)
            #expect(past.fruitless == (isDialect ? 1 : 2))
        }
    }

    @Test func `a download that begins again and again waits for it, whatever it reaches in between`() throws {
        let spec = try Fixture.download()
        var past = PastAttempts()
        var waits: [Double?] = []
        for _ in 1...4 {
            waits.append(past.restart(of: spec, RetryPolicy(), jitter: 1))
            #expect(past.furthestByte == 0)
            past.failed(Self.failure, reached: 50)
            #expect(past.fruitless == 1, "the next file's bytes are progress")
        }
        #expect(waits == [nil, 1, 2, 4] && past.restarts == 4 && past.retries == 0)
        past.forgetServer()
        #expect(past.restarts == 4, "the next address may do the same")
        past.startOver()
        #expect(past.restarts == 0)
        past.restarts = .max
        _ = past.restart(of: spec, RetryPolicy(), jitter: 1)
        #expect(past.restarts == Counts.range.upperBound)
    }

    @Test func `all bytes that have moved are counted, also those of attempts that the history has lost`() {
        var past = PastAttempts()
        func note(from offset: Int64, to reached: Int64, moved: Int64? = nil) {
            let attempt = TransferState.Attempt(number: 1, startedAt: Fixture.moment(0), offset: offset)
            past.record(attempt, endedAt: Fixture.moment(1), reached: reached, moved: moved, failure: nil)
        }
        for _ in 1...10 { note(from: 0, to: 5) }
        #expect(past.moved == 50)
        note(from: 10, to: 30, moved: 100)
        #expect(past.moved == 150)
        // An attempt whose bytes the server did not keep.
        note(from: 30, to: 10, moved: 0)
        #expect(past.moved == 150)
        note(from: 0, to: ByteCounts.range.upperBound, moved: .max)
        #expect(past.moved == ByteCounts.range.upperBound)
    }

    @Test func `another way is tried now and then while nothing answers`() {
        var past = PastAttempts()
        var tries: [Bool] = []
        for _ in 0..<9 {
            tries.append(past.suggestsAnotherWay)
            past.failed(Self.failure, reached: 0)
        }
        #expect(tries == [false, false, true, false, false, true, false, false, true])
        past.hasBeenAnswered = true
        #expect(!past.suggestsAnotherWay)
    }

    @Test func `the history keeps the latest attempts`() {
        var past = PastAttempts()
        for number in 1...20 {
            let attempt = TransferState.Attempt(number: number, startedAt: Fixture.moment(0), offset: 0)
            past.record(attempt, endedAt: Fixture.moment(1), reached: 5, failure: nil)
        }
        #expect(past.history.map(\.number) == Array(13...20))
    }

    @Test func `only a failure that is not final counts as a retry`() throws {
        var spec = try Fixture.download()
        spec.maximumRetries = 1
        var past = PastAttempts()
        #expect(past.retry(after: Self.failure, of: spec, RetryPolicy(), jitter: 0) != nil)
        #expect(past.retry(after: Self.failure, of: spec, RetryPolicy(), jitter: 0) == nil)
        #expect(past.retries == 1)
        past.startOver()
        #expect(past.retries == 0 && past.lastFailure == nil)
    }
}
