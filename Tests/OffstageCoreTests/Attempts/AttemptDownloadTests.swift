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

    @Test func `what the dialect hides of an answer is not in the result`() throws {
        let fields = [HeaderField(name: "Key", value: "k1"), HeaderField(name: "ETag", value: "e")]
        let event = AttemptEvent.ended(lane: 0, .answered(Answer(status: 200, headers: fields)), reached: 9)
        _ = try begin()
        _ = handle(.authorized(GrantedToken("k1")))
        guard case .conclude(.answered(let answer), _, _)? = attempt.handle(event, now: Fixture.moment(10)).first else {
            Issue.record("it does not end")
            return
        }
        #expect(answer.headers.map(\.name) == ["ETag"])
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

    /// The head of the file has been requested.
    private func inquire(
        connections: Int = 2,
        from offset: Int64 = 0,
        held: ByteSpans = ByteSpans()
    ) throws -> String? {
        attempt = Attempt()
        let pieces = PieceSchedule(connections: connections, held: held)
        _ = handle(.opened(nil, offset: offset, pieces: pieces, download: try ScriptedDownload(inquires: true)))
        _ = handle(.begun(number: 1))
        let actions = attempt.handle(.authorized(GrantedToken("k1")), now: Fixture.moment(10))
        guard case .fetch(0, offset, let request?)? = actions.first, actions.count == 1 else { return nil }
        return request.method
    }

    @Test func `the file's head comes first, and all pieces are requested at once`() throws {
        #expect(try inquire() == "HEAD")
        #expect(handle(.divisible(total: 8 * Self.mebibyte)) == ["commitHoles"])
        #expect(handle(answered(200)).isEmpty)
        #expect(
            handle(.holesCommitted) == ["fetch(0)@0..<4194304 with k1", "fetch(1)@4194304..<8388608 with k1"]
        )
        #expect(handle(.moved(lane: 0, reached: 4 * Self.mebibyte)).isEmpty)
        #expect(handle(answered(206, lane: 1, reached: 8 * Self.mebibyte)) == ["stop(0)"])
        #expect(handle(answered(206, reached: 4 * Self.mebibyte)) == ["conclude(200)@8388608"])
    }

    @Test func `an answer to HEAD that comes after the commit makes no difference`() throws {
        #expect(try inquire() == "HEAD")
        _ = handle(.divisible(total: 8 * Self.mebibyte))
        #expect(handle(.holesCommitted) == ["end(0)@4194304", "fetch(1)@4194304..<8388608 with k1"])
        #expect(handle(answered(200)) == ["fetch(0)@0..<4194304 with k1"])
    }

    @Test func `a piece that is there before the answer to HEAD is not taken for it`() throws {
        #expect(try inquire(connections: 3) == "HEAD")
        _ = handle(.divisible(total: 9 * Self.mebibyte))
        _ = handle(.holesCommitted)
        _ = handle(answered(206, lane: 1, reached: 6 * Self.mebibyte))
        #expect(handle(answered(200)).contains { $0.hasPrefix("fetch(0)@0..<") })
    }

    @Test func `a head that says too little, or nothing, leads to the file itself`() throws {
        for status in [200, 204, 301, 400, 401, 403, 404, 410, 412, 429, 501, 503] {
            #expect(try inquire() == "HEAD")
            #expect(handle(answered(status)) == ["fetch(0)@0 with k1"])
            // From here on it is like any download.
            #expect(handle(answered(200, reached: 9)) == ["conclude(200)@9"])
        }
        for result in [.mustBeginAgain(serverIgnoresRanges: false), .failed(.init(.serverMisbehaves, "it lies"))]
            as [AttemptResult]
        {
            #expect(try inquire() == "HEAD")
            #expect(handle(.ended(lane: 0, result, reached: 0)) == ["fetch(0)@0 with k1"])
        }
    }

    @Test func `a request for the head fails as any other when the connection or the disk does`() throws {
        for code in [TransferFailure.Code.connectionLost, .diskFull] {
            #expect(try inquire() == "HEAD")
            let failed = AttemptEvent.ended(lane: 0, .failed(.init(code, "so")), reached: 0)
            #expect(handle(failed) == ["conclude(\(code.rawValue))@0"])
        }
    }

    @Test func `over one connection, or where something is there, the file is requested at once`() throws {
        #expect(try inquire(connections: 1) == "GET")
        #expect(try inquire(from: 7, held: ByteSpans(0..<7)) == "GET")
        #expect(try inquire(held: ByteSpans(9..<20)) == "GET")
    }

    @Test func `a key that comes too late changes nothing`() throws {
        try divide()
        _ = handle(answered(401, lane: 1, reached: 4 * Self.mebibyte))
        #expect(handle(.breakOff) == ["stop(0)"])
        #expect(handle(.authorized(GrantedToken("k2"))).isEmpty)
    }
}
