// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// An upload by tus 1.0 (https://tus.io/protocols/resumable-upload): the server creates an upload, receives the file's
/// bytes in chunks, and reports at any time how many it has.
///
/// The state needed after a crash is in `notes`. There is no separate recovery path: if bytes may have arrived without
/// an answer, the server is asked, and its count applies.
package struct TusUpload: UploadDialect {
    package static let name = TusParameters.dialect

    let requests: TusRequests
    /// The stored state.
    var notes: TusMemory
    private var underway: (call: TusCall, since: Moment)?
    /// The end of the bytes that were sent before the request under way.
    private(set) var sentBefore: Int64 = 0
    /// Bytes of the body that had been sent when the request was answered; nil if that is not known.
    private var sentOfBody: Int64?
    /// The digest of the next chunk.
    private var digest: (of: SourceDigest, bytes: [UInt8])?
    /// The chunk after the one being sent: its digest is computed in the meantime.
    private var ahead: Range<Int64>?
    /// Whether the server must first be asked how many bytes have arrived.
    var mustLocate: Bool
    /// A chunk's refusal that may only mean that the upload is complete.
    var refusal: Answer?
    var patience = ServerPatience()
    var secrets: UploadSecrets
    /// How the attempt ends; nil while it continues.
    var end: DialectStep?

    package init(_ spec: TransferSpec, memory: [UInt8]?, now: Moment) throws(RequestError) {
        guard let dialect = spec.dialect, case .upload(let source) = spec.direction else {
            throw .invalidValue("A tus server accepts one file at a time: hand over each one separately")
        }
        let parameters = try TusParameters(dialect)
        requests = TusRequests(spec, parameters, source: source)
        notes = TusMemory(memory, source: source.identity) ?? TusMemory(source: source.identity)
        if let limit = parameters.largestChunk { notes.chunk.limit(to: limit) }
        secrets = UploadSecrets(besides: spec.url, notes.upload)
        mustLocate = notes.upload.map { $0.sent > $0.acknowledged } ?? false
        // The server has reported that it has all bytes; it may clean up at any time after that.
        if let upload = notes.upload, upload.acknowledged == source.identity.size {
            end = .finish(Answer(status: 204, finalURL: upload.url.unredacted))
        }
    }

    var size: Int64 { requests.source.identity.size }
    /// The server's endpoint, for sentences.
    var place: String { requests.endpoint.description }

    // MARK: - The next step

    package mutating func next(now: Moment) -> DialectStep {
        if let end { return end }
        let call = plan()
        if let needed = digestNeeded(for: call), digest?.of != needed { return .hash(needed) }
        sentBefore = notes.upload?.sent ?? 0
        if case .append(let range) = call, let sent = notes.upload?.sent {
            notes.upload?.sent = max(sent, range.upperBound)
            patience.sends(Int64(range.count))
            ahead = notes.server?.checksum == nil ? nil : chunk(from: range.upperBound)
        }
        underway = (call, now)
        sentOfBody = nil
        return .send(request(call))
    }

    private mutating func plan() -> TusCall {
        guard notes.server != nil else { return .discover }
        guard let upload = notes.upload else { return .create }
        if mustLocate { return .locate }
        let begin = upload.acknowledged
        // The chunk whose digest is already computed, even if the following chunks will be larger.
        if let ahead, ahead.lowerBound == begin, notes.chunk.most.map({ ahead.count <= $0 }) ?? true {
            return .append(ahead)
        }
        // Bytes that may have been under way are sent in the same chunk, unless it has become too long.
        if upload.sent > begin, upload.sent - begin <= notes.chunk.current {  // checked: both are bytes of the file
            return .append(begin..<upload.sent)  // checked: in this order
        }
        return .append(chunk(from: begin) ?? begin..<size)  // checked: nothing beyond the file is acknowledged
    }

    /// The chunk that begins at a byte; nil at the end of the file.
    private func chunk(from begin: Int64) -> Range<Int64>? {
        // checked: a chunk is not empty
        begin < size ? begin..<min(size, begin.addingClamped(notes.chunk.current)) : nil
    }

    private func digestNeeded(for call: TusCall) -> SourceDigest? {
        guard case .append(let range) = call, let algorithm = notes.server?.checksum else { return nil }
        return SourceDigest(algorithm, of: range)
    }

    private func request(_ call: TusCall) -> DialectRequest {
        let upload = notes.upload?.url ?? requests.endpoint
        switch call {
        case .discover: return requests.discover()
        case .create: return requests.create()
        case .locate: return requests.locate(upload)
        case .append(let range):
            let checksum = notes.server?.checksum == nil ? nil : digest.map { ($0.of.algorithm, $0.bytes) }
            return requests.append(range, to: upload, digest: checksum, overridesMethod: notes.overridesMethod)
        }
    }

    // MARK: - Answers and other events

    package mutating func sentBody(_ bytes: Int64, lane: Int) { sentOfBody = bytes }

    package mutating func answered(_ answer: Answer, lane: Int, now: Moment) {
        guard let underway else { return }
        self.underway = nil
        // A body may be refused before all of it has left this machine.
        if !(200..<300).contains(answer.status), case .append(let range) = underway.call, let sentOfBody {
            notes.upload?.broke(from: range.lowerBound, after: sentOfBody, before: sentBefore)
        }
        answered(underway.call, answer, seconds: now.seconds(since: underway.since))
        if case .finish(let answer)? = end { end = .finish(secrets.hide(answer)) }
    }

    package mutating func broke(
        _ failure: TransferFailure,
        lane: Int,
        sent: Int64,
        now: Moment
    ) -> TransferFailure {
        if failure.retryClass == .connection || failure.retryClass == .misbehaviour { notes.chunk.shrink() }
        if case .append(let range)? = underway?.call {
            notes.upload?.broke(from: range.lowerBound, after: sent, before: sentBefore)
        }
        underway = nil
        return failure
    }

    package mutating func hashed(_ bytes: [UInt8], _ digest: SourceDigest) { self.digest = (digest, bytes) }

    /// Drops the digest of a chunk, since it does not match the bytes that arrived at the server.
    mutating func forgetDigest() { digest = nil }

    // MARK: - Properties for the runner

    package var hashAhead: SourceDigest? {
        guard underway != nil, let algorithm = notes.server?.checksum, let ahead else { return nil }
        let wanted = SourceDigest(algorithm, of: ahead)
        return digest?.of == wanted ? nil : wanted
    }

    package var memory: [UInt8]? { notes.server == nil ? nil : notes.json }

    package var acknowledged: Int64 { notes.upload?.acknowledged ?? 0 }

    /// The place that the server chose for the file; nil until it has all of it: anyone who knows an incomplete
    /// upload's place can change it.
    package var destination: String? {
        guard let upload = notes.upload, upload.acknowledged == size else { return nil }
        return upload.url.withoutQuery
    }

    package var farewell: DialectRequest? {
        guard notes.server?.terminates == true, let upload = notes.upload, upload.acknowledged < size else {
            return nil
        }
        return requests.terminate(upload.url)
    }

    package var standing: String? {
        guard let upload = notes.upload, upload.acknowledged < size else { return nil }
        if underway != nil {
            return upload.acknowledged > 0 ? "resumed after \(ByteText.of(upload.acknowledged))" : nil
        }
        let until = upload.expires.map { " until \($0.redactedControls)" } ?? ""
        return "\(ByteText.of(upload.acknowledged)) of \(ByteText.of(size)) are stored at the server\(until)"
    }
}

extension TusUpload: RememberingDialect {
    typealias Memory = TusMemory
}
