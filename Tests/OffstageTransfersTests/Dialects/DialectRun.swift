// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

/// One attempt of a dialect over HTTP, driven until it ends or its connection breaks.
struct DialectRun {
    var end: DialectStep?
    /// Methods with the offset and the length of their bytes, in order.
    var calls: [String] = []
    var memory: [UInt8]?
    /// The memory committed before the last request was sent, which a killed daemon leaves behind.
    var committed: [UInt8]?
    var standing: String?
    /// Bytes of the file that the server is known to have, after its last answer.
    var acknowledged: Int64 = 0
    /// The rejected token, for each request for a token.
    var tokens: [String?] = []

    var failure: TransferFailure.Code? { if case .fail(let failure) = end { failure.code } else { nil } }
    var detail: String { if case .fail(let failure) = end { failure.detail } else { "" } }
    var status: Int? { if case .finish(let answer) = end { answer.status } else { nil } }

    /// - Parameters:
    ///   - dialect: the dialect at the start of the attempt.
    ///   - sent: the number of body bytes sent before the connection breaks.
    ///   - interim: the server's interim response before the body has arrived.
    ///   - grants: whether tokens are available.
    ///   - answer: the server's answer; nil for a connection that breaks.
    init(
        _ dialect: any UploadDialect,
        sent: @autoclosure () -> Int64 = 0,
        interim: (DialectRequest) -> [HeaderField]? = { _ in nil },
        grants: Bool = true,
        answer: (DialectRequest) -> Answer?
    ) {
        var dialect = dialect
        let now = DropboxBench.start
        for _ in 0..<500 {
            let step = dialect.next(now: now)
            switch step {
            case .finish, .fail:
                end = step
                memory = dialect.memory
                return
            case .hash(let digest):
                dialect.hashed(SymbolicContent.digest(digest), digest)
            case .send(let request):
                let offset = request.headers["Upload-Offset"].map { "@\($0)" } ?? request.headers["Content-Range"] ?? ""
                committed = dialect.memory
                if let ahead = dialect.hashAhead, request.headers["Content-Range"] != nil {
                    dialect.hashed(SymbolicContent.digest(ahead), ahead)
                }
                calls.append(request.method + offset + (request.body.count > 0 ? "+\(request.body.count)" : ""))
                if let fields = interim(request) { dialect.receivedInterim(fields, lane: 0) }
                guard let answered = answer(request) else {
                    _ = dialect.broke(TransferFailure(.connectionLost, ""), lane: 0, sent: sent(), now: now)
                    memory = dialect.memory
                    standing = dialect.standing
                    return
                }
                dialect.answered(answered, lane: 0, now: now)
                acknowledged = dialect.acknowledged
            case .authorize(_, let rejected):
                tokens.append(rejected)
                guard grants else {
                    end = .fail(dialect.denied(TransferFailure(.accessKeyRefused, "there is no token")))
                    return
                }
                let secret = DialectConformance.secret
                dialect.authorized(GrantedToken(rejected == nil ? secret : secret + "2"))
            case .digest, .wait:
                Issue.record("not a step of these dialects")
                return
            }
        }
        Issue.record("the attempt does not come to an end")
    }
}
