// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers
import Testing

/// A server for testing a dialect's uploads: a value that answers whole requests.
protocol DialectPeer: Sendable {
    /// The interim response before the body of a request has arrived; nil for none.
    mutating func interim(_ request: DialectRequest) -> [HeaderField]?
    mutating func answer(_ request: DialectRequest, now: Moment) -> Answer
    /// Whether the whole file is in its place, exactly once.
    var isComplete: Bool { get }
}

extension DialectPeer {
    mutating func interim(_ request: DialectRequest) -> [HeaderField]? { nil }
}

/// The requirements for every dialect, whatever its protocol.
///
/// - A dialect created from a memory continues as the one that stored it would have. Before resending bytes that may
///   have arrived, it asks once, with a request without bytes, whether they have.
/// - An attempt comes to an end, whatever the server answers.
/// - It reports success only when the server has confirmed all bytes.
/// - Its memory is small, and neither its memory nor its messages contain a secret.
struct DialectConformance {
    let spec: TransferSpec
    /// Whether it also asks which parts have arrived before the request without bytes that ends the upload.
    var asksBeforeEnd = false
    /// Whether it may have to resend the first bytes to a server that does not do what was agreed.
    var mayStartAgain = false
    let makePeer: @Sendable () -> any DialectPeer

    static let secret = "a-secret-token-of-somebody"
    /// The maximum number of steps in one attempt, at a server that never finishes.
    static let mostSteps = 400
    /// The maximum size of a memory, in bytes.
    static let largestMemory = 1024

    /// The end of a run, and its observations on the way.
    struct Run {
        var end: DialectStep?
        var sent: [DialectRequest] = []
        /// The memory committed before each request.
        var memories: [[UInt8]?] = []
        /// The memory stored once the loss of a request was noticed.
        var stored: [UInt8]?
        /// Bytes of the source in requests that were answered with success.
        var acknowledged = RangeSet<Int64>()
    }

    var size: Int64 { spec.sources.reduce(0) { $0 + $1.identity.size } }

    func check() throws {
        try completesAndRemembers()
        try survivesLostReplies()
        try comesToAnEnd()
        try readsAnyMemory()
        try conformsInLanes()
    }

    func make(_ memory: [UInt8]?) throws -> any UploadDialect {
        try Dialects.make(spec, memory: memory, now: DropboxBench.start)
    }

    // MARK: - Demands

    private func completesAndRemembers() throws {
        var peer = makePeer()
        var peers: [any DialectPeer] = []
        let run = try drive(make(nil)) {
            peers.append(peer)
            return peer.interim($0)
        } answer: {
            peer.answer($0, now: DropboxBench.start)
        }
        #expect(Self.isSuccess(run.end), "it ends well at a server that does what it should")
        #expect(peer.isComplete)
        for (index, request) in run.sent.enumerated() {
            var peer = peers[index]
            let again = try drive(make(run.memories[index])) {
                $0 == request ? nil : peer.interim($0)
            } answer: { other in
                other == request ? nil : peer.answer(other, now: DropboxBench.start)
            }
            #expect(again.sent.last == request, "what was kept says what comes next")
            let questions = again.sent.dropLast()
            #expect(questions.count <= (request.body.sourceCount > 0 || asksBeforeEnd ? 1 : 0))
            #expect(questions.allSatisfy { $0.body.sourceCount == 0 })
            #expect(again.memories.last == run.memories[index])
        }
    }

    private func survivesLostReplies() throws {
        var peer = makePeer()
        let count = try drive(make(nil)) {
            peer.interim($0)
        } answer: {
            peer.answer($0, now: DropboxBench.start)
        }.sent.count
        for lost in 0..<count {
            for hasEffect in [false, true] {
                var peer = makePeer()
                var number = 0
                let first = try drive(make(nil)) {
                    number == lost && !hasEffect ? nil : peer.interim($0)
                } answer: { request in
                    defer { number += 1 }
                    guard number == lost else { return peer.answer(request, now: DropboxBench.start) }
                    if hasEffect { _ = peer.answer(request, now: DropboxBench.start) }
                    return nil
                }
                guard !first.memories.isEmpty else { continue }
                let second = try drive(make(first.stored)) {
                    peer.interim($0)
                } answer: {
                    peer.answer($0, now: DropboxBench.start)
                }
                #expect(Self.isSuccess(second.end), "request \(lost) of \(count) was lost")
                #expect(peer.isComplete)
            }
        }
    }

    private func comesToAnEnd() throws {
        for answer in Self.stubborn {
            for honestRequests in 0..<4 {
                var peer = makePeer()
                var number = 0
                let run = try drive(make(nil)) { request in
                    defer { number += 1 }
                    return number < honestRequests ? peer.answer(request, now: DropboxBench.start) : answer
                }
                if Self.isSuccess(run.end) {
                    let rest = RangeSet(0..<size).subtracting(run.acknowledged)
                    #expect(size == 0 || rest.isEmpty || peer.isComplete, "not all was acknowledged, with \(answer)")
                }
            }
        }
    }

