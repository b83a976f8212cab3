// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// An upload to Dropbox: in one request if it is small, otherwise through an upload session that is filled in chunks. A
/// sequential one gets them one after the other, and is committed with the last; a concurrent one, for larger files,
/// gets several at once, is closed with the last, and then committed.
///
/// The state needed after a crash is in `notes`. There is no separate recovery path: a call is repeated, and Dropbox's
/// answer states how much has arrived.
package struct DropboxUpload: HashingDialect, SharingDialect {
    package static let name = DropboxParameters.dialect

    /// A token, and when it was requested.
    struct Token {
        var text: String
        var askedAt: Moment
        /// Whether a request has used it. Even a token that took long to arrive is good for one request.
        var isUsed = false
    }

    /// A call in progress, when it began, and the session and token it uses: an answer about another session does not
    /// apply to the current one.
    struct Underway {
        var call: DropboxCall
        var since: Moment
        var session: String?
        var token: String
    }

    /// Limits that end an attempt with a server that never finishes.
    struct Patience {
        /// Consecutive answers that stored nothing.
        var setbacks = 0
        /// Sessions abandoned in this attempt.
        var restarts = 0
        /// Whether a new token has replaced a refused one, and no call has succeeded with it yet.
        var hasRenewedToken = false
        /// Pieces of concurrent sessions that were acknowledged in this attempt.
        var storedPieces = 0

        static let mostSetbacks = 8
        /// The setbacks that a chunk counts for if it arrived but was not accepted.
        static let costOfSendingAgain = 3
        static let mostRestarts = 3
    }

    let basis: Basis
    /// The stored state.
    var notes: DropboxMemory
    /// The state of an upload that remembers nothing.
    private let blank: DropboxMemory
    var blocks: BlockDigests
    private(set) var token: Token?
    private var tokenAskedAt: Moment?
    /// A token that the server no longer accepts.
    private var rejectedToken: String?
    /// The digests that were last requested.
    private var digesting: Range<Int64>?
    /// The calls in progress, by their lanes.
    private(set) var underway: [Int: Underway] = [:]
    package var freeConnections: Int?
    var patience = Patience()
    /// Whether bytes were being sent to the session when the previous attempt ended. If so, the server is first asked
    /// how many of them arrived, so that those are not sent again.
    var mustLocate: Bool
    /// Whether a session whose commit was requested turned out not to be closed.
    var mustClose = false
    /// Whether an earlier attempt has requested the commit of the session without getting an answer.
    var mayBeCommitted: Bool
    /// How the attempt ends; nil while it continues.
    var end: DialectStep?

    /// The largest file, in bytes, that is sent in one request.
    static let oneRequestLimit: Int64 = 8 << 20
    /// The largest file, in bytes, that Dropbox accepts.
    package static let largestFile: Int64 = 2_199_019_061_248
    /// How long a session is relied on, in seconds: an hour less than its lifetime of seven days.
    static let sessionLife: Double = 7 * 86_400 - 3600
    /// Seconds after which a token is requested again: its holder renews it five minutes before it expires.
    static let tokenFreshness: Double = 240

    package init(_ spec: TransferSpec, memory: [UInt8]?, now: Moment) throws(RequestError) {
        self.init(try Basis(spec), memory: memory)
    }

    /// An attempt at an upload whose specification has already been read.
    package init(_ basis: Basis, memory: [UInt8]?) {
        self.basis = basis
        let (source, largestChunk) = (basis.source.identity, basis.parameters.largestChunk)
        let blank = DropboxMemory(source: source).with(largestChunk: largestChunk)
        notes = DropboxMemory(memory, source: source)?.with(largestChunk: largestChunk) ?? blank
        self.blank = blank
        blocks = BlockDigests(size: source.size)
        mayBeCommitted = notes.session?.stage == .committing
        mustLocate =
            notes.session.map { $0.kind == .sequential && $0.stage != .looking && $0.sent > $0.acknowledged } ?? false
    }

    package static func account(of spec: TransferSpec) throws(RequestError) -> String? {
        try spec.dialect.map { dialect throws(RequestError) in try DropboxParameters(dialect).account }
    }

    package static func options(of spec: TransferSpec) -> String? {
        guard let dialect = spec.dialect, let parameters = try? DropboxParameters(dialect) else { return nil }
        return parameters.options
    }

    package static func settled(_ spec: TransferSpec, for account: Account?) throws(RequestError) -> TransferSpec {
        guard let dialect = spec.dialect else { return spec }
        var spec = spec
        var parameters = try DropboxParameters(dialect).at(account?.dropbox?.endpoints)
        if let account { parameters.accountID = account.accountID }
        spec.url = try parameters.url()
        spec.method = "POST"
        spec.dialect = try parameters.dialectSpec()
        return spec
    }

    package var tokenPlaces: [String] { [parameters.api, parameters.content] }
    package var tokenOwner: String? { parameters.accountID ?? notes.owner }

    var parameters: DropboxParameters { basis.parameters }
    var size: Int64 { basis.source.identity.size }

    // MARK: - The next step

    package mutating func next(now: Moment) -> DialectStep {
        if let end { return underway.isEmpty ? end : .wait }
        leaveOldSession(now)
        guard let (call, lane) = plannedCall() else { return .wait }
        if let range = missingDigests(for: call) {
            digesting = range
            return .digest(range)
        }
        guard let token, !token.isUsed || now.seconds(since: token.askedAt) < Self.tokenFreshness else {
            tokenAskedAt = now
            return .authorize(.account(parameters.account), rejecting: rejectedToken)
        }
        record(call)
        self.token?.isUsed = true
        underway[lane] = Underway(call: call, since: now, session: notes.session?.id, token: token.text)
        var request = basis.requests.request(
            call,
            session: notes.session?.id ?? "",
            hash: bytes(of: call).flatMap { blocks.hash(of: $0) },
            token: token.text
        )
        request.lane = lane
        return .send(request)
    }

    // MARK: - Answers and other events

    package mutating func answered(_ answer: Answer, lane: Int, now: Moment) {
        guard let request = underway.removeValue(forKey: lane), request.session == notes.session?.id else { return }
        let answer = answer.hiding(request.token)
        if (200..<300).contains(answer.status) {
            if request.token == token?.text { patience.hasRenewedToken = false }
            accepted(request, answer, seconds: now.seconds(since: request.since))
        } else {
            refused(request, DropboxError(answer), now: now)
        }
    }

    package mutating func broke(
        _ failure: TransferFailure,
        lane: Int,
        sent: Int64,
        now: Moment
    ) -> TransferFailure {
        let request = underway.removeValue(forKey: lane)
        if [.connection, .misbehaviour].contains(failure.retryClass) { askLess(after: request, sent: sent) }
        // The earlier decision counts, not another request that broke after it.
        if case .fail(let decided)? = end { return decided }
        return failure
    }

    package mutating func digested(_ digests: [UInt8], from offset: Int64) {
        blocks.insert(digests, from: offset, wanted: digesting)
    }

    package var digests: BlockDigests? {
        get { blocks.byteCount == 0 ? nil : blocks }
        set { if let newValue, newValue.size == size { blocks = newValue } }
    }

    package mutating func authorized(_ token: GrantedToken) {
        guard let tokenAskedAt else { return }
        self.token = Token(text: token.text, askedAt: tokenAskedAt)
        if tokenOwner == nil { notes.owner = token.owner }
        self.tokenAskedAt = nil
        rejectedToken = nil
    }

    package mutating func denied(_ failure: TransferFailure) -> TransferFailure {
        // An answer has decided the end while the token was requested.
        if case .fail(let decided)? = end { return decided }
        return failure
    }

    /// Drops a token that has expired or is no longer accepted, so that another is requested, once.
    ///
    /// - Returns: whether another will be requested.
    mutating func renewToken() -> Bool {
        guard !patience.hasRenewedToken, let token else { return false }
        patience.hasRenewedToken = true
        rejectedToken = token.text
        self.token = nil
        return true
    }

    // MARK: - Properties for the runner

    package var digestsAhead: Range<Int64>? {
        guard let sentUpTo = underway.values.map({ end(of: $0.call) }).max() else { return nil }
        // The next chunks, which may have grown, so that hashing need not wait for an answer: two, or as many as are
        // sent at once. Then the bytes acknowledged before this attempt.
        let next = min(ChunkSize.mostGrowth * notes.chunk.current, lanes > 1 ? Self.largestPiece : ChunkSize.largest)
        let ahead = min(size, sentUpTo + Int64(max(2, lanes)) * next)
        return blocks.missing(in: sentUpTo..<ahead) ?? blocks.missing(in: 0..<sentUpTo)
    }

    package var memory: [UInt8]? {
        // A state that equals a new upload's is not worth storing.
        notes == blank ? nil : notes.json
    }

    package var acknowledged: Int64 {
        if case .finish = end { size } else { notes.session?.acknowledged ?? 0 }
    }

    package var destination: String? {
        guard case .finish(let answer)? = end else { return nil }
        return DropboxJSON(parsing: answer.bodyStart).flatMap(parameters.destination(saidBy:))
    }

    package var standing: String? {
        guard end == nil else { return nil }
        switch underway.values.max(by: { end(of: $0.call) < end(of: $1.call) })?.call {
        case .put(let range) where underway.count == 1:
            return sending(range)
        case .put: return "\(stored(acknowledged)), and \(underway.count) chunks are on their way"
        case .close(let range): return sendingLast(range)
        case .upload: return "sending it in one request"
        case .start: return "opening an upload session"
        case .locate: return "asking how much of what was sent has arrived"
        case .append(let range): return sending(range)
        case .finish(let range): return range.isEmpty ? "committing it" : "\(sendingLast(range)) and committing it"
        case .metadata: return "asking whether it has been committed"
        case nil:
            guard let session = notes.session else { return nil }
            if session.stage == .looking { return "it may have been committed; Dropbox is asked next" }
            return "\(stored(session.acknowledged)) in an upload session"
        }
    }

    private func stored(_ count: Int64) -> String { "\(ByteText.of(count)) of \(ByteText.of(size)) are stored" }

    private func sending(_ range: Range<Int64>) -> String {
        let before = range.lowerBound > 0 ? "after \(ByteText.of(range.lowerBound)) " : ""
        return "sending a chunk of \(ByteText.of(Int64(range.count))) \(before)of \(ByteText.of(size))"
    }

    private func sendingLast(_ range: Range<Int64>) -> String {
        "sending the last \(ByteText.of(Int64(range.count))) of \(ByteText.of(size))"
    }
}

extension DropboxUpload: RememberingDialect {
    typealias Memory = DropboxMemory
}
