// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Handles the answers of a server, which may or may not support the IETF's protocol.
extension ResumableUpload {
    mutating func answered(_ call: Call, _ answer: Answer) {
        let isComplete = notes.interop.isComplete(answer.headers)
        if call != .locate, isComplete == true {
            // An upload that is complete without all of the file is another file.
            if (200..<300).contains(answer.status), !mayBeWhole(after: call) { return beginAgain() }
            // The target's own answer, whatever it is: the data has arrived, and must not be sent again.
            notes.upload = nil
            return end = .finish(answer)
        }
        switch call {
        case .create, .reserve: created(call, answer, isComplete)
        case .locate: located(answer, isComplete)
        case .append(let range): appended(range, answer, isComplete)
        }
    }

    /// Whether all bytes of the file have been sent, once a call has succeeded.
    private func mayBeWhole(after call: Call) -> Bool {
        switch call {
        case .create: true
        case .reserve: size == 0
        case .locate, .append: notes.upload?.mayBeWhole(size: size) ?? false
        }
    }

    // MARK: - The owner's request

    private mutating func created(_ call: Call, _ answer: Answer, _ isComplete: Bool?) {
        if (400..<500).contains(answer.status), speaksAnother(answer) { return }
        switch answer.status {
        case 200..<300 where isComplete == false || call == .reserve: accepted(call, answer)
        case 300..<400:
            notes.upload = nil
            fail(
                .httpStatus,
                "the server redirects the upload to \(place): use the URL that it redirects to",
                answer.status
            )
        case 413 where call == .create && notes.interop.isComplete(answer.headers) == false:
            // The protocol's own refusal: the file is sent in shorter requests.
            apply(UploadLimits(answer.headers))
            guard notes.mostPerAppend != nil else { return finish(answer) }
            notes.upload = nil
            mustReserve = true
            setBack()
        case let status where notes.upload != nil && TransferFailure.passes(status):
            // The received bytes can be resumed.
            end = .fail(.passing(answer, to: place))
        default: refused(answer)
        }
    }

    /// Handles an answer by which the server keeps an incomplete upload.
    private mutating func accepted(_ call: Call, _ answer: Answer) {
        guard let url = KeptUpload.url(in: answer.headers, of: requests.target) ?? notes.upload?.url else {
            let words =
                "the server accepted the beginning of the upload to \(place), but does not say where to resume it"
            return fail(.badServerResponse, "\(words): use --protocol plain")
        }
        apply(UploadLimits(answer.headers))
        notes.isSettled = true
        notes.upload = KeptUpload(url: url, acknowledged: 0, sent: call == .create ? size : 0)
        secrets.add(notes.upload)
        mustLocate = call == .create
        if let offset = KeptUpload.offset(answer.headers), call == .create { stored(offset) }
    }

    /// Tries another version once: a server that refuses one names its own, or supports the common one.
    mutating func speaksAnother(_ answer: Answer) -> Bool {
        guard !notes.isSettled, answer.headers[ResumableVersion.header] != nil || answer.status == 412 else {
            return false
        }
        let other = ResumableVersion(answer.headers) ?? .common
        guard other != notes.interop else { return false }
        notes.interop = other
        notes.isSettled = true
        return true
    }

    // MARK: - Offsets

    private mutating func located(_ answer: Answer, _ isComplete: Bool?) {
        switch answer.status {
        case 200..<300:
            mustLocate = false
            if let text = answer.headers["Upload-Length"], Int64(digits: text) != size { return beginAgain() }
            guard let offset = KeptUpload.offset(answer.headers) else {
                return fail(.badServerResponse, "the server does not say how much of the upload to \(place) it has")
            }
            apply(UploadLimits(answer.headers))
            if isComplete == true {
                // The target's answer is lost: only the completion of the upload can be reported.
                guard offset == size, mayBeWhole(after: .locate) else { return beginAgain() }
                var answer = answer
                answer.wasFetched = true
                return finish(answer)
            }
            stored(offset)
        case 404, 410: gone()
        case 401, 407: end = .finish(answer)
        case 501 where isOffer: abandon()
        case 500 where isOffer: putOff(answer)
        // A busy or restarting server still has the bytes that it kept.
        case let status where TransferFailure.passes(status): end = .fail(.passing(answer, to: place))
        // The server does not report the upload's status.
        case _ where mustNotRepeat(after: sentBefore): endUncertain()
        // Another attempt is the user's decision, and starts over.
        default: refused(answer)
        }
    }

    // MARK: - The rest of the file

    private mutating func appended(_ range: Range<Int64>, _ answer: Answer, _ isComplete: Bool?) {
        switch answer.status {
        case 200..<300:
            // If it does not mention the protocol, the answer to the last bytes is the target's.
            if isComplete != false, range.upperBound >= size { return finish(answer) }
            stored(KeptUpload.offset(answer.headers) ?? range.upperBound)
            // Otherwise nearly the same bytes would be sent again at once, forever.
            if let stored = notes.upload?.acknowledged,
                stored == size || !patience.isProgress(stored.subtractingClamped(range.lowerBound))
            {
                setBack()
            }
        case 409 where isComplete == false:
            if let offset = KeptUpload.offset(answer.headers) { stored(offset) } else { mustLocate = true }
            setBack()
        case 404, 410: gone()
        case 413:
            apply(UploadLimits(answer.headers))
            let count = Int64(range.count)
            guard count > UploadLimits.shortestAppend else {
                return fail(.badServerResponse, "the server accepts no part of the upload to \(place), however short")
            }
            mustLocate = true
            // Half of it, unless the server states a limit. It could lower that by a byte each time, so this counts
            // setbacks.
            let half = max(UploadLimits.shortestAppend, count / 2)  // checked: a half
            if notes.mostPerAppend.map({ $0 >= count }) ?? true { notes.mostPerAppend = half } else { setBack() }
        case 401, 407: end = .finish(answer)
        case 501 where isOffer: abandon()
        case let status where TransferFailure.passes(status): putOff(answer)
        // It may be an intermediary's answer, or the server's final one: such an upload is not resumed.
        default: refused(answer)
        }
    }

