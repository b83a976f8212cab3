// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct PieceScheduleTests {
    private static let mib: Int64 = 1 << 20
    private static let whole = Answer(status: 200)
    private static let piece = Answer(status: 206)
    private static let lost = AttemptResult.failed(.init(.connectionLost, "it broke"))
    private static let changed = AttemptResult.mustBeginAgain(serverIgnoresRanges: false)

    private static func spans(_ ranges: Range<Int64>...) -> ByteSpans {
        ranges.reduce(into: ByteSpans()) { $0.insert($1 .* mib) }
    }

    /// A file of `total` MiB, divided when its first request had reached `reached` MiB.
    private static func divided(
        _ connections: Int,
        total: Int64,
        from offset: Int64 = 0,
        reached: Int64 = 0,
        held: ByteSpans = ByteSpans()
    ) -> (schedule: PieceSchedule, orders: [String]) {
        var schedule = PieceSchedule(connections: connections, held: held)
        _ = schedule.divide(total: total * mib, from: offset * mib, reached: reached * mib)
        let orders = schedule.fill()
        return (schedule, orders.map(\.summary))
    }

    struct Row: Sendable {
        var connections: Int
        var total: Int64
        var from: Int64 = 0
        var reached: Int64 = 0
        var held = ByteSpans()
        var orders: [String]
    }

    private static let rows: [Row] = [
        Row(connections: 1, total: 100, orders: []),
        Row(connections: 2, total: 1, orders: []),
        Row(connections: 2, total: 100, orders: ["end 0 at 50", "fetch 1: 50-66"]),
        Row(connections: 2, total: 33, orders: ["end 0 at 16", "fetch 1: 16-33"]),
        Row(connections: 2, total: 100, reached: 20, orders: ["end 0 at 60", "fetch 1: 60-76"]),
        Row(connections: 4, total: 8, orders: ["end 0 at 2", "fetch 1: 6-8", "fetch 2: 4-6", "fetch 3: 2-4"]),
        // No piece is smaller than 1 MiB.
        Row(connections: 16, total: 3, orders: ["end 0 at 1", "fetch 1: 2-3", "fetch 2: 1-2"]),
        Row(connections: 16, total: 100, reached: 99, orders: []),
        // Pieces of earlier attempts: each gap has one request before the longest is divided.
        Row(
            connections: 3,
            total: 100,
            from: 10,
            reached: 10,
            held: spans(0..<10, 30..<40, 50..<90),
            orders: ["end 0 at 30", "fetch 1: 40-50", "fetch 2: 90-100"]
        ),
        Row(
            connections: 4,
            total: 100,
            from: 10,
            reached: 10,
            held: spans(0..<10, 30..<40, 50..<90),
            orders: ["end 0 at 20", "fetch 1: 40-50", "fetch 2: 90-100", "fetch 3: 20-30"]
        ),
        // The first request has continued into bytes that are already held.
        Row(
            connections: 2,
            total: 100,
            from: 10,
            reached: 35,
            held: spans(0..<10, 30..<90),
            orders: ["end 0 at 35", "fetch 1: 90-100"]
        ),
        // Bytes held behind the first gap are not fetched again, however small the gap.
        Row(connections: 2, total: 100, from: 1, reached: 1, held: spans(0..<1, 2..<100), orders: ["end 0 at 2"]),
    ]

    @Test(arguments: rows) func `a file is divided among its connections`(row: Row) {
        let (schedule, orders) = Self.divided(
            row.connections,
            total: row.total,
            from: row.from,
            reached: row.reached,
            held: row.held
        )
        #expect(orders == row.orders)
        #expect(schedule.isDivided == !row.orders.isEmpty)
    }

    @Test func `the first pieces are short, and the first request keeps its place`() {
        let (schedule, orders) = Self.divided(16, total: 1024)
        #expect(orders.count == 16)
        #expect(
            orders.first == "end 0 at 754" && orders.contains("fetch 1: 960-976") && orders.contains("fetch 2: 976-992")
        )
        #expect(schedule.underWay == 16)
    }

    /// A download whose lanes receive bytes in turn; returns the pieces in the order in which they were requested.
    private static func pieces(_ connections: Int, total: Int64) -> [Range<Int64>] {
        var schedule = PieceSchedule(connections: connections)
        _ = schedule.divide(total: total * mib, from: 0, reached: 0)
        var ends = [0: (reached: Int64(0), end: total * mib)]
        var pieces: [Range<Int64>] = []
        func take(_ orders: [PieceSchedule.Order]) {
            for order in orders {
                switch order {
                case .fetch(let lane, let range):
                    ends[lane] = (range.lowerBound, range.upperBound)
                    pieces.append(range)
                case .end(let lane, let byte): ends[lane]?.end = byte
                }
            }
        }
        take(schedule.fill())
        var steps = 0
        while !ends.isEmpty, steps < 1_000_000 {
            for (lane, span) in ends.sorted(by: { $0.key < $1.key }) {
                steps += 1
                let reached = min(span.end, span.reached + 4 * mib)
                ends[lane]?.reached = reached
                guard reached >= span.end else {
                    schedule.moved(lane, reached: reached)
                    continue
                }
                ends[lane] = nil
                switch schedule.ended(lane, .answered(piece), reached: reached) {
                case .goOn(let orders): take(orders)
                case .end: return schedule.isWhole ? pieces : []
                }
            }
        }
        return []
    }

    @Test(arguments: [(2, 3), (3, 100), (8, 1024), (16, 1024), (16, 102_400)])
    func `pieces grow, so that a large file takes few requests`(connections: Int, total: Int64) throws {
        let pieces = Self.pieces(connections, total: total)
        #expect(!pieces.isEmpty)
        let lengths = pieces.map(\.count)
        #expect(lengths.prefix(connections - 1).allSatisfy { $0 <= 17 << 20 })
        #expect(try #require(lengths.max()) <= 1025 << 20)
        // Each request doubles the previous one; at the end, the longest ones under way are divided.
        #expect(pieces.count <= 40 * connections, "\(pieces.count) requests")
    }

    @Test func `nonsense divides nothing`() {
        let all: [(total: Int64, offset: Int64, reached: Int64)] = [
            (-1, 0, 0), (.max, 0, 0), (100 << 20, 5, 4), (100 << 20, -5, 0), (100 << 20, 0, 100 << 20),
        ]
        for (total, offset, reached) in all {
            var schedule = PieceSchedule(connections: 4)
            let isDivided = schedule.divide(total: total, from: offset, reached: reached)
            #expect(!isDivided && !schedule.isDivided)
            let orders = schedule.fill()
            #expect(orders.isEmpty)
        }
        var (schedule, _) = Self.divided(4, total: 100)
        let isDividedAgain = schedule.divide(total: 7, from: 0, reached: 0)
        #expect(!isDividedAgain)
    }

    @Test func `every byte counts once`() {
        var (schedule, _) = Self.divided(2, total: 100)
        schedule.moved(0, reached: 30 * Self.mib)
        schedule.moved(0, reached: 20 * Self.mib)
        schedule.moved(1, reached: 70 * Self.mib)
        schedule.moved(9, reached: 99 * Self.mib)
        #expect(schedule.held == Self.spans(0..<30, 50..<70))
        // A request that went a little too far, and one that lies.
        schedule.moved(0, reached: 55 * Self.mib)
        schedule.moved(1, reached: .max)
        #expect(schedule.isWhole && schedule.held.count == 100 * Self.mib)
    }

    @Test func `a free lane takes half of the longest piece`() {
        var (schedule, _) = Self.divided(2, total: 100)
        schedule.moved(0, reached: 10 * Self.mib)
        #expect(schedule.take(1, .answered(Self.piece), 66) == ["fetch 1: 66-82"])
        #expect(schedule.take(1, .answered(Self.piece), 82) == ["fetch 1: 82-100"], "the rest is not worth another")
        #expect(schedule.take(1, .answered(Self.piece), 100) == ["end 0 at 30", "fetch 1: 30-50"])
        schedule.moved(0, reached: 29 * Self.mib)
        #expect(schedule.take(0, .answered(Self.whole), 30) == ["fetch 0: 40-50", "end 1 at 40"])
        // A piece that is nearly complete is left to its own request.
        schedule.moved(1, reached: 39 * Self.mib)
        #expect(schedule.take(0, .answered(Self.piece), 50) == [])
        #expect(schedule.take(1, .answered(Self.piece), 40) == ["200 at 100"], "the first answer is the file's")
    }

    @Test func `a piece that broke is taken up by others`() {
        var (schedule, _) = Self.divided(3, total: 30)
        // The request brought some bytes: the number of lanes stays the same.
        #expect(schedule.take(1, Self.lost, 22) == ["fetch 1: 22-30"])
        // The request brought nothing: one lane fewer.
        #expect(schedule.take(1, Self.lost, 22) == [])
        #expect(schedule.most == 2)
        #expect(schedule.take(2, .answered(Self.piece), 20) == ["fetch 1: 22-30"])
        #expect(schedule.take(0, Self.lost, 5) == ["fetch 0: 5-10"], "the first request is one like the others now")
        #expect(schedule.take(0, .answered(Self.piece), 10) == ["fetch 0: 26-30", "end 1 at 26"])
        #expect(schedule.take(0, .answered(Self.piece), 30) == ["fetch 0: 24-26", "end 1 at 24"])
        #expect(schedule.take(0, .answered(Self.piece), 26) == ["fetch 0: 23-24", "end 1 at 23"])
        #expect(schedule.take(0, .answered(Self.piece), 24) == [])
        #expect(schedule.take(1, .answered(Self.piece), 23) == ["206 at 30"])
    }

    @Test func `alone, the first request goes on over what is not worth another`() {
        var (schedule, _) = Self.divided(3, total: 30)
        schedule.moved(1, reached: 20 << 20 | 300_000)
        #expect(schedule.take(1, Self.lost, 20) == [])
        #expect(schedule.take(2, Self.lost, 10) == ["end 0 at 30"])
        #expect(schedule.take(0, .answered(Self.whole), 30) == ["200 at 30"])
    }

    @Test func `the last request's failure is the attempt's`() {
        var (schedule, _) = Self.divided(2, total: 30)
        #expect(schedule.take(0, Self.lost, 0) == [])
        #expect(schedule.take(1, Self.lost, 20) == ["connectionLost at 5"])
    }

    @Test(arguments: [429, 503, 403, 404, 500, 200]) func `a server that refuses further connections has fewer`(
        status: Int
    ) {
        var (schedule, _) = Self.divided(4, total: 40)
        let refusal = AttemptResult.answered(Answer(status: status))
        #expect(schedule.take(2, refusal, 0) == [], "the first request is not next to it")
        #expect(schedule.take(3, refusal, 0) == ["end 0 at 30"], "the first request brings both")
        #expect(schedule.most == 2)
        #expect(schedule.take(1, .answered(Self.piece), 40) == ["end 0 at 15", "fetch 1: 15-30"])
        #expect(schedule.take(1, refusal, 15) == ["end 0 at 30"])
        #expect(schedule.take(0, .answered(Self.whole), 30) == ["200 at 40"])
        // Without the first request, the last refusal becomes the attempt's.
        (schedule, _) = Self.divided(2, total: 32)
        #expect(schedule.take(0, .answered(Self.whole), 16) == ["fetch 0: 24-32", "end 1 at 24"])
        #expect(schedule.take(0, refusal, 24) == [])
        #expect(schedule.take(1, .answered(Self.piece), 24) == ["fetch 0: 24-32"])
        #expect(schedule.take(0, refusal, 24) == ["\(status) at 24"])
    }

    @Test(arguments: [
        changed, .mustBeginAgain(serverIgnoresRanges: true), .failed(.init(.serverMisbehaves, "it lied")),
        .failed(.init(.badServerResponse, "nonsense")), .failed(.init(.certificateRejected, "another")),
    ])
    func `a server that cannot send a piece sends the whole to the first request`(result: AttemptResult) {
        var (schedule, _) = Self.divided(3, total: 30)
        #expect(schedule.take(1, result, 20) == ["end 0 at 30"])
        #expect(schedule.take(2, result, 10) == [])
        #expect(schedule.take(0, .answered(Self.whole), 30) == ["200 at 30"])
    }

    @Test func `without its first request the file is begun anew`() {
        var (schedule, _) = Self.divided(3, total: 30)
        #expect(schedule.take(0, .answered(Self.whole), 10) == ["fetch 0: 25-30", "end 1 at 25"])
        #expect(schedule.take(2, Self.changed, 15) == ["begin again at 15"])
    }

    @Test func `a lie costs the rest of the attempt, and not what others bring`() {
        var (schedule, _) = Self.divided(3, total: 30)
        #expect(schedule.take(0, .answered(Self.whole), 10) == ["fetch 0: 25-30", "end 1 at 25"])
        #expect(schedule.take(2, .failed(.init(.serverMisbehaves, "it lied")), 15) == [])
        #expect(schedule.take(0, .answered(Self.piece), 30) == [])
        #expect(schedule.take(1, .answered(Self.piece), 25) == ["serverMisbehaves at 25"])
    }

    @Test(arguments: [
        TransferFailure.Code.diskFull, .targetNotWritable, .targetExists, .targetDirectoryMissing, .internalError,
    ])
    func `what concerns this machine ends the attempt at once`(code: TransferFailure.Code) {
        var (schedule, _) = Self.divided(3, total: 30)
        #expect(schedule.take(2, .failed(.init(code, "no")), 11) == ["\(code.rawValue) at 1"])
    }

    @Test func `the first request's own failure ends the attempt, unless the way to the server broke`() {
        let codes: [TransferFailure.Code] = [.serverMisbehaves, .redirectRefused, .certificateRejected]
        for result in [Self.changed] + codes.map({ .failed(.init($0, "no")) }) {
            var (schedule, _) = Self.divided(3, total: 30)
            #expect(schedule.take(0, result, 1).first?.hasSuffix("at 1") == true)
        }
    }

    @Test func `all bytes without an answer are no success`() {
        var (schedule, _) = Self.divided(2, total: 2)
        #expect(schedule.take(1, Self.lost, 2) == [])
        #expect(schedule.take(0, Self.lost, 1) == ["connectionLost at 2"])
    }
}

infix operator .* : MultiplicationPrecedence

private func .* (range: Range<Int64>, factor: Int64) -> Range<Int64> {
    range.lowerBound * factor..<range.upperBound * factor
}

extension PieceSchedule {
    /// Ends a request at so many MiB; returns the resulting orders, in words.
    fileprivate mutating func take(_ lane: Int, _ result: AttemptResult, _ reached: Int64) -> [String] {
        switch ended(lane, result, reached: reached << 20) {
        case .goOn(let orders): orders.map(\.summary)
        case .end(let result): ["\(result.summary) at \(held.count >> 20)"]
        }
    }
}

extension PieceSchedule.Order {
    /// In MiB.
    var summary: String {
        switch self {
        case .fetch(let lane, let range): "fetch \(lane): \(range.lowerBound >> 20)-\(range.upperBound >> 20)"
        case .end(let lane, let byte): "end \(lane) at \(byte >> 20)"
        }
    }
}
