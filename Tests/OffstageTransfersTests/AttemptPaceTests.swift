// SPDX-License-Identifier: Apache-2.0
import OffstageTransfers
import Testing

struct AttemptPaceTests {
    let start = ContinuousClock.now

    @Test(arguments: [nil, 0, -1] as [Int64?])
    func `without a limit everything is granted, and the clock is not read`(limit: Int64?) {
        var pace = AttemptPace(limit: limit, now: start)
        var looks = 0
        func now() -> ContinuousClock.Instant {
            looks += 1
            return start
        }
        #expect(!pace.isLimited)
        let granted = pace.grant(1 << 30, now: now())
        #expect(granted == 1 << 30)
        #expect(pace.pausedUntil == nil && looks == 0)
    }

    @Test func `the first byte is told once, and how long ago it moved`() {
        var pace = AttemptPace(limit: nil, now: start)
        #expect(pace.takeFirstByte(now: .now) == nil)
        pace.sent(10)
        let moved = ContinuousClock.now
        pace.wrote(10)
        let ago = pace.takeFirstByte(now: moved + .seconds(3))
        #expect(ago.map { $0 >= .seconds(3) && $0 < .seconds(60) } == true)
        pace.wrote(10)
        #expect(pace.takeFirstByte(now: .now) == nil)
    }

    @Test func `with a limit what is there is granted, and then a pause begins`() {
        var pace = AttemptPace(limit: 1_000_000, now: start)
        let (few, many) = (pace.grant(10, now: start), pace.grant(1 << 30, now: start))
        #expect(few == 10 && many == 100_000)
        #expect(pace.pausedUntil == nil)
        pace.sent(100_000)
        let none = pace.grant(1, now: start)
        #expect(none == 0)
        #expect(pace.pausedUntil.map { $0 > start } == true)
        pace.endPause()
        #expect(pace.pausedUntil == nil)
    }

    @Test func `work that comes to nothing takes its turn, but none of the bandwidth`() {
        var pace = AttemptPace(limit: 1_000_000, now: start)
        for _ in 0..<AttemptPace.turnLimit >> 20 { pace.worked(on: 1 << 20) }
        #expect(pace.hasHadItsTurn)
        let granted = pace.grant(1, now: start)
        #expect(granted == 1)
        #expect(pace.takeFirstByte(now: .now) == nil)
    }

    @Test(arguments: [
        (piece: 1, pieces: AttemptPace.turnLimit / AttemptPace.pieceCost),
        (piece: AttemptPace.pieceCost, pieces: AttemptPace.turnLimit / AttemptPace.pieceCost),
        (piece: 1 << 20, pieces: AttemptPace.turnLimit >> 20),
    ])
    func `a turn ends after so many pieces, of which a tiny one is no cheaper`(piece: Int, pieces: Int) {
        var pace = AttemptPace(limit: nil, now: start)
        for _ in 1..<pieces { pace.wrote(piece) }
        #expect(!pace.hasHadItsTurn)
        pace.wrote(piece)
        #expect(pace.hasHadItsTurn)
        pace.beginTurn()
        #expect(!pace.hasHadItsTurn)
    }

    @Test func `what is sent takes nobody's turn`() {
        var pace = AttemptPace(limit: nil, now: start)
        pace.sent(AttemptPace.turnLimit)
        #expect(!pace.hasHadItsTurn)
    }

    @Test func `bytes around content are fine, and bytes in its place are not`() {
        var pace = AttemptPace(limit: nil, now: start)
        for _ in 0..<100 {
            let isTooMuch = pace.arrived(AttemptPace.overheadLimit / 2)
            #expect(!isTooMuch)
            pace.found(AttemptPace.overheadLimit / 2 / AttemptPace.usualOverhead)
        }
        for _ in 0..<31 {
            let isTooMuch = pace.arrived(1 << 20)
            #expect(!isTooMuch)
            pace.found(1)
        }
        let isTooMuch = pace.arrived(1 << 20)
        #expect(!isTooMuch)
        let isEndless = pace.arrived(1 << 20)
        #expect(isEndless)
    }

    @Test func `libcurl may come round often in one turn of the loop, and again in the next`() {
        var pace = AttemptPace(limit: nil, now: start)
        for turn in 1...2 {
            var isFine = true
            for _ in 0..<AttemptPace.roundLimit { isFine = pace.comeRound(inTurn: turn) && isFine }
            #expect(isFine)
            let isEndless = !pace.comeRound(inTurn: turn)
            #expect(isEndless)
        }
    }

    @Test func `another limit counts at once`() {
        var pace = AttemptPace(limit: nil, now: start)
        pace.setLimit(1_000_000, now: start)
        #expect(pace.isLimited)
        pace.setLimit(0, now: start)
        #expect(!pace.isLimited)
    }
}
