// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

/// One attempt of an upload to S3 with all its lanes, driven until it ends or a request gets no answer.
struct S3Run {
    var end: DialectStep?
    /// Methods with what distinguishes the calls, in order: "PUT 3".
    var calls: [String] = []
    /// The memory committed before the last request was sent, which a killed daemon leaves behind.
    var committed: [UInt8]?
    /// The memory at the end.
    var memory: [UInt8]?
    var mostLanes = 0
    var acknowledged: Int64 = 0
    var standing: String?
    var sources: [CredentialSource] = []

    var failure: TransferFailure? { if case .fail(let failure) = end { failure } else { nil } }
    var isSuccess: Bool { if case .finish(let answer) = end { (200..<300).contains(answer.status) } else { false } }

    /// - Parameters:
    ///   - dialect: the dialect at the start of the attempt.
    ///   - now: the time.
    ///   - pick: which of several concurrent requests is answered next.
    ///   - answer: the answer; nil for a connection that breaks.
    init(
        _ dialect: any UploadDialect,
        now: Moment = DropboxBench.start,
        pick: (Int) -> Int = { _ in 0 },
        answer: (DialectRequest) -> Answer?
    ) {
        var dialect = dialect
        var underway: [DialectRequest] = []
        committed = dialect.memory
        for _ in 0..<50_000 {
            if underway.isEmpty || underway.count < dialect.lanes {
                let step = dialect.next(now: now)
                switch step {
                case .finish, .fail:
                    #expect(underway.isEmpty, "it ends only once all requests have been answered")
                    end = step
                    leave(dialect)
                    return
                case .hash(let digest):
                    dialect.hashed(ModelTus.digest(SymbolicContent(version: 1, digest.range)), digest)
                    continue
                case .authorize(let source, let rejected):
                    sources.append(source)
                    dialect.authorized(ModelS3.key(rejected == nil ? "AKID" : "AKID2"))
                    continue
                case .send(let request):
                    #expect(request.lane < dialect.lanes && !underway.contains { $0.lane == request.lane })
                    committed = dialect.memory
                    underway.append(request)
                    mostLanes = max(mostLanes, underway.count)
                    calls.append(Self.call(request))
                    if let ahead = dialect.hashAhead {
                        dialect.hashed(ModelTus.digest(SymbolicContent(version: 1, ahead.range)), ahead)
                    }
                    if underway.count < dialect.lanes { continue }
                case .wait:
                    #expect(!underway.isEmpty, "it waits for an answer, and has asked nothing")
                    guard !underway.isEmpty else {
                        leave(dialect)
                        return
                    }
                case .digest:
                    Issue.record("not a step of this dialect")
                    return
                }
            }
            let request = underway.remove(at: pick(underway.count))
            guard let answered = answer(request) else {
                _ = dialect.broke(TransferFailure(.connectionLost, ""), lane: request.lane, sent: 0, now: now)
                // Requests in transit in the other lanes may have arrived, too.
                for other in underway where pick(2) == 1 { _ = answer(other) }
                leave(dialect)
                return
            }
            dialect.answered(answered, lane: request.lane, now: now)
        }
        Issue.record("the attempt does not come to an end")
    }

    private mutating func leave(_ dialect: any UploadDialect) {
        memory = dialect.memory
        acknowledged = dialect.acknowledged
        standing = dialect.standing
    }

    private static func call(_ request: DialectRequest) -> String {
        let query = ModelS3.query(of: request.url)
        let detail = query["partNumber"] ?? query["part-number-marker"].map { "after \($0)" }
        return request.method + (detail.map { " \($0)" } ?? (query["uploads"] != nil ? " uploads" : ""))
    }
}
