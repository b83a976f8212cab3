// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct `How many connections a download gets` {
    /// A line on which time passes in steps of a quarter of a second, the interval of the engine's reports.
    private struct Line {
        var growth: ConnectionGrowth
        var connections = 1
        var bytes: Int64 = 0
        var uptime = 100.0
        let total: Int64

        init(most: Int = 8, total: Int64 = 10_000_000_000) {
            growth = ConnectionGrowth(most: most)
            self.total = total
        }

        /// Returns the numbers of connections chosen within so many seconds, in order.
        mutating func run(seconds: Double, rate: (Int) -> Double) -> [Int] {
            var chosen: [Int] = []
            for _ in 0...Int(seconds * 4) {
                let left = max(0, total - bytes)
                if let next = growth.next(connections: connections, bytes: bytes, remaining: left, uptime: uptime) {
                    connections = next
                    chosen.append(next)
                }
                uptime += 0.25
                bytes += Int64(rate(connections) / 4)
            }
            return chosen
        }
    }

    @Test func `a line that gives each connection as much is given twice as many, up to the limit`() {
        var line = Line()
        #expect(line.run(seconds: 30) { Double($0) * 1e6 } == [2, 4, 8])
        var narrow = Line(most: 6)
        #expect(narrow.run(seconds: 30) { Double($0) * 1e6 } == [2, 4, 6])
        var many = Line(most: 1024)
        #expect(many.run(seconds: 60) { Double($0) * 1e6 } == [2, 4, 8])
    }

    @Test func `a line that one connection fills is tried once`() {
        var line = Line()
        #expect(line.run(seconds: 60) { _ in 5e6 } == [2, 1])
        #expect(line.growth.isSettled)
        // A line that three connections fill.
        var wider = Line()
        #expect(wider.run(seconds: 60) { min(Double($0) * 1e6, 3e6) } == [2, 4, 8, 4])
    }

    @Test func `a host gets no more connections than it has left`() {
        var schedule = PieceSchedule(growingTo: 8, from: 0, held: ByteSpans())
        _ = schedule.divide(total: 1 << 30, from: 0, reached: 0)
        var changes: [Bool] = []
        for turn in 0..<5 {
            let reached = Int64(turn) * (3 << 20)
            changes.append(schedule.measure(first: (0, reached), free: turn < 3 ? 0 : 1, uptime: 10 + 4 * Double(turn)))
        }
        // The line is measured only once there is room.
        #expect(changes == [false, false, false, false, true] && schedule.most == 2)
        var held = ByteSpans(0..<10)
        held.insert(20..<30)
        #expect(PieceSchedule(growingTo: 8, from: 10, held: held, free: 0).most == 2, "what is there is used")
        #expect(PieceSchedule(growingTo: 8, from: 10, held: held, free: 2).most == 3)
    }

    @Test func `nothing is fetched behind a hole before the store knows of it`() {
        var schedule = PieceSchedule(connections: 4)
        _ = schedule.divide(total: 100 << 20, from: 0, reached: 1 << 20)
        schedule.awaitsCommit = true
        #expect(schedule.fill() == [])
        schedule.awaitsCommit = false
        #expect(!schedule.fill().isEmpty)
    }

    @Test func `a download that ends soon stays as it is`() {
        var line = Line(total: 20_000_000)
        #expect(line.run(seconds: 20) { Double($0) * 2e6 } == [])
        // A download that turns out to be slow for a while gets more connections.
        var slowed = Line(total: 40_000_000)
        #expect(slowed.run(seconds: 4) { _ in 5e6 } == [])
        #expect(slowed.run(seconds: 8) { _ in 0.2e6 }.first == 2)
    }

    @Test func `a server that has refused one is not asked for more`() {
        var line = Line()
        line.growth.settle()
        #expect(line.run(seconds: 60) { Double($0) * 1e6 } == [])
    }

    @Test func `a line that stands still says nothing`() {
        var line = Line()
        #expect(line.run(seconds: 30) { _ in 0 } == [])
        #expect(line.run(seconds: 4) { Double($0) * 1e6 } == [2])
    }

    @Test func `no number of a clock or a count ends the process`() {
        for uptime in [-Double.infinity, -1e308, 0, 1e308, .infinity, .nan] {
            var growth = ConnectionGrowth(most: 8)
            for bytes in [0, Int64.max, 0, ByteCounts.range.upperBound] {
                for time in [0, uptime, uptime + 4] {
                    _ = growth.next(connections: 1, bytes: bytes, remaining: .max, uptime: time)
                    _ = growth.next(connections: .max, bytes: bytes, remaining: 0, uptime: time)
                }
            }
        }
    }

    @Test func `a file is divided when the first change comes, and the first request ends where the next begins`() {
        var schedule = PieceSchedule(growingTo: 8, from: 0, held: ByteSpans())
        #expect(!schedule.isExpected && !schedule.isGrowing)
        let total: Int64 = 100 << 20
        let divided = schedule.divide(total: total, from: 0, reached: 0)
        #expect(!divided && schedule.isGrowing && !schedule.isDivided)
        let early = schedule.measure(first: (0, 0), uptime: 10)
        let changed = schedule.measure(first: (0, 3 << 20), uptime: 13.1)
        #expect(!early && changed && schedule.isDivided)
        let orders = schedule.fill()
        guard case .fetch(let lane, let piece)? = orders.last, case .end(0, let end)? = orders.first else {
            Issue.record("\(orders)")
            return
        }
        #expect(lane == 1 && piece.count == 16 << 20 && end == piece.lowerBound && orders.count == 2)
        // Twice as fast: twice as many.
        schedule.moved(0, reached: 6 << 20)
        schedule.moved(1, reached: piece.lowerBound + (3 << 20))
        let grown = schedule.measure(first: nil, uptime: 16.3)
        #expect(grown && schedule.fill().count { if case .fetch = $0 { true } else { false } } == 2)
        // No faster than before: the last two are given back as they end.
        schedule.moved(0, reached: 8 << 20)
        let shrunk = schedule.measure(first: nil, uptime: 19.5)
        #expect(shrunk && !schedule.isGrowing && schedule.most == 2)
    }
}
