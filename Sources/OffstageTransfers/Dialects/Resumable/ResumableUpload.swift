// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// An upload by the IETF's protocol (draft-ietf-httpbis-resumable-upload): the owner's own request, with the whole
/// file, which can be resumed if the server knows the protocol.
///
/// The first request is an ordinary upload with two more header fields, so any server can accept it. A server that
/// knows the protocol announces in an interim response (104) where the upload can be resumed, and this is stored while
/// the file is still being sent. After a break, the server is asked how much it has, and gets the remainder. Any answer
/// of the target itself ends the transfer, as for a plain upload.
package struct ResumableUpload: UploadDialect {
    package static let name = ResumableParameters.dialect

    enum Call: Sendable, Equatable {
        /// The owner's request, with the whole file.
        case create
        /// The owner's request without the file, for a server that accepts only short requests.
        case reserve
        /// HEAD: how many bytes have arrived.
        case locate
        /// PATCH: bytes of the file, not necessarily up to its end.
        case append(Range<Int64>)
    }

    let requests: ResumableRequests
    /// The stored state.
    var notes: ResumableMemory
    private var underway: Call?
    /// The end of the bytes that were sent before the request under way.
    private(set) var sentBefore: Int64 = 0
    /// Bytes of the body that had been sent when the request was answered; nil if that is not known.
    private var sentOfBody: Int64?
    /// Whether the server must first be asked how many bytes have arrived.
    var mustLocate: Bool
    /// Whether the upload is created without bytes, because the server accepts only short requests.
    var mustReserve = false
    var patience = ServerPatience()
    var secrets: UploadSecrets
    /// Whether the file must not be sent from its beginning again once the server may have all of it.
    let isSentOnce: Bool
    /// Whether this continues a plain upload, which starts over if it cannot be resumed (`OfferedUpload`).
    var isOffer = false
    /// Whether the server cannot resume although it claimed so; only for an offer.
    var isAbandoned = false
    /// Whether that is only because the server has been busy for a long time.
    var isPutOff = false
    /// How the attempt ends; nil while it continues.
    var end: DialectStep?

    package init(_ spec: TransferSpec, memory: [UInt8]?, now: Moment) throws(RequestError) {
        guard case .upload(let source) = spec.direction else {
            throw .invalidValue("A resumable upload sends one file: hand over each one separately")
        }
        requests = ResumableRequests(spec, source: source)
        isSentOnce = spec.isSentOnce == true
        notes = ResumableMemory(memory, source: source.identity) ?? ResumableMemory(source: source.identity)
        secrets = UploadSecrets(besides: spec.url, notes.upload)
        mustLocate = notes.upload != nil
        // Older versions continued with any limit. The server states it again.
        if let most = notes.mostPerAppend, most < UploadLimits.shortestAppend { notes.mostPerAppend = nil }
    }

    var size: Int64 { requests.source.identity.size }
    /// The file's destination, for sentences.
    var place: String { requests.target.description }

    // MARK: - The next step

    package mutating func next(now: Moment) -> DialectStep {
        if let end { return end }
        let call = plan()
        underway = call
        sentBefore = notes.upload?.sent ?? 0
        sentOfBody = nil
        if case .append(let range) = call {
            notes.upload?.sent = max(sentBefore, range.upperBound)
            patience.sends(Int64(range.count))
        }
        let url = notes.upload?.url ?? requests.target
        switch call {
        case .create: return .send(requests.create(notes.interop))
        case .reserve: return .send(requests.reserve(notes.interop))
        case .locate: return .send(requests.locate(url, notes.interop))
        case .append(let range): return .send(requests.append(range, to: url, notes.interop))
        }
    }

    private func plan() -> Call {
        guard let upload = notes.upload else { return mustReserve ? .reserve : .create }
        if mustLocate { return .locate }
        let begin = upload.acknowledged
        // checked: nothing beyond the file is acknowledged
        return .append(begin..<min(size, begin.addingClamped(notes.mostPerAppend ?? size)))
    }

    // MARK: - Beside a plain upload

    /// Whether nothing has been created at the server: the owner's request is next.
    var wantsWhole: Bool { end == nil && notes.upload == nil && !mustReserve }

    /// Adds the offer to the owner's request.
    mutating func offer(in request: DialectRequest) -> DialectRequest {
        underway = .create
        sentBefore = 0
        sentOfBody = nil
        var request = request
        request.headers.append(contentsOf: ResumableRequests.offer(notes.interop))
        request.hearsInterim = true
        return request
    }

    /// Called when the target itself, or a server that does not know the offer, has answered the request with the
    /// offer.
    mutating func offerIsOver() {
        underway = nil
        progress = 0
        notes.upload = nil
    }

    // MARK: - Answers and other events

    package mutating func receivedInterim(_ interim: [HeaderField], lane: Int) {
        // Responses in a version that is not used here are ignored.
        guard ResumableVersion(interim) == notes.interop else { return }
        apply(UploadLimits(interim))
        switch underway {
        case .create where notes.upload == nil:
            guard let url = KeptUpload.url(in: interim, of: requests.target) else { return }
            notes.isSettled = true
            // How much of the request has arrived is unknown until the server is asked.
            notes.upload = KeptUpload(url: url, acknowledged: 0, sent: size)
            secrets.add(notes.upload)
        case .create, .append:
            // A promise: these bytes need not be sent again.
            guard let offset = KeptUpload.offset(interim), let upload = notes.upload, offset > upload.acknowledged,
                offset <= upload.sent
            else { return }
            progress = max(progress, offset)
        case .reserve, .locate, nil: break
        }
    }

    /// The offset of the last interim response. It is not part of the memory, which would then be stored for each of
    /// them.
    private(set) var progress: Int64 = 0

    package mutating func sentBody(_ bytes: Int64, lane: Int) { sentOfBody = bytes }

    package mutating func answered(_ answer: Answer, lane: Int, now: Moment) {
        guard let call = underway else { return }
        underway = nil
        progress = 0
        // A body may be refused before all of it has left this machine.
        if !(200..<300).contains(answer.status), let sentOfBody { sent(sentOfBody, of: call) }
        answered(call, answer)
        endIfLimited()
        if case .finish(let answer)? = end { end = .finish(secrets.hide(answer)) }
    }

    package mutating func broke(
        _ failure: TransferFailure,
        lane: Int,
        sent: Int64,
        now: Moment
    ) -> TransferFailure {
        guard let call = underway else { return failure }
        underway = nil
        self.sent(sent, of: call)
        // A promise is worthless if its bytes have not left this machine.
        if let upload = notes.upload, progress <= upload.sent {
            notes.upload?.acknowledged = max(upload.acknowledged, progress)
        }
        progress = 0
        return failure
    }

    /// Records how many bytes of a call's body have left this machine.
    private mutating func sent(_ bytes: Int64, of call: Call) {
        switch call {
        case .create: notes.upload?.broke(from: 0, after: bytes, before: sentBefore)
        case .append(let range): notes.upload?.broke(from: range.lowerBound, after: bytes, before: sentBefore)
        case .reserve, .locate: break
        }
    }

    // MARK: - Properties for the runner

    /// A memory implies that the server can be asked for the upload's status. If the file must be sent only once, an
    /// agreed version alone does not justify one.
    package var memory: [UInt8]? { notes.upload != nil || notes.isSettled && !isSentOnce ? notes.json : nil }

    /// Whether the server has accepted the upload, and so has all of it.
    var isTaken: Bool { if case .finish(let answer) = end { answer.status < 300 } else { false } }

    package var acknowledged: Int64 {
        isTaken ? size : max(notes.upload?.acknowledged ?? 0, progress)
    }

    package var farewell: DialectRequest? { notes.upload.map { requests.cancel($0.url, notes.interop) } }

    package var standing: String? {
        guard let upload = notes.upload else { return nil }
        if underway != nil {
            return upload.acknowledged > 0 ? "resumed after \(ByteText.of(upload.acknowledged))" : "can be resumed"
        }
        return "the server says where to resume it"
    }
}

extension ResumableUpload: RememberingDialect {
    typealias Memory = ResumableMemory
}