    /// The server reports that it has this many bytes.
    private mutating func stored(_ offset: Int64) {
        switch notes.upload?.acknowledge(offset) {
        case .progress(let bytes):
            patience.stored(bytes)
            notes.refusals = 0
        case .unchanged, nil: break
        case .loss: loseOnce()
        case .impossible: return beginAgain()
        }
        mustLocate = false
    }

    /// Limits are never raised again: otherwise a server that states a limit and then refuses it would be asked
    /// forever.
    mutating func apply(_ limits: UploadLimits?) {
        if let most = limits?.mostPerAppend { notes.mostPerAppend = min(notes.mostPerAppend ?? most, most) }
    }

    /// Gives up a server that takes so little at once that the remainder would need countless requests.
    mutating func endIfLimited() {
        guard end == nil, !isAbandoned, !mustLocate, mustReserve || notes.upload != nil, let most = notes.mostPerAppend,
            !UploadLimits.allow(most, rest: size.subtractingClamped(notes.upload?.acknowledged ?? 0))
        else { return }
        fail(
            .badServerResponse,
            "the server takes only \(most) bytes at once of the upload to \(place): use --protocol plain"
        )
    }

    // MARK: - Trouble

    /// Ends the attempt with an answer that may be temporary. A server that keeps a part of a plain upload and always
    /// refuses the remainder must not postpone it forever.
    private mutating func putOff(_ answer: Answer) {
        notes.refusals += 1
        guard isOffer, notes.refusals > Self.mostRefusals else { return end = .fail(.passing(answer, to: place)) }
        abandon()
        isPutOff = isAbandoned
    }

    private static let mostRefusals = 5

    /// Handles a refusal, by the server or an intermediary, to resume the upload.
    private mutating func refused(_ answer: Answer) {
        guard isOffer else { return finish(answer) }
        // A request that was refused has not completed the upload.
        abandon(sent: answer.status < 500 ? sentBefore : notes.upload?.sent)
    }

    /// Stops resuming: the whole file is sent in a plain request, unless that could send it a second time.
    mutating func abandon() { abandon(sent: notes.upload?.sent) }

    /// - Parameter sent: the end of the bytes that the server may have; nil if it has no upload.
    private mutating func abandon(sent: Int64?) {
        if mustNotRepeat(after: sent) { return endUncertain() }
        notes.upload = nil
        mustLocate = false
        mustReserve = false
        isAbandoned = true
    }

    /// Ends with the target's answer, after which nothing is resumed.
    private mutating func finish(_ answer: Answer) {
        notes.upload = nil
        end = .finish(answer)
    }

    /// Called when the server no longer knows the upload.
    private mutating func gone() {
        guard notes.upload != nil else { return }
        // All bytes were sent: it may have been completed and removed, and a second request would be a second upload.
        guard sentBefore < size || isOffer && !isSentOnce else { return endUncertain() }
        beginAgain(sent: sentBefore)
    }

    /// Whether the file must be sent only once, and the server may already have all of it. `sent` is the end of the
    /// bytes that it may have; nil if it has no upload.
    private func mustNotRepeat(after sent: Int64?) -> Bool { isSentOnce && sent.map { $0 >= size } ?? false }

    /// Ends the attempt: the server may have completed the upload, which cannot be determined.
    private mutating func endUncertain() {
        notes.upload = nil
        mustLocate = false
        let words = isSentOnce ? ", and it must not be sent twice" : " before it forgot it"
        let unknown = "it is not known whether the server completed the upload to \(place)"
        end = .fail(TransferFailure(.commitUncertain, "\(unknown)\(words)"))
    }

    /// Abandons a useless upload.
    private mutating func beginAgain() { beginAgain(sent: notes.upload?.sent) }

    /// - Parameter sent: the end of the bytes that the server may have; nil if it has no upload.
    private mutating func beginAgain(sent: Int64?) {
        if mustNotRepeat(after: sent) { return endUncertain() }
        notes.upload = nil
        mustLocate = false
        loseOnce()
    }

    private mutating func loseOnce() {
        if patience.lost() {
            fail(.serverMisbehaves, "the server repeatedly lost what it had of the upload to \(place)")
        }
    }

    /// Continues after an answer that stored nothing or almost nothing, but not forever.
    private mutating func setBack() {
        if patience.setBack(), end == nil {
            fail(.serverMisbehaves, "the server does not store the data it receives for \(place)")
        }
    }

    private mutating func fail(_ code: TransferFailure.Code, _ detail: String, _ status: Int? = nil) {
        if isOffer { return abandon() }
        end = .fail(TransferFailure(code, detail, status: status))
    }
}
