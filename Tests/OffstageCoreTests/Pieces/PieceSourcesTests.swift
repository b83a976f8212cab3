// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// A download in pieces from several addresses: which address is asked for what, and what happens when one fails.
@Suite final class PieceSourcesTests {
    private static let mib: Int64 = 1 << 20
    private static let tag = PartialDownload.Validator.strongETag("\"two\"")
    private var attempt = Attempt()

    private func handle(_ event: AttemptEvent) -> [String] {
        attempt.handle(event, now: Fixture.moment(10)).map(\.summary)
    }

    private func ended(_ lane: Int, _ result: AttemptResult, _ reached: Int64) -> [String] {
        handle(.ended(lane: lane, result, reached: reached * Self.mib))
    }

    private func answered(_ lane: Int, _ status: Int, _ reached: Int64) -> [String] {
        ended(lane, .answered(Answer(status: status)), reached)
    }

    private func failed(_ lane: Int, _ code: TransferFailure.Code, _ reached: Int64) -> [String] {
        ended(lane, .failed(TransferFailure(code, "it failed")), reached)
    }

    /// Begins a file of so many MiB from the address in use and others, each with its own limit of requests.
    private func begin(_ connections: Int, total: Int64, own: Int = .max, others: [Int] = [6]) -> [String] {
        var schedule = PieceSchedule(connections: connections)
        let others = others.enumerated().map { (address: $0.offset + 1, most: $0.element) }
        schedule.share(among: PieceSources(own: 0, most: own, others: others))
        _ = handle(.opened(nil, offset: 0, pieces: schedule))
        _ = handle(.begun(number: 1))
        _ = handle(.divisible(total: total * Self.mib, answer: Answer(status: 200)))
        return handle(.holesCommitted)
    }

    private func fetch(_ lane: Int, _ first: Int64, _ end: Int64, at address: Int? = nil) -> String {
        "fetch(\(lane))@\(first * Self.mib)..<\(end * Self.mib)" + (address.map { " at \($0)" } ?? "")
    }

    private func end(_ lane: Int, _ byte: Int64) -> String { "end(\(lane))@\(byte * Self.mib)" }

    /// 48 MiB over three connections: lanes 0 and 2 at the address in use, lane 1 at the other.
    private func three() {
        #expect(begin(3, total: 48) == [end(0, 16), fetch(1, 32, 48, at: 1), fetch(2, 16, 32)])
    }

    /// 64 MiB over four connections: lane 1 at the other address, the remaining lanes at the one in use.
    private func four() {
        #expect(begin(4, total: 64) == [end(0, 16), fetch(1, 48, 64, at: 1), fetch(2, 32, 48), fetch(3, 16, 32)])
    }

    @Test func `another address has one request until it has answered, and then its share`() {
        four()
        #expect(attempt.standing == "fetched over 3 connections" && attempt.delivering == [])
        #expect(answered(2, 206, 48) == [end(0, 8), fetch(2, 8, 16)])
        #expect(handle(.answeredBeside(lane: 1, Self.tag)) == [])
        #expect(attempt.standing == "fetched over 4 connections from the addresses 1 and 2")
        #expect(attempt.delivering == [1])
        #expect(answered(3, 206, 32) == [end(1, 56), fetch(3, 56, 64, at: 1)])
    }

    @Test func `its further requests are for the file that its first answer was of`() throws {
        four()
        _ = handle(.answeredBeside(lane: 1, Self.tag))
        let end = AttemptEvent.ended(lane: 2, .answered(Answer(status: 206)), reached: 48 * Self.mib)
        let others = attempt.handle(end, now: Fixture.moment(10)).compactMap { action in
            if case .fetchBeside(_, _, let beside) = action { beside } else { nil }
        }
        let beside = try #require(others.first)
        #expect(beside.address == 1 && beside.total == 64 * Self.mib)
        #expect(beside.partial.validator == Self.tag && beside.partial.totalBytes == 64 * Self.mib)
        #expect(beside.partial.isAdopted == nil)
    }