    /// Answers that a server may repeat forever.
    static let stubborn: [Answer] =
        [200, 201, 204, 302, 308, 400, 401, 403, 404, 408, 409, 410, 412, 413, 416, 422, 423, 429, 460, 500, 503, 507]
        .flatMap { status in
            ["nonsense", #"{"session_id":"s","size":1}"#].map { DropboxBench.answer(status, $0) }
        }
        + [
            ModelGCS.answer(308, "", ["Range": "bytes=0-8388607"]),
            ModelGCS.answer(308, "", ["Range": "bytes=8-9"]),
            ModelGCS.answer(200, #"{"size":"1","crc32c":"AAAAAA=="}"#, ["Location": "/upload?upload_id=1"]),
            DropboxBench.expired(),
            DropboxBench.conflict(#"{".tag":"not_found"}"#),
            DropboxBench.conflict(#"{".tag":"closed"}"#),
            DropboxBench.conflict(#"{".tag":"incorrect_offset","correct_offset":0}"#),
            DropboxBench.conflict(#"{".tag":"incorrect_offset","correct_offset":8388608}"#),
            DropboxBench.conflict(#"{".tag":"payload_too_large"}"#),
            DropboxBench.conflict(#"{".tag":"content_hash_mismatch"}"#),
            DropboxBench.conflict(#"{".tag":"path","path":{".tag":"not_found"}}"#),
            DropboxBench.conflict(#"{".tag":"path","reason":{".tag":"conflict"},"upload_session_id":"s"}"#),
        ]

    private func readsAnyMemory() throws {
        var peer = makePeer()
        let run = try drive(make(nil)) { request in peer.answer(request, now: DropboxBench.start) }
        for memory in Set(run.memories.compactMap { $0 }) {
            for count in stride(from: 0, to: memory.count, by: 7) {
                var broken = try make(Array(memory.prefix(count)))
                _ = broken.next(now: DropboxBench.start)
                var changed = memory
                changed[count] ^= 0x05
                var other = try make(changed)
                _ = other.next(now: DropboxBench.start)
                #expect(other.acknowledged <= size && other.acknowledged >= 0)
            }
        }
    }

    // MARK: - The driver

    static func isSuccess(_ end: DialectStep?) -> Bool {
        if case .finish(let answer) = end { (200..<300).contains(answer.status) } else { false }
    }

    /// Drives a dialect until it is done or a request gets no answer.
    private func drive(
        _ dialect: any UploadDialect,
        interim: (DialectRequest) -> [HeaderField]? = { _ in nil },
        answer: (DialectRequest) -> Answer?
    ) throws -> Run {
        var dialect = dialect
        var run = Run()
        for _ in 0..<Self.mostSteps {
            let step = dialect.next(now: DropboxBench.start)
            switch step {
            case .finish, .fail:
                run.end = step
                return run
            case .digest, .hash, .authorize: provide(step, to: &dialect)
            case .wait:
                Issue.record("the dialect waits for nothing")
                return run
            case .send(let request):
                run.sent.append(request)
                run.memories.append(dialect.memory)
                run.stored = dialect.memory
                if let fields = interim(request) {
                    dialect.receivedInterim(fields, lane: request.lane)
                    run.stored = dialect.memory
                }
                guard let answered = answer(request) else {
                    let failure = TransferFailure(.connectionLost, "the connection broke")
                    #expect(
                        dialect.broke(failure, lane: request.lane, sent: 0, now: DropboxBench.start).retryClass
                            == .connection
                    )
                    look(at: dialect)
                    return run
                }
                hashAhead(&dialect)
                if (200..<300).contains(answered.status) {
                    for case .file(let range) in request.body.segments where range.count > 0 {
                        run.acknowledged.insert(contentsOf: range.offset..<range.offset + range.count)
                    }
                }
                dialect.answered(answered, lane: request.lane, now: DropboxBench.start)
            }
            look(at: dialect)
        }
        Issue.record("the attempt does not come to an end")
        return run
    }

    /// Provides what a dialect asks for in addition to answers.
    func provide(_ step: DialectStep, to dialect: inout any UploadDialect) {
        switch step {
        case .digest(let range):
            #expect(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= size)
            dialect.digested(SymbolicContent.digests(version: 1, of: range), from: range.lowerBound)
        case .hash(let digest):
            #expect(!digest.range.isEmpty && digest.range.lowerBound >= 0 && digest.range.upperBound <= size)
            dialect.hashed(SymbolicContent.digest(digest), digest)
        case .authorize(.account, let rejected), .authorize(.google, let rejected):
            dialect.authorized(GrantedToken(rejected == nil ? Self.secret : Self.secret + "2"))
        case .authorize(.profile, let rejected):
            dialect.authorized(ModelS3.key(rejected == nil ? "AKID" : "AKID2"))
        case .send, .wait, .finish, .fail: break
        }
    }

    func hashAhead(_ dialect: inout any UploadDialect) {
        if let ahead = dialect.digestsAhead {
            dialect.digested(SymbolicContent.digests(version: 1, of: ahead), from: ahead.lowerBound)
        }
        if let ahead = dialect.hashAhead { dialect.hashed(SymbolicContent.digest(ahead), ahead) }
    }

    /// Checks the dialect after each of very many steps, and so evaluates no `#expect` that would hold.
    func look(at dialect: any UploadDialect) {
        let memory = dialect.memory ?? []
        if memory.count > Self.largestMemory { Issue.record("the memory has \(memory.count) bytes") }
        if memory.firstRange(of: Self.secret.utf8) != nil { Issue.record("the memory holds the secret") }
        if dialect.standing?.contains(Self.secret) == true { Issue.record("the standing holds the secret") }
        if !(0...size).contains(dialect.acknowledged) { Issue.record("\(dialect.acknowledged) bytes are acknowledged") }
    }
}
