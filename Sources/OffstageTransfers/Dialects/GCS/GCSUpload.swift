// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// An upload to Google Cloud Storage by its resumable protocol
/// (https://cloud.google.com/storage/docs/resumable-uploads): the server begins an upload, receives the file's bytes in
/// chunks, and reports at any time how many it has. With the last byte, it makes the object.
///
/// The state needed after a crash is in `notes`. The checksum of the file is computed chunk by chunk. The last chunk
/// carries it, and it is compared with the object's. The object carries a marker of this upload: if an upload is gone
/// after its last byte was sent, the marker of the existing object shows whether that upload made it.
package struct GCSUpload: UploadDialect {
    package static let name = GCSParameters.dialect

    let requests: GCSRequests
    let source: CredentialSource
    /// The stored state.
    var notes: GCSMemory
    private var underway: (call: GCSCall, token: String?, since: Moment)?
    private var sent = Sent()
    private var token: GrantedToken?
    /// A token that the server has refused.
    private var rejectedToken: String?
    /// Whether the server must first be asked how many bytes have arrived.
    var mustAsk: Bool
    /// Whether the existing object must be examined although no upload was sent whole: a checksum shows whether it is
    /// the file.
    var mustLook = false
    /// An object that must still be compared, the answer that describes it, and whether all of the file was sent.
    var made: (object: GCSObject, answer: Answer, isWhole: Bool)?
    /// The generation of an object that is not the file and must still be removed.
    var wrong: Int64?
    var tries = Tries()
    var patience = ServerPatience()
    var secrets: UploadSecrets
    /// How the attempt ends; nil while it continues.
    var end: DialectStep?

    /// How much has been sent.
    private struct Sent {
        /// The end of the bytes that were sent before the request under way.
        var before: Int64 = 0
        /// Bytes of the body that had been sent when the request was answered; nil if that is not known.
        var ofBody: Int64?
    }

    /// Counts steps that must not be repeated forever.
    struct Tries {
        /// Whether another token has replaced a refused one, and no request has succeeded with it yet.
        var hasRenewedToken = false
        /// How often the server had all bytes, but no object.
        var unmade = 0
        /// How often a request to the upload was refused.
        var refusals = 0
    }

    package init(_ spec: TransferSpec, memory: [UInt8]?, now: Moment) throws(RequestError) {
        guard let dialect = spec.dialect, case .upload(let source) = spec.direction else {
            throw .invalidValue(
                "Google Cloud Storage accepts one file as an object: hand over each one separately"
            )
        }
        let parameters = try GCSParameters(dialect)
        requests = try GCSRequests(parameters, spec, source: source)
        self.source = .google(GoogleCredentials(parameters.identity, of: spec))
        notes = GCSMemory(memory, source: source.identity) ?? GCSMemory(source: source.identity)
        secrets = UploadSecrets(besides: requests.beginning, notes.upload)
        mustAsk = notes.upload.map { $0.sent > $0.acknowledged } ?? false
    }

    package static func options(of spec: TransferSpec) -> String? {
        guard let dialect = spec.dialect, let parameters = try? GCSParameters(dialect) else { return nil }
        let words = [
            parameters.endpoint.map { "at \(RequestURL.redact($0))" },
            "by \(parameters.identity.words)",
            parameters.leavesExisting ? "not over another object" : nil,
            parameters.storageClass,
        ]
        return words.compactMap(\.self).joined(separator: ", ")
    }

    package static func settled(_ spec: TransferSpec, for account: Account?) throws(RequestError) -> TransferSpec {
        guard let dialect = spec.dialect else { return spec }
        var spec = spec
        spec.url = try GCSParameters(dialect).url()
        spec.method = "PUT"
        return spec
    }

    var parameters: GCSParameters { requests.parameters }
    var size: Int64 { requests.source.identity.size }
    /// The object, for sentences.
    var place: String { parameters.location.text }
    /// The server, for sentences.
    var server: String { requests.object.hostKey }
    /// The identity that authorizes the upload, for sentences.
    var identity: String { parameters.identity.words }

    package var tokenPlaces: [String] { [parameters.base] }

    // MARK: - The next step

    package mutating func next(now: Moment) -> DialectStep {
        if made != nil {
            if let needed = digestNeeded(upTo: size) { return .hash(needed) }
            compare()
        }
        if let end, wrong == nil { return end }
        let call = plan()
        if case .append(let range) = call, let needed = digestNeeded(upTo: range.upperBound) { return .hash(needed) }
        if !call.isOfSession, token == nil { return .authorize(source, rejecting: rejectedToken) }
        sent = Sent(before: notes.upload?.sent ?? 0)
        if case .append(let range) = call {
            notes.upload?.sent = max(sent.before, range.upperBound)
            patience.sends(Int64(range.count))
        }
        underway = (call, token?.text, now)
        return .send(request(call))
    }

    private func plan() -> GCSCall {
        if let wrong { return .remove(wrong) }
        if notes.mayBeThere || mustLook { return .look }
        guard let upload = notes.upload else { return .begin }
        let begin = upload.acknowledged
        // Once the server has all bytes, it answers with the object that it made.
        if mustAsk || begin >= size { return .ask }
        // A chunk consists of whole units, however many of its bytes were sent before.
        // checked: a chunk is not empty
        return .append(begin..<min(size, begin.addingClamped(notes.chunk.current)))
    }

    /// The bytes to hash before the checksum of the file up to a byte is known; nil if it is known.
    private func digestNeeded(upTo end: Int64) -> SourceDigest? {
        guard notes.hashed < end else { return nil }
        return SourceDigest(.crc32c, of: notes.hashed..<end)  // checked: in this order
    }

    private func request(_ call: GCSCall) -> DialectRequest {
        let upload = notes.upload?.url ?? requests.object
        let token = token?.text ?? ""
        return switch call {
        case .begin: requests.begin(token)
        case .ask: requests.ask(upload)
        case .append(let range): requests.append(range, to: upload, checksum: notes.checksum)
        case .look: requests.look(token)
        case .remove(let generation): requests.remove(generation, token)
        }
    }

    // MARK: - Answers and other events

    package mutating func sentBody(_ bytes: Int64, lane: Int) { sent.ofBody = bytes }

    package mutating func answered(_ answer: Answer, lane: Int, now: Moment) {
        guard let underway else { return }
        self.underway = nil
        // A body may be refused before all of it has left this machine.
        if !(200..<300).contains(answer.status), case .append(let range) = underway.call, let ofBody = sent.ofBody {
            notes.upload?.broke(from: range.lowerBound, after: ofBody, before: sent.before)
        }
        let shown = secrets.hide(answer, and: underway.token)
        answered(underway.call, answer, shown, seconds: now.seconds(since: underway.since))
    }

    package mutating func broke(
        _ failure: TransferFailure,
        lane: Int,
        sent: Int64,
        now: Moment
    ) -> TransferFailure {
        defer { underway = nil }
        if failure.retryClass == .connection || failure.retryClass == .misbehaviour { notes.chunk.shrink() }
        switch underway?.call {
        case .append(let range): notes.upload?.broke(from: range.lowerBound, after: sent, before: self.sent.before)
        // The earlier decision counts.
        case .remove: if case .fail(let decided) = end { return decided }
        case .begin, .ask, .look, nil: break
        }
        return failure
    }

    package mutating func hashed(_ bytes: [UInt8], _ digest: SourceDigest) {
        guard digest.range.lowerBound == notes.hashed, digest.range.upperBound <= size else { return }
        guard digest.algorithm == .crc32c, let checksum = CRC32C(bytes) else {
            end = .fail(TransferFailure(.internalError, "the checksum of the file could not be computed"))
            return
        }
        notes.checksum.append(checksum, count: Int64(digest.range.count))
        notes.hashed = digest.range.upperBound
    }

    package mutating func authorized(_ token: GrantedToken) {
        self.token = token
        rejectedToken = nil
    }

    package mutating func denied(_ failure: TransferFailure) -> TransferFailure {
        // The token was only for removing a wrong object: the earlier decision counts.
        if wrong != nil, case .fail(let decided)? = end { return decided }
        return failure
    }

    // MARK: - For the answers

    /// Drops a token that the server has refused, so that another one is requested, once.
    ///
    /// - Returns: whether another one is requested.
    mutating func renewToken() -> Bool {
        guard let token, !tries.hasRenewedToken else { return false }
        tries.hasRenewedToken = true
        rejectedToken = token.text
        self.token = nil
        return true
    }

    // MARK: - Properties for the runner

    package var hashAhead: SourceDigest? {
        guard case .append(let range)? = underway?.call, range.upperBound < size else { return nil }
        return digestNeeded(upTo: min(size, range.upperBound.addingClamped(notes.chunk.current)))
    }

    package var memory: [UInt8]? { notes == GCSMemory(source: notes.source) ? nil : notes.json }

    package var acknowledged: Int64 {
        if case .finish? = end { return size }
        return notes.upload?.acknowledged ?? 0
    }

    package var farewell: DialectRequest? { notes.upload.map { requests.cancel($0.url) } }

    package var standing: String? {
        guard end == nil else { return nil }
        if case .look? = underway?.call { return "asking whether the object exists" }
        guard let upload = notes.upload else { return nil }
        if underway != nil {
            return upload.acknowledged > 0 ? "resumed after \(ByteText.of(upload.acknowledged))" : nil
        }
        return "\(ByteText.of(upload.acknowledged)) of \(ByteText.of(size)) are stored at the server"
    }
}

extension GCSUpload: RememberingDialect {
    typealias Memory = GCSMemory
}
