// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// An attempt with random events, and the invariants that must hold throughout.
struct AttemptWalk {
    private var attempt: Attempt
    private let lanes: Int
    private let hasKeeper: Bool
    /// Whether the keeper may have confirmed a memory, and whether it has refused.
    private var isKept = false
    private var isRefused = false
    private var isOpened = false
    private var underWay: Set<Int> = []
    private var ends = 0
    private var isClosed = false
    private(set) var isOver = false

    private static let digest = SourceDigest(.sha1, of: 0..<77)

    init(lanes: Int, hasKeeper: Bool) {
        attempt = Attempt(hasKeeper: hasKeeper)
        (self.lanes, self.hasKeeper) = (lanes, hasKeeper)
    }

    /// Generates and handles one event.
    mutating func goOn(_ generator: inout some RandomNumberGenerator) throws {
        if !isOpened, Bool.random(using: &generator) {
            isOpened = true
            let steps = try script(&generator)
            take(attempt.handle(.opened(ScriptedDialect(lanes: lanes, steps), offset: 0), now: AttemptStage.now))
            return
        }
        let lane = Int.random(in: 0...lanes, using: &generator)
        let mayEnd = underWay.contains(lane)
        let events: [AttemptEvent] = [
            .committed, .authorized(GrantedToken("t")), .digested([UInt8](repeating: 1, count: 32), offset: 0, span: 1),
            .hashed([1], Self.digest, span: Int.random(in: 1...3, using: &generator)),
            .notDigested(AttemptStage.failure, span: Int.random(in: 1...3, using: &generator)),
            .moved(lane: lane, reached: 50), .breakOff, .save, .saved,
            .notKept(isRefused: false), .notKept(isRefused: true),
        ]
        var event = events.randomElement(using: &generator) ?? .committed
        if mayEnd, Bool.random(using: &generator) {
            underWay.remove(lane)
            let isAnswered = Int.random(in: 0..<8, using: &generator) > 0
            event =
                isAnswered
                ? .ended(lane: lane, .answered(Answer(status: 200)), reached: 60)
                : .ended(lane: lane, .failed(AttemptStage.failure), reached: 60)
        } else if case .breakOff = event, Int.random(in: 0..<6, using: &generator) > 0 {
            event = .committed
        } else if case .notKept = event, Int.random(in: 0..<4, using: &generator) > 0 {
            event = .committed
        }
        if case .committed = event { isKept = true }
        if case .notKept(true) = event, isOpened, hasKeeper { isRefused = true }
        take(attempt.handle(event, now: AttemptStage.now))
    }

    /// The transfer breaks off the attempt, and the engine releases the remaining lanes.
    mutating func comeToAnEnd() throws {
        if !isOpened {
            isOpened = true
            take(attempt.handle(.breakOff, now: AttemptStage.now))
            take(attempt.handle(.opened(nil, offset: 0), now: AttemptStage.now))
        }
        take(attempt.handle(.breakOff, now: AttemptStage.now))
        for lane in underWay.sorted() {
            underWay.remove(lane)
            take(attempt.handle(.released(lane: lane), now: AttemptStage.now))
        }
        take(attempt.handle(.saved, now: AttemptStage.now))
        #expect(isOver && underWay.isEmpty && ends == 1)
    }

    private mutating func take(_ actions: [AttemptAction]) {
        for action in actions {
            #expect(!isOver || action == .goOn, "it is over")
            switch action {
            case .begin: take(attempt.handle(.begun(number: 1), now: AttemptStage.now))
            case .send(let request, _):
                #expect(!hasKeeper || isKept && !isRefused, "the keeper has confirmed it")
                #expect(underWay.insert(request.lane).inserted && request.lane < lanes && ends == 0 && !isClosed)
            case .fetch(let lane, _, _): #expect(underWay.insert(lane).inserted && ends == 0)
            case .stop(let lane): #expect(underWay.contains(lane))
            case .commitHoles, .fetchPiece, .fetchBeside, .leave, .endAt: Issue.record("it is no download")
            case .conclude:
                ends += 1
                #expect(underWay.isEmpty)
                take(attempt.handle(.dismiss, now: AttemptStage.now))
            case .closeFile:
                #expect(!isClosed && underWay.isEmpty)
                isClosed = true
            case .forget: isOver = true
            case .goOn: ends += 1
            case .keep: #expect(hasKeeper)
            case .remember, .acknowledge, .store, .commit, .hash, .stopHashing, .authorize: break
            }
        }
    }

    private func script(_ generator: inout some RandomNumberGenerator) throws -> [DialectStep] {
        try (0..<Int.random(in: 1..<12, using: &generator)).map { _ in
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: .finish(Answer(status: 200))
            case 1: .fail(AttemptStage.failure)
            case 2: .authorize(.account("work"), rejecting: nil)
            case 3: .digest(AttemptStage.blocks)
            case 4: .wait
            case 5: .hash(Self.digest)
            default: .send(try AttemptStage.request(Int.random(in: 0..<lanes, using: &generator)))
            }
        }
    }
}
