// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// A download in pieces with random events, attempt after attempt, and the invariants that must hold throughout.
struct PieceWalk {
    private let total: Int64
    private let connections: Int
    private var attempt = Attempt()
    /// The requests under way: the byte reached, the byte before which each ends, and whether its response goes on.
    private var lanes: [Int: (reached: Int64, end: Int64, isOpenEnded: Bool)] = [:]
    /// The bytes written to the file.
    private var written: ByteSpans
    private var isCommitting = false
    /// Authorizes the requests, if they need that, and whether a key is being requested at the moment.
    private let download: ScriptedDownload?
    private var isAsking = false
    /// How many other addresses have the file, and the requests to them that are still unanswered.
    private let others: Int
    private var silent: Set<Int> = []
    private var seconds = 10.0
    private var attempts = 0
    private(set) var result: AttemptResult?
    /// Whether the file is complete.
    private(set) var isWhole = false

    private static let now = AttemptStage.now
    private static let calmFrom = 40

    init(total: Int64, connections: Int, download: ScriptedDownload? = nil, others: Int = 0) {
        (self.total, self.connections, self.download, self.others) = (total, connections, download, others)
        written = ByteSpans()
    }

    /// Begins the next attempt with the bytes that the last one left; now and then fewer, as after a power loss.
    mutating func begin(_ generator: inout some RandomNumberGenerator) {
        attempts += 1
        (attempt, result, lanes, isCommitting, isAsking) = (Attempt(), nil, [:], false, false)
        silent = []
        if Int.random(in: 0..<5, using: &generator) == 0 {
            let end = Int64.random(in: 0...total, using: &generator)
            written = written.clamped(to: 0..<end)
        }
        var partial = PartialDownload(validator: .strongETag("\"x\""), totalBytes: total, bootID: "b")
        partial.hold(written, bootID: "b")
        let held = partial.held(fileSize: written.end, bootID: "b")
        written = held
        var pieces = PieceSchedule(connections: connections, held: held)
        if others > 0 {
            let others = (1...others).map { (address: $0, most: Int.random(in: 1...6, using: &generator)) }
            pieces.share(among: PieceSources(own: 0, most: .max, others: others))
        }
        take(attempt.handle(.opened(nil, offset: held.prefix, pieces: pieces, download: download), now: Self.now))
        #expect(isAsking == (download != nil))
        if isAsking { grant() }
        #expect(lanes.count == 1 && lanes[0]?.reached == held.prefix)
    }

    /// Generates one event; in the end, nothing fails any more.
    mutating func goOn(_ generator: inout some RandomNumberGenerator) {
        // Like the engine: a request that has reached its end is over.
        if let lane = lanes.first(where: { $0.value.reached >= $0.value.end })?.key { return write(lane, by: 0) }
        if isAsking, lanes.isEmpty || Bool.random(using: &generator) {
            if attempts >= Self.calmFrom || Int.random(in: 0..<4, using: &generator) > 0 { return grant() }
            isAsking = false
            return take(attempt.handle(.notAuthorized(ScriptedDownload.refusal), now: Self.now))
        }
        guard let lane = lanes.keys.sorted().randomElement(using: &generator), let request = lanes[lane] else {
            Issue.record("nothing is under way, and there is no result")
            return result = .failed(AttemptStage.failure)
        }
        switch Int.random(in: 0..<21, using: &generator) {
        case 0..<9: write(lane, by: Int64.random(in: 1...4 << 20, using: &generator))
        case 9..<12 where isCommitting:
            isCommitting = false
            take(attempt.handle(.holesCommitted, now: Self.now))
        case 9..<12:
            if lane == 0, request.isOpenEnded { take(attempt.handle(.divisible(total: total), now: Self.now)) }
        case 12..<18: write(lane, by: total)
        case 20 where others > 0:
            seconds += Double.random(in: 0...6, using: &generator)
            take(attempt.handle(.measured(free: 1), now: Fixture.moment(seconds)))
        default: if attempts < Self.calmFrom { fail(lane, &generator) }
        }
    }

    private mutating func grant() {
        isAsking = false
        take(attempt.handle(.authorized(GrantedToken("key")), now: Self.now))
    }

