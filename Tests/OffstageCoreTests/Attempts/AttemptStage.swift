// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// The states of an attempt, each reached by its events.
enum AttemptStage: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case opening, abandoned, openForDownload, openForUpload
    case fetching, sending, committing, hashing, authorizing
    case keeping, keepingBeside, withheld, sendingKept
    case stoppingWithResult, stoppingBrokenOff, concluded, saving, over

    var testDescription: String { rawValue }

    static let now = Fixture.moment(10)
    static let failure = TransferFailure(.connectionLost, "it broke")
    static let blocks = 0..<2 * HashingSpan.blockSize

    /// A request in a lane whose body begins at the lane's hundredth byte.
    static func request(_ lane: Int) throws -> DialectRequest {
        DialectRequest(lane: lane, url: try RequestURL("https://files.example.org/a"), sourceOffset: Int64(lane) * 100)
    }

    /// An attempt in this state, whose dialect has so many lanes. In states in which it sends, something is under way
    /// in each lane or, if it waits for something else, in all but the last.
    func attempt(lanes: Int) throws -> Attempt {
        var attempt = Attempt(hasKeeper: hasKeeper)
        for event in try events(lanes: lanes) { _ = attempt.handle(event, now: Self.now) }
        return attempt
    }

    /// Whether a keeper outside the machine stores the memory.
    private var hasKeeper: Bool { [.keeping, .keepingBeside, .withheld, .sendingKept].contains(self) }

    private func events(lanes: Int) throws -> [AttemptEvent] {
        let all = try (0..<lanes).map { DialectStep.send(try Self.request($0)) }
        let opened = { (steps: [DialectStep]) in
            AttemptEvent.opened(ScriptedDialect(lanes: lanes, steps), offset: 0)
        }
        let failed = AttemptEvent.ended(lane: 0, .failed(Self.failure), reached: 7)
        switch self {
        case .opening: return []
        case .abandoned: return [.breakOff]
        case .openForDownload: return [.opened(nil, offset: 5)]
        case .openForUpload: return [opened(all)]
        case .fetching: return [.opened(nil, offset: 5), .begun(number: 4)]
        case .sending: return [opened(all + [.finish(Answer(status: 200))]), .begun(number: 4)]
        case .committing:
            var dialect = ScriptedDialect(lanes: lanes, all)
            // The memory that the last request depends on is new.
            dialect.memories = [[UInt8]?](repeating: nil, count: lanes - 1) + [[1]]
            return [.opened(dialect, offset: 0), .begun(number: 4)]
        case .hashing: return [opened(all.dropLast() + [.digest(Self.blocks)] + all.suffix(1)), .begun(number: 4)]
        case .authorizing:
            let ask = DialectStep.authorize(.account(ScriptedDialect.account), rejecting: nil)
            return [opened(all.dropLast() + [ask] + all.suffix(1)), .begun(number: 4)]
        case .keeping: return [opened(all), .begun(number: 4)]
        case .keepingBeside:
            // With one lane, nothing is under way meanwhile.
            return try Self.committing.events(lanes: max(2, lanes)) + [.committed]
        case .withheld: return try Self.keepingBeside.events(lanes: lanes) + [.notKept(isRefused: false)]
        case .sendingKept: return try Self.sending.events(lanes: lanes) + [.committed]
        case .stoppingWithResult:
            // With one lane, there is nothing left to stop.
            return try Self.sending.events(lanes: max(2, lanes)) + [failed]
        case .stoppingBrokenOff: return try Self.sending.events(lanes: lanes) + [.breakOff]
        case .concluded:
            return try Self.fetching.events(lanes: lanes)
                + [.ended(lane: 0, .answered(Answer(status: 200)), reached: 9)]
        case .saving: return try Self.concluded.events(lanes: lanes) + [.save]
        case .over: return try Self.concluded.events(lanes: lanes) + [.dismiss]
        }
    }
}

/// The attempt's actions and state as the tables show them.
extension Attempt {
    var summary: String {
        switch phase {
        case .opening: "opening"
        case .abandoned: "abandoned"
        case .open: "open"
        case .working(let work): "working\(work.summary)"
        case .stopping(let work, .result): "stopping\(work.summary) with a result"
        case .stopping(let work, .brokenOff): "stopping\(work.summary)"
        case .concluded: "concluded"
        case .saving: "saving"
        case .over: "over"
        }
    }
}

extension AttemptWork {
    fileprivate var summary: String {
        let waits =
            switch asking {
            case .answers: ""
            case .commit where isWithheld: " withheld"
            case .commit: " commit"
            case .digests: " digests"
            case .token: " token"
            }
        return "(\(lanes.keys.sorted().map(String.init).joined(separator: ","))\(waits))"
    }
}

extension AttemptAction {
    var summary: String {
        switch self {
        case .begin(let offset): "begin@\(offset)"
        case .fetch(let lane, let offset, _): "fetch(\(lane))@\(offset)"
        case .commitHoles: "commitHoles"
        case .fetchPiece(let lane, let piece, _): "fetch(\(lane))@\(piece.lowerBound)..<\(piece.upperBound)"
        case .fetchBeside(let lane, let piece, let beside):
            "fetch(\(lane))@\(piece.lowerBound)..<\(piece.upperBound) at \(beside.address)"
        case .leave(let address, let failure): "leave(\(address)) \(failure.code.rawValue)"
        case .endAt(let lane, let byte): "end(\(lane))@\(byte)"
        case .send(let request, let offset): "send(\(request.lane))@\(offset)"
        case .stop(let lane): "stop(\(lane))"
        case .remember(let memory): "remember(\(memory.map { "\($0)" } ?? "nothing"))"
        case .acknowledge(let bytes): "acknowledge(\(bytes.map(String.init) ?? "-"))"
        case .store: "store"
        case .commit: "commit"
        case .keep: "keep"
        case .hash(let span, let workers): "hash(\(span.number) by \(workers))"
        case .stopHashing(let span): "stopHashing(\(span))"
        case .authorize(.account(let name), _): "authorize(\(name))"
        case .authorize(.profile(let profile), _): "authorize(\(profile.name))"
        case .authorize(.google(let credentials), _): "authorize(\(credentials.identity.words))"
        case .conclude(let result, let reached, _): "conclude(\(result.summary))@\(reached)"
        case .closeFile: "close"
        case .forget: "forget"
        case .goOn: "goOn"
        }
    }
}

extension AttemptResult {
    var summary: String {
        switch self {
        case .answered(let answer): "\(answer.status)"
        case .failed(let failure): failure.code.rawValue
        case .challenged: "challenge"
        case .withheld(let isRefused): isRefused ? "refused" : "withheld"
        case .mustBeginAgain: "begin again"
        }
    }
}
