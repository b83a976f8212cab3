// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

/// The requirements for a dialect with several concurrent requests, whichever is answered next, and whichever is lost.
///
/// - Each request uses a free lane, and the attempt ends only once all lanes are free.
/// - Bytes that were acknowledged and stored are never resent; of the other bytes, at most one request per lane is.
extension DialectConformance {
    /// Which of several concurrent requests is answered next.
    enum Order: CaseIterable {
        case oldestFirst, newestFirst, mixed

        func pick(_ count: Int, _ turn: Int) -> Int {
            switch self {
            case .oldestFirst: 0
            case .newestFirst: count - 1
            case .mixed: turn * 7 % count
            }
        }
    }

    /// What happens to the other requests when one is lost.
    enum Others: CaseIterable {
        case lost, arrived, answered
    }

    struct LaneRun {
        var end: DialectStep?
        var mostLanes = 0
        /// Bytes of the source that have been sent.
        var sent: Int64 = 0
        /// The number of answered requests.
        var answers = 0
        /// The memory committed before the last request, which a killed daemon leaves behind.
        var committed: [UInt8]?
        /// The memory as the attempt left it.
        var stored: [UInt8]?
        /// Bytes of requests whose fate is unknown from the committed memory.
        var uncertain: [Int64] = []
        /// The same for the memory that the attempt left.
        var broken: [Int64] = []
    }

    func conformsInLanes() throws {
        guard try make(nil).lanes > 1 else { return }
        for order in Order.allCases {
            var peer = makePeer()
            let whole = try lead(make(nil), order) { _, request in peer.answer(request, now: DropboxBench.start) }
            #expect(Self.isSuccess(whole.end) && peer.isComplete)
            #expect(whole.sent == size || mayStartAgain, "\(order): \(whole.sent) bytes are sent of \(size)")
            for lost in 0..<whole.answers {
                for others in Others.allCases {
                    for hasEffect in [false, true] { try loses(lost, order, others, hasEffect: hasEffect) }
                }
            }
            try endsInLanes(order)
        }
    }

    /// Loses the answer with the given number: both an attempt that notices it and a killed daemon's successor
    /// continue.
    private func loses(_ number: Int, _ order: Order, _ others: Others, hasEffect: Bool) throws {
        var peer = makePeer()
        let first = try lead(make(nil), order, others) { count, request in
            if count == number, !hasEffect { return nil }
            let answer = peer.answer(request, now: DropboxBench.start)
            return count == number ? nil : answer
        }
        for (memory, uncertain) in [(first.committed, first.uncertain), (first.stored, first.broken)] {
            var peer = peer
            let second = try lead(make(memory), order) { _, request in peer.answer(request, now: DropboxBench.start) }
            let what = "answer \(number) is lost, \(order), \(others), \(hasEffect)"
            #expect(Self.isSuccess(second.end) && peer.isComplete, "\(what)")
            #expect(uncertain.count <= first.mostLanes, "\(what): one request for each lane")
            let allowed = size + uncertain.reduce(0, +)
            #expect(first.sent + second.sent <= allowed || mayStartAgain, "\(what)")
        }
    }

    private func endsInLanes(_ order: Order) throws {
        for answer in Self.stubborn {
            for honest in [0, 1, 3, 6] {
                var peer = makePeer()
                let run = try lead(make(nil), order) { count, request in
                    count < honest ? peer.answer(request, now: DropboxBench.start) : answer
                }
                #expect(run.end != nil, "\(answer) after \(honest)")
                if Self.isSuccess(run.end) { #expect(size == 0 || peer.isComplete || run.sent >= size) }
            }
        }
    }

    /// Drives a dialect with as many concurrent requests as it wants, until it is done or a request gets no answer.
    private func lead(
        _ dialect: any UploadDialect,
        _ order: Order,
        _ others: Others = .lost,
        answer: (Int, DialectRequest) -> Answer?
    ) throws -> LaneRun {
        var dialect = dialect
        var run = LaneRun()
        run.committed = dialect.memory
        var underway: [DialectRequest] = []
        /// The bytes acknowledged since the last commit.
        var unrecorded: [Int64] = []
        for _ in 0..<Self.mostSteps {
            var step = DialectStep.wait
            if underway.isEmpty || underway.count < dialect.lanes { step = dialect.next(now: DropboxBench.start) }
            switch step {
            case .finish, .fail:
                #expect(underway.isEmpty, "it ends once all requests have been answered")
                run.end = step
                return run
            case .digest, .hash, .authorize: provide(step, to: &dialect)
            case .send(let request):
                #expect(request.lane < dialect.lanes && !underway.contains { $0.lane == request.lane })
                (run.committed, unrecorded) = (dialect.memory, [])
                underway.append(request)
                run.sent += request.body.sourceCount
                run.mostLanes = max(run.mostLanes, underway.count)
                hashAhead(&dialect)
            case .wait:
                guard !underway.isEmpty else {
                    Issue.record("the dialect waits for nothing")
                    return run
                }
                let request = underway.remove(at: order.pick(underway.count, run.answers))
                guard let answered = answer(run.answers, request) else {
                    let left = ([request] + underway).map(\.body.sourceCount)
                    run.uncertain = left + unrecorded
                    breakOff(&dialect, request, underway, others, &run) { answer(-1, $0) }
                    return run
                }
                run.answers += 1
                unrecorded.append(request.body.sourceCount)
                dialect.answered(answered, lane: request.lane, now: DropboxBench.start)
            }
            look(at: dialect)
        }
        Issue.record("the attempt does not come to an end")
        return run
    }

    private func breakOff(
        _ dialect: inout any UploadDialect,
        _ request: DialectRequest,
        _ underway: [DialectRequest],
        _ others: Others,
        _ run: inout LaneRun,
        answer: (DialectRequest) -> Answer?
    ) {
        run.broken = [request.body.sourceCount]
        let failure = TransferFailure(.connectionLost, "the connection broke")
        #expect(dialect.broke(failure, lane: request.lane, sent: 0, now: DropboxBench.start).retryClass == .connection)
        for other in underway {
            let answered = others == .lost ? nil : answer(other)
            if others == .answered, let answered {
                dialect.answered(answered, lane: other.lane, now: DropboxBench.start)
            } else {
                run.broken.append(other.body.sourceCount)
            }
        }
        run.stored = dialect.memory
        look(at: dialect)
    }
}