    /// Writes bytes of a request, and ends the request at its end, as the engine does.
    private mutating func write(_ lane: Int, by count: Int64) {
        if silent.remove(lane) != nil {
            take(attempt.handle(.answeredBeside(lane: lane, .strongETag("\"y\"")), now: Self.now))
        }
        guard var request = lanes[lane] else { return }
        let end = request.isOpenEnded ? request.end : min(request.end, total)
        let reached = min(end, request.reached + count)
        if reached > request.reached { written.insert(request.reached..<reached) }
        request.reached = max(request.reached, reached)
        lanes[lane] = request
        guard request.reached >= end else {
            return take(attempt.handle(.moved(lane: lane, reached: request.reached), now: Self.now))
        }
        lanes[lane] = nil
        let answer = Answer(status: request.isOpenEnded && attempts == 1 ? 200 : 206)
        take(attempt.handle(.ended(lane: lane, .answered(answer), reached: request.reached), now: Self.now))
    }

    private mutating func fail(_ lane: Int, _ generator: inout some RandomNumberGenerator) {
        guard let request = lanes.removeValue(forKey: lane) else { return }
        silent.remove(lane)
        let results: [AttemptResult] = [
            .failed(AttemptStage.failure), .failed(AttemptStage.failure), .failed(AttemptStage.failure),
            .failed(.init(.idleTimeout, "silent")), .answered(Answer(status: 503)),
            .failed(.init(.serverMisbehaves, "it lied")), .mustBeginAgain(serverIgnoresRanges: true),
        ]
        var result = results.randomElement(using: &generator) ?? .failed(AttemptStage.failure)
        // A first response that has begun cannot become a different one.
        if request.isOpenEnded, request.reached > 0 { result = .failed(AttemptStage.failure) }
        if request.isOpenEnded, case .answered = result { result = .failed(AttemptStage.failure) }
        if download != nil, !request.isOpenEnded,
            let status = [401, 409, 410, nil].randomElement(using: &generator) ?? nil
        {
            result = .answered(Answer(status: status))
        }
        take(attempt.handle(.ended(lane: lane, result, reached: request.reached), now: Self.now))
    }

    private mutating func take(_ actions: [AttemptAction]) {
        for action in actions {
            switch action {
            case .begin: take(attempt.handle(.begun(number: attempts), now: Self.now))
            case .fetch(let lane, let offset, _): begin(lane, offset..<total, isOpenEnded: true)
            case .leave(let address, _): #expect((1...max(1, others)).contains(address))
            case .fetchPiece(let lane, let piece, _), .fetchBeside(let lane, let piece, _):
                if case .fetchBeside = action { silent.insert(lane) }
                #expect(!isAsking, "a request is made without a key")
                #expect(!isCommitting, "the store does not know of the hole yet")
                #expect(!piece.isEmpty && piece.upperBound <= total)
                #expect(written.clamped(to: piece).isEmpty, "what is held is not fetched again")
                begin(lane, piece, isOpenEnded: false)
            case .endAt(let lane, let byte):
                #expect(byte <= total)
                lanes[lane]?.end = byte
            case .commitHoles: isCommitting = true
            case .authorize:
                #expect(!isAsking, "a key is asked for twice")
                isAsking = true
            case .stop(let lane):
                lanes[lane] = nil
                silent.remove(lane)
                take(attempt.handle(.released(lane: lane), now: Self.now))
            case .conclude(let result, let reached, _): conclude(result, reached)
            default: Issue.record("\(action) is nothing for a download")
            }
        }
    }

    private mutating func begin(_ lane: Int, _ range: Range<Int64>, isOpenEnded: Bool) {
        #expect(lanes[lane] == nil && result == nil)
        lanes[lane] = (range.lowerBound, range.upperBound, isOpenEnded)
        #expect(lanes.count <= connections)
    }

    private mutating func conclude(_ result: AttemptResult, _ reached: Int64) {
        isAsking = false
        #expect(lanes.isEmpty && self.result == nil)
        self.result = result
        if let held = attempt.held {
            #expect(held.intersection(written) == held, "nothing counts that was not written")
            #expect(reached == held.count)
        }
        switch result {
        case .answered(let answer) where answer.status < 300:
            #expect(reached == total && written.count == total, "a success has all bytes")
            isWhole = true
        case .mustBeginAgain: written = ByteSpans()
        case .answered, .failed, .challenged, .withheld: break
        }
        // Without pieces, the size of the file shows how much has arrived.
        written = attempt.held.map { $0.intersection(written) } ?? written.clamped(to: 0..<written.prefix)
    }
}