    @Test func `one without a validator has one request at a time`() {
        four()
        #expect(handle(.answeredBeside(lane: 1, nil)) == [])
        #expect(answered(2, 206, 48) == [end(0, 8), fetch(2, 8, 16)])
    }

    @Test func `as many connections as there are hosts free`() {
        // One at the address in use, and one at each other that has not answered: the fourth has no address to go to.
        let orders = begin(4, total: 64, own: 1, others: [2, 1])
        #expect(orders.count == 3 && orders.filter { $0.hasSuffix("at 1") || $0.hasSuffix("at 2") }.count == 2)
        #expect(handle(.answeredBeside(lane: 2, Self.tag)) == [], "it may have one")
        let more = handle(.answeredBeside(lane: 1, Self.tag))
        #expect(more.contains { $0.hasPrefix("fetch(3)") && $0.hasSuffix("at 1") }, "\(more)")
    }

    @Test func `half of the connections at most wait for addresses that have not answered`() {
        let orders = begin(4, total: 64, others: [6, 6, 6])
        #expect(orders == [end(0, 16), fetch(1, 48, 64, at: 1), fetch(2, 32, 48, at: 2), fetch(3, 16, 32)])
        #expect(answered(3, 206, 32) == [end(0, 8), fetch(3, 8, 16)], "the third of them may be as silent")
        #expect(handle(.answeredBeside(lane: 1, Self.tag)) == [])
        #expect(answered(3, 206, 16).contains { $0.hasPrefix("fetch(3)") && $0.hasSuffix("at 3") })
        // If no other address may have a request, all are asked.
        attempt = Attempt()
        #expect(begin(4, total: 64, own: 1, others: [6, 6, 6]).filter { $0.hasPrefix("fetch") }.count == 3)
    }

    @Test func `one that has not answered does not settle how many connections there are`() throws {
        var schedule = PieceSchedule(growingTo: 8, from: 0, held: ByteSpans())
        schedule.share(among: PieceSources(own: 0, most: 6, others: [(address: 1, most: 6)]))
        _ = handle(.opened(nil, offset: 0, pieces: schedule))
        _ = handle(.begun(number: 1))
        _ = handle(.divisible(total: 1 << 30))
        func pass(to seconds: Int64) {
            _ = attempt.handle(.measured(free: 5), now: Fixture.moment(Double(seconds)))
        }
        pass(to: 0)
        _ = handle(.moved(lane: 0, reached: 4 * Self.mib))
        pass(to: 4)
        #expect(handle(.holesCommitted) == [end(0, 514), fetch(1, 514, 530, at: 1)])
        for seconds in stride(from: Int64(8), through: 40, by: 4) {
            _ = handle(.moved(lane: 0, reached: seconds * Self.mib))
            pass(to: seconds)
        }
        #expect(attempt.pieces?.most == 2 && attempt.pieces?.growth?.isSettled == false)
        _ = handle(.answeredBeside(lane: 1, Self.tag))
        pass(to: 44)
        for (lane, reached) in [(0, 44), (1, 518)] as [(Int, Int64)] {
            _ = handle(.moved(lane: lane, reached: reached * Self.mib))
        }
        pass(to: 48)
        #expect(attempt.pieces?.most == 4, "it has brought as much as the other")
    }

    @Test func `a server that others use by now gets no more connections, until it has some left again`() {
        four()
        _ = handle(.answeredBeside(lane: 1, Self.tag))
        #expect(attempt.besides == [1])
        attempt.update(free: [1: 0])
        #expect(answered(3, 206, 32) == [end(0, 8), fetch(3, 8, 16)])
        attempt.update(free: [1: 1])
        #expect(answered(3, 206, 16).contains { $0.hasPrefix("fetch(3)") && $0.hasSuffix("at 1") })
        #expect(attempt.pieces?.lanesBeside == [1: 2])
    }

    @Test(arguments: [404, 403, 410]) func `one that does not have the file is left, and its piece goes to another`(
        status: Int
    ) {
        three()
        #expect(answered(1, status, 32) == ["leave(1) httpStatus", fetch(1, 32, 48)])
        #expect(answered(0, 200, 16) == [fetch(0, 40, 48), end(1, 40)])
    }

