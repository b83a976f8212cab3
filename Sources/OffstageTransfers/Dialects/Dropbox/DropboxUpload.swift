// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// An upload to Dropbox: in one request if it is small, otherwise through a sequential upload session that is filled in
/// chunks and committed with the last one.
///
/// The state needed after a crash is in `notes`. There is no separate recovery path: a call is repeated, and Dropbox's
/// answer says how much has arrived.
package struct DropboxUpload: HashingDialect {
    package static let name = DropboxParameters.dialect

    /// A token, and when it was requested.
    struct Token {
        var text: String
        var askedAt: Moment
        /// Whether a request has used it. Even a token that took long to arrive is good for one request.
        var isUsed = false
    }

    /// A call in progress, and when it began.
    struct Underway {
        var call: DropboxCall
        var since: Moment
    }

    /// Limits that end an attempt with a server that never finishes.
    struct Patience {
        /// Consecutive answers that stored nothing.
        var setbacks = 0
        /// Sessions abandoned in this attempt.
        var restarts = 0
        /// Whether a new token has replaced a refused one, and no call has succeeded with it yet.
        var hasRenewedToken = false

        static let mostSetbacks = 8
        /// The setbacks that a chunk counts for if it arrived but was not accepted.
        static let costOfSendingAgain = 3
        static let mostRestarts = 3
    }

    private let basis: Basis
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
    var underway: Underway?
    var patience = Patience()
    /// Whether bytes were being sent to the session when the previous attempt ended. If so, the server is first asked
    /// how many of them have arrived, so that none of those is sent again.
    var mustLocate: Bool
    /// How the attempt ends; nil while it continues.
    var end: DialectStep?

    /// The largest file, in bytes, that is sent in one request.
    static let oneRequestLimit: Int64 = 8 << 20
    /// The largest file, in bytes, that Dropbox accepts.
    package static let largestFile: Int64 = 2_199_019_061_248
    /// How long a session is relied on, in seconds: an hour less than its lifetime of seven days.
    static let sessionLife: Double = 7 * 86_400 - 3600
    /// Seconds after which a token is requested again: its keeper renews it five minutes before it expires.
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
        mustLocate = notes.session.map { $0.stage != .looking && $0.sent > $0.acknowledged } ?? false
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

    // MARK: - What is next

    package mutating func next(now: Moment) -> DialectStep {
        if let end { return end }
        let call = plan(now)
        if let range = missingDigests(for: call) {
            digesting = range
            return .digest(range)
        }
        guard let token, !token.isUsed || now.seconds(since: token.askedAt) < Self.tokenFreshness else {
            tokenAskedAt = now
            return .authorize(.account(parameters.account), rejecting: rejectedToken)
        }
        note(call)
        self.token?.isUsed = true
        underway = Underway(call: call, since: now)
        return .send(
            basis.requests.request(
                call,
                session: notes.session?.id ?? "",
                hash: bytes(of: call).flatMap { blocks.hash(of: $0) },
                token: token.text
            )
        )
    }

    /// The next call of the upload. A session that has grown too old is abandoned here.
    private mutating func plan(_ now: Moment) -> DropboxCall {
        if let session = notes.session, session.stage != .looking,
            now.seconds(since: session.began) >= Self.sessionLife
        {
            if session.stage == .committing { notes.session?.stage = .looking } else { notes.session = nil }
        }
        guard let session = notes.session else { return goesInOneRequest ? .upload : .start }
        if session.stage == .looking { return .metadata }
        let begin = session.acknowledged
        if mustLocate { return .locate(begin) }
        // After part of a block, the chunk ends with that block, so that the following blocks are hashed on the grid
        // again.
        let end = BlockDigests.isOnGrid(begin) ? min(size, begin + notes.chunk.current) : blocks.endOfBlock(at: begin)
        return end >= size ? .finish(begin..<size) : .append(begin..<end)
    }

    /// Whether the whole file goes in one request. Repeating it after a lost answer does no harm, since Dropbox commits
    /// the same content once, unless the same content would be a conflict or get another name. A session is committed
    /// only once in any case.
    private var goesInOneRequest: Bool {
        size <= min(Self.oneRequestLimit, notes.chunk.most ?? Self.oneRequestLimit)
            && !parameters.autorename && !parameters.strictConflict
    }

    private func missingDigests(for call: DropboxCall) -> Range<Int64>? {
        switch call {
        case .start, .locate: nil
        case .append(let range): blocks.missing(in: range)
        // The hash of the whole file is compared with Dropbox's at the end.
        case .finish(let range): blocks.missing(in: range) ?? blocks.missing(in: 0..<size)
        case .upload, .metadata: blocks.missing(in: 0..<size)
        }
    }

    /// The bytes of the source that a call carries, possibly none; nil for a call without a position in the source.
    func bytes(of call: DropboxCall) -> Range<Int64>? {
        switch call {
        case .upload: 0..<size
        case .append(let range), .finish(let range): range
        case .locate(let offset): offset..<offset
        case .start, .metadata: nil
        }
    }

    /// Records the state that must be stored before a call's first byte is sent.
    private mutating func note(_ call: DropboxCall) {
        guard var session = notes.session, let range = bytes(of: call) else { return }
        session.sent = max(session.sent, range.upperBound)
        if case .finish = call { session.stage = .committing }
        notes.session = session
    }

    // MARK: - What came

    package mutating func answered(_ answer: Answer, lane: Int, now: Moment) {
        guard let underway else { return }
        self.underway = nil
        let answer = token.map { answer.hiding($0.text) } ?? answer
        if (200..<300).contains(answer.status) {
            patience.hasRenewedToken = false
            accepted(underway.call, answer, seconds: now.seconds(since: underway.since), since: underway.since)
        } else {
            refused(underway.call, DropboxError(answer), now: now)
        }
    }

    package mutating func broke(
        _ failure: TransferFailure,
        lane: Int,
        sent: Int64,
        now: Moment
    ) -> TransferFailure {
        if failure.retryClass == .connection || failure.retryClass == .misbehaviour { notes.chunk.shrink() }
        underway = nil
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

    // MARK: - What is to be known outside

    package var digestsAhead: Range<Int64>? {
        guard let underway else { return nil }
        let sentUpTo: Int64 =
            switch underway.call {
            case .start: 0
            case .locate(let offset): offset
            case .append(let range), .finish(let range): range.upperBound
            case .upload, .metadata: size
            }
        // The next two chunks, which may have grown, so that hashing need not wait for an answer; then the bytes
        // acknowledged before this attempt.
        let next = min(ChunkSize.mostGrowth * notes.chunk.current, ChunkSize.largest)
        let ahead = min(size, sentUpTo + 2 * next)
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
        switch underway?.call {
        case .upload: return "sending it in one request"
        case .start: return "opening an upload session"
        case .locate: return "asking how much of what was sent has arrived"
        case .append(let range):
            return "sending a chunk of \(range.count) bytes from byte \(range.lowerBound) of \(size)"
        case .finish(let range):
            return range.isEmpty
                ? "committing it" : "sending the last \(range.count) bytes of \(size) and committing it"
        case .metadata: return "asking whether it has been committed"
        case nil:
            guard let session = notes.session else { return nil }
            if session.stage == .looking { return "it may have been committed; Dropbox is asked next" }
            return "\(session.acknowledged) of \(size) bytes are stored in an upload session"
        }
    }
}
