// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// A download whose requests are authorized.
@Suite final class AttemptDownloadTests {
    private var attempt = Attempt()
    private static let mebibyte: Int64 = 1 << 20
    private static let denied = TransferFailure(.accessKeyRefused, "there is no key")

    private func handle(_ event: AttemptEvent, at seconds: Double = 10) -> [String] {
        attempt.handle(event, now: Fixture.moment(seconds)).map { action in
            switch action {
            case .fetch(_, _, let request?), .fetchPiece(_, _, let request?):
                "\(action.summary) with \(request.headers["Key"]?.prefix { $0 != " " } ?? "")"
            case .authorize(_, let rejecting): "\(action.summary) but not \(rejecting ?? "-")"
            default: action.summary
            }
        }
    }

    private func answered(_ status: Int, lane: Int = 0, reached: Int64 = 0) -> AttemptEvent {
        .ended(lane: lane, .answered(Answer(status: status)), reached: reached)
    }

    private func begin(connections: Int? = nil, from offset: Int64 = 0) throws -> [String] {
        let pieces = connections.map { PieceSchedule(connections: $0) }
        _ = handle(.opened(nil, offset: offset, pieces: pieces, download: try ScriptedDownload()))
        return handle(.begun(number: 1))
    }

    /// Two requests are under way, each with half of 8 MiB.
    private func divide() throws {
        _ = try begin(connections: 2)
        _ = handle(.authorized(GrantedToken("k1")))
        _ = handle(.moved(lane: 0, reached: 1))
        _ = handle(.divisible(total: 8 * Self.mebibyte))
        #expect(handle(.holesCommitted) == ["end(0)@4194304", "fetch(1)@4194304..<8388608 with k1"])
    }

    @Test func `the key comes first, and each request is made when it is sent`() throws {
        #expect(try begin(from: 7) == ["authorize(scripted) but not -"])
        #expect(attempt.standing == "waiting for a token of the account 'scripted'")
        let sent = attempt.handle(.authorized(GrantedToken("k1")), now: Fixture.moment(20))
        guard case .fetch(0, 7, let request?)? = sent.first, sent.count == 1 else {
            Issue.record("\(sent)")
            return
        }
        #expect(request.headers["Key"]?.hasSuffix(" at \(Int(Fixture.moment(20).wall.timeIntervalSince1970))") == true)
    }

    @Test func `without a key the attempt fails, and keeps what it has`() throws {
        _ = try begin(from: 7)
        #expect(handle(.notAuthorized(Self.denied)) == ["conclude(accessKeyRefused)@7"])
    }

    @Test func `until something has come, what the file holds behind its first hole counts`() throws {
        var held = ByteSpans(0..<Self.mebibyte)
        held.insert(2 * Self.mebibyte..<5 * Self.mebibyte)
        for (event, reached) in [
            (.ended(lane: 0, .failed(Self.denied), reached: Self.mebibyte), 4 * Self.mebibyte),
            (.notAuthorized(Self.denied), 4 * Self.mebibyte),
            // The whole file is coming, from its first byte on.
            (.ended(lane: 0, .failed(Self.denied), reached: 7), 7),
        ] as [(AttemptEvent, Int64)] {
            attempt = Attempt()
            let pieces = PieceSchedule(connections: 2, held: held)
            let download = try ScriptedDownload()
            _ = handle(.opened(nil, offset: Self.mebibyte, pieces: pieces, download: download))
            _ = handle(.begun(number: 1))
            if case .ended = event { _ = handle(.authorized(GrantedToken("k1"))) }
            #expect(handle(event) == ["conclude(accessKeyRefused)@\(reached)"])
        }
    }

    @Test func `what was granted has to be a key`() throws {
        _ = try begin(from: 7)
        #expect(handle(.authorized(GrantedToken(""))) == ["conclude(accessKeyRefused)@7"])
    }

    @Test func `another key is asked for, and the same request is made again`() throws {
        _ = try begin(from: 7)
        _ = handle(.authorized(GrantedToken("k1")))
        #expect(handle(answered(401, reached: 7)) == ["authorize(scripted) but not k1"])
        #expect(handle(.authorized(GrantedToken("k2"))) == ["fetch(0)@7 with k2"])
        #expect(handle(answered(409, reached: 7)) == ["fetch(0)@7 with k2"])
        #expect(handle(answered(200, reached: 9)) == ["conclude(200)@9"])
    }

    @Test func `a refusal and a change are results`() throws {
        for (status, offset, result) in [
            (410, 0, "conclude(accessKeyRefused)@0"), (412, 7, "conclude(begin again)@7"),
            (412, 0, "conclude(412)@0"),
        ] as [(Int, Int64, String)] {
            attempt = Attempt()
            _ = try begin(from: offset)
            _ = handle(.authorized(GrantedToken("k1")))
            #expect(handle(answered(status, reached: offset)) == [result])
        }
    }

    @Test func `while a piece waits for a key, the others go on, and nothing new is asked for`() throws {
        try divide()
        #expect(handle(answered(401, lane: 1, reached: 4 * Self.mebibyte)) == ["authorize(scripted) but not k1"])
        #expect(handle(answered(200, reached: 4 * Self.mebibyte)).isEmpty)
        #expect(attempt.lanes.isEmpty)
        let orders = handle(.authorized(GrantedToken("k2")))
        #expect(
            orders == ["fetch(0)@4194304..<8388608 with k2", "end(0)@6291456", "fetch(1)@6291456..<8388608 with k2"]
                || orders == ["fetch(0)@4194304..<6291456 with k2", "fetch(1)@6291456..<8388608 with k2"],
            "\(orders)"
        )
    }

    @Test func `a piece that only has to be signed again is asked for at once`() throws {
        try divide()
        #expect(handle(answered(409, lane: 1, reached: 4 * Self.mebibyte)) == ["fetch(1)@4194304..<8388608 with k1"])
    }

    @Test func `without a key, the first request brings the rest`() throws {
        try divide()
        _ = handle(answered(401, lane: 1, reached: 4 * Self.mebibyte))
        #expect(handle(.notAuthorized(Self.denied)) == ["end(0)@8388608"])
        #expect(handle(answered(200, reached: 8 * Self.mebibyte)) == ["conclude(200)@8388608"])
    }

    @Test func `without a key and with nothing under way, the attempt fails with what it has`() throws {
        try divide()
        _ = handle(answered(401, lane: 1, reached: 4 * Self.mebibyte))
        _ = handle(answered(200, reached: 4 * Self.mebibyte))
        #expect(handle(.notAuthorized(Self.denied)) == ["conclude(accessKeyRefused)@4194304"])
    }

    @Test func `a server that is busy gets no further requests, and the first brings the rest`() throws {
        try divide()
        #expect(handle(answered(429, lane: 1, reached: 4 * Self.mebibyte)) == ["end(0)@8388608"])
        #expect(attempt.lanes == [0])
    }

    @Test func `a key that comes too late changes nothing`() throws {
        try divide()
        _ = handle(answered(401, lane: 1, reached: 4 * Self.mebibyte))
        #expect(handle(.breakOff) == ["stop(0)"])
        #expect(handle(.authorized(GrantedToken("k2"))).isEmpty)
    }
}