    @Test(
        arguments: [
            (.mustBeginAgain(serverIgnoresRanges: false), "serverMisbehaves"),
            (.mustBeginAgain(serverIgnoresRanges: true), "serverMisbehaves"),
            (.failed(.init(.checksumMismatch, "another length")), "checksumMismatch"),
            (.failed(.init(.certificateRejected, "expired")), "certificateRejected"),
            (.failed(.init(.cannotConnect, "nobody listens")), "cannotConnect"),
            (.answered(Answer(status: 503)), "serverBusy"),
        ] as [(AttemptResult, String)]
    )
    func `one that cannot deliver is left`(result: AttemptResult, code: String) {
        three()
        #expect(ended(1, result, 32) == ["leave(1) \(code)", fetch(1, 32, 48)])
    }

    @Test func `one whose requests all fail is left once, with the first reason`() {
        four()
        _ = handle(.answeredBeside(lane: 1, Self.tag))
        #expect(answered(3, 206, 32) == [end(0, 8), fetch(3, 8, 16, at: 1)])
        // An address that was left twice for nonsense would be left for good.
        let changed = AttemptResult.mustBeginAgain(serverIgnoresRanges: false)
        #expect(ended(1, changed, 48) == ["leave(1) serverMisbehaves", fetch(1, 48, 64)])
        #expect(ended(3, changed, 8) == [fetch(3, 8, 16)])
    }

    @Test func `one that breaks off after a good piece is asked again, and one that is busy keeps what it has`() {
        four()
        _ = handle(.answeredBeside(lane: 1, Self.tag))
        #expect(failed(1, .connectionLost, 50) == [fetch(1, 50, 64, at: 1)])
        #expect(answered(2, 206, 48) == [end(0, 8), fetch(2, 8, 16, at: 1)])
        #expect(attempt.pieces?.lanesBeside == [1: 2])
        #expect(answered(2, 503, 8) == [fetch(2, 8, 16)])
        #expect(attempt.pieces?.lanesBeside == [1: 1])
        #expect(answered(1, 503, 50) == ["leave(1) serverBusy", fetch(1, 50, 64)])
    }

    @Test func `without the address in use the others bring the rest`() {
        three()
        #expect(failed(2, .connectionLost, 16) == [end(0, 32)], "the other has not answered yet")
        #expect(handle(.answeredBeside(lane: 1, Self.tag)) == [end(0, 16), fetch(2, 16, 32, at: 1)])
        #expect(failed(0, .connectionLost, 0) == [fetch(0, 0, 16, at: 1)])
        #expect(attempt.standing == "fetched over 3 connections from address 2")
        #expect(answered(0, 206, 16) == [fetch(0, 40, 48, at: 1), end(1, 40)])
    }

    @Test func `the answer that is told is that of the address in use, whoever brings the file`() {
        #expect(begin(2, total: 32, others: [1]) == [end(0, 16), fetch(1, 16, 32, at: 1)])
        #expect(failed(0, .connectionLost, 0) == [])
        #expect(handle(.answeredBeside(lane: 1, Self.tag)) == [])
        #expect(attempt.standing == "fetched from address 2", "one connection is worth telling there")
        #expect(answered(1, 206, 32) == [fetch(0, 0, 16, at: 1)])
        #expect(answered(0, 206, 16) == ["conclude(200)@\(32 * Self.mib)"])
    }

    @Test func `if nobody is left, the attempt has failed as the address in use has`() {
        three()
        _ = failed(2, .connectionLost, 16)
        _ = handle(.answeredBeside(lane: 1, Self.tag))
        _ = failed(0, .connectionLost, 0)
        #expect(failed(0, .cannotConnect, 0) == [])
        #expect(failed(2, .cannotConnect, 16) == [])
        #expect(failed(1, .cannotConnect, 36) == [fetch(0, 0, 16, at: 1)], "it has brought a good piece")
        #expect(failed(0, .cannotConnect, 0) == ["leave(1) cannotConnect", "conclude(connectionLost)@\(4 * Self.mib)"])
    }

