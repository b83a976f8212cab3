// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A plain upload that offers its server to be resumed, and is resumed if the server states where.
///
/// The offer consists of two header fields in the owner's request, which is otherwise unchanged. A server that does not
/// know them ignores them, so no prior inquiry is needed. Until a server accepts the offer, this is `PlainUpload`; from
/// then on, `ResumableUpload` decides what to send. If the server cannot resume after all, the plain request follows.
package struct OfferedUpload: UploadDialect {
    package static let name = PlainUpload.name

    /// The kind of the request under way, or of the last one.
    private enum Stage: Sendable, Equatable {
        /// An inquiry about the file, such as whether it exists.
        case aside
        /// The file, with or without the offer.
        case offered, bare
        /// Continuing the upload that the server keeps.
        case resuming
    }

    /// What is known about the server at the beginning of the attempt.
    package var known: ResumptionBook.Finding? {
        didSet {
            if case .taken(let number) = known, let version = ResumableVersion(known: number), resumable.wantsWhole {
                resumable.notes.interop = version
            }
            if known == .refused { isOffering = false }
        }
    }
    /// Whether the offer may have caused connections to break before any answer, because an intermediary does not
    /// accept it. The offer is then omitted.
    package var isSuspected = false {
        didSet { if isSuspected, resumable.wantsWhole { isOffering = false } }
    }
    /// What this attempt has found out about the server; nil for nothing.
    package private(set) var finding: ResumptionBook.Finding?

    private var plain: PlainUpload
    private var resumable: ResumableUpload
    private var stage = Stage.aside
    private var isOffering: Bool
    /// The status with which a request was refused, perhaps because of the offer.
    private var refusal: Int?
    /// Whether the owner's request has conditions, which may fail at the server.
    private let isConditional: Bool

    package init(_ spec: TransferSpec, memory: [UInt8]?, now: Moment) throws(RequestError) {
        resumable = try ResumableUpload(spec, memory: memory, now: now)
        resumable.isOffer = true
        // A server that keeps a part of the file has already reported that nothing is at the URL.
        plain = try PlainUpload(spec, memory: spec.skipsExisting == true ? memory : nil, now: now)
        isOffering = ResumptionOffer.isMade(by: spec)
        isConditional = spec.headers.contains { $0.name.lowercased().hasPrefix("if-") }
    }

    /// Whether the memory of a plain upload describes a beginning that the server keeps.
    static func isKept(_ memory: [UInt8]?, _ spec: TransferSpec) -> Bool {
        guard case .upload = spec.direction else { return false }
        return memory?.first == UInt8(ascii: "{")
    }

    // MARK: - The next step

    package mutating func next(now: Moment) -> DialectStep {
        guard resumable.wantsWhole || resumable.isAbandoned else {
            stage = .resuming
            return resumable.next(now: now)
        }
        let step = plain.next(now: now)
        guard case .send(let request) = step, request.sourceOffset != nil else {
            stage = .aside
            return step
        }
        guard isOffering, !resumable.isAbandoned else {
            stage = .bare
            return step
        }
        stage = .offered
        return .send(resumable.offer(in: request))
    }

    // MARK: - Answers and other events

    package mutating func receivedInterim(_ interim: [HeaderField], lane: Int) {
        guard stage == .offered || stage == .resuming else { return }
        resumable.receivedInterim(interim, lane: lane)
        if resumable.notes.upload != nil { finding = .taken(version: resumable.notes.interop.number) }
    }

    package mutating func sentBody(_ bytes: Int64, lane: Int) {
        if stage == .offered || stage == .resuming { resumable.sentBody(bytes, lane: lane) }
    }

    package mutating func answered(_ answer: Answer, lane: Int, now: Moment) {
        switch stage {
        case .aside: plain.answered(answer, lane: lane, now: now)
        case .offered: answered(offer: answer, now)
        case .bare:
            compare(answer)
            plain.answered(resumable.secrets.hide(answer), lane: lane, now: now)
        case .resuming: resumable.answered(answer, lane: lane, now: now)
        }
        if resumable.isAbandoned, !resumable.isPutOff { finding = .refused }
    }

    private mutating func answered(offer answer: Answer, _ now: Moment) {
        let isComplete = resumable.notes.interop.isComplete(answer.headers)
        if isComplete != true {
            if speaksAnother(answer) { return resumable.offerIsOver() }
            if mayBeBlamed(answer) {
                refusal = answer.status
                isOffering = false
                return resumable.offerIsOver()
            }
            let isKept = resumable.notes.upload != nil && TransferFailure.passes(answer.status)
            let isUnfinished = isComplete == false && ((200..<300).contains(answer.status) || answer.status == 413)
            if isKept || isUnfinished {
                // After a redirect, nothing is resumed.
                guard answer.redirectCount ?? 0 == 0 else { return resumable.abandon() }
                return resumable.answered(answer, lane: 0, now: now)
            }
        }
        if isComplete == true {
            finding = .taken(version: resumable.notes.interop.number)
        } else if finding == nil, answer.status < 300 {
            finding = .ignored
        }
        resumable.offerIsOver()
        plain.answered(resumable.secrets.hide(answer), lane: 0, now: now)
    }

    /// Tries another version of the protocol if the server names one, or is a tus server, which supports the common
    /// one.
    private mutating func speaksAnother(_ answer: Answer) -> Bool {
        let isNamed = answer.headers[ResumableVersion.header] != nil
        guard answer.status == 400 || answer.status == 412, isNamed || answer.headers["Tus-Resumable"] != nil else {
            return false
        }
        return resumable.speaksAnother(answer)
    }

    /// Whether a refusal may be due to the offer: the request is then repeated once without it.
    private func mayBeBlamed(_ answer: Answer) -> Bool {
        guard finding == nil, refusal == nil, resumable.notes.upload == nil else { return false }
        switch answer.status {
        case 412: return !isConditional
        case 406, 417, 431, 501: return true
        // These usually have other reasons: once a server's reaction to the offer is known, it is not asked twice.
        case 400, 403: return known == nil
        default: return false
        }
    }

    /// Compares the answer to the request without the offer with the preceding refusal.
    private mutating func compare(_ answer: Answer) {
        guard finding == nil, refusal != nil || isSuspected else { return }
        if answer.status < 300 { finding = .refused }
        if answer.status == refusal { finding = .ignored }
    }

    package mutating func broke(
        _ failure: TransferFailure,
        lane: Int,
        sent: Int64,
        now: Moment
    ) -> TransferFailure {
        guard stage == .offered || stage == .resuming else { return failure }
        return resumable.broke(failure, lane: lane, sent: sent, now: now)
    }

    // MARK: - Properties for the runner

    package var isResumable: Bool { resumable.notes.upload != nil || resumable.isTaken }

    package var memory: [UInt8]? { resumable.notes.upload != nil ? resumable.memory : plain.memory }

    package var acknowledged: Int64 { resumable.acknowledged }

    package var farewell: DialectRequest? { resumable.farewell }

    package var standing: String? { resumable.standing }
}