    @Test func `what the address in use refuses as pieces comes with its first answer`() {
        three()
        #expect(failed(1, .certificateRejected, 32) == ["leave(1) certificateRejected", fetch(1, 32, 48)])
        #expect(failed(2, .serverMisbehaves, 16) == [end(0, 32)])
        #expect(answered(1, 206, 48) == [])
        #expect(answered(0, 200, 32) == ["conclude(200)@\(48 * Self.mib)"])
    }

    @Test(arguments: [TransferFailure.Code.diskFull, .targetNotWritable, .internalError])
    func `what concerns this machine ends the attempt`(code: TransferFailure.Code) {
        three()
        #expect(failed(1, code, 32) == ["stop(0)", "stop(2)"])
    }

    /// Advances the time to so many seconds.
    private func pass(to seconds: Double) -> [String] {
        attempt.handle(.measured(free: 5), now: Fixture.moment(seconds)).map(\.summary)
    }

    @Test func `what a slow one has not brought in the end is asked of another as well`() {
        #expect(begin(2, total: 4, others: [1]) == [end(0, 2), fetch(1, 2, 4, at: 1)])
        _ = handle(.answeredBeside(lane: 1, Self.tag))
        let (all, reached) = (4 * Self.mib, 4 * Self.mib - 100_000)
        _ = handle(.moved(lane: 1, reached: reached))
        #expect(pass(to: 10) == [], "no lane is free")
        #expect(answered(0, 200, 2) == [])
        #expect(pass(to: 20) == [] && pass(to: 24) == [])
        _ = handle(.moved(lane: 1, reached: reached + 1))
        #expect(pass(to: 25) == ["fetch(0)@\(reached + 1)..<\(all)"])
        #expect(pass(to: 35) == [], "it is asked for once")
        #expect(answered(0, 206, 4) == ["stop(1)"])
        #expect(handle(.released(lane: 1)) == ["conclude(200)@\(all)"])
    }

    @Test func `of two that are asked for the same bytes the later one is ended`() {
        #expect(begin(4, total: 16, others: [1, 1]).count == 4)
        for lane in [1, 2] { _ = handle(.answeredBeside(lane: lane, Self.tag)) }
        // Lane 1 fetches 12-16, lane 2 fetches 8-12, and the lanes at the address in use fetch the remaining bytes.
        for (lane, end) in [(0, 4), (1, 16), (2, 12)] as [(Int, Int64)] {
            _ = handle(.moved(lane: lane, reached: end * Self.mib - 1000))
        }
        #expect(answered(3, 206, 8) == [] && answered(0, 200, 4) == [])
        #expect(pass(to: 20) == [])
        let ends = (lane1: 16 * Self.mib, lane2: 12 * Self.mib)
        #expect(
            pass(to: 25) == [
                "fetch(0)@\(ends.lane1 - 1000)..<\(ends.lane1)", "fetch(3)@\(ends.lane2 - 1000)..<\(ends.lane2)",
            ]
        )
        #expect(answered(0, 206, 16) == ["end(1)@\(ends.lane1 - 1000)"])
        let end = AttemptEvent.ended(lane: 1, .answered(Answer(status: 206)), reached: ends.lane1 - 1000)
        #expect(handle(end) == [])
        #expect(answered(3, 206, 12) == ["stop(2)"])
    }

    @Test func `one that does not answer holds nothing up`() {
        #expect(begin(2, total: 4) == [end(0, 2), fetch(1, 2, 4, at: 1)])
        var (steps, actions) = (0, answered(0, 200, 2))
        while let order = actions.first, order.hasPrefix("fetch(0)"), steps < 20 {
            steps += 1
            let end = order.split(separator: "<").last.flatMap { Int64($0) } ?? 0
            actions = handle(.ended(lane: 0, .answered(Answer(status: 206)), reached: end))
        }
        #expect(actions == ["stop(1)"], "after \(steps) steps")
        #expect(handle(.released(lane: 1)) == ["conclude(200)@\(4 * Self.mib)"])
        #expect((2..<10).contains(steps))
    }
}
