// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Handles the answers of a tus server.
extension TusUpload {
    mutating func answered(_ call: TusCall, _ answer: Answer, seconds: Double) {
        switch answer.status {
        // OPTIONS is optional, and some servers fail on it.
        case 500 where call == .discover: break
        case 501: break
        case let status where TransferFailure.passes(status):
            if case .append = call { notes.chunk.shrink() }
            return end = .fail(.passing(answer, to: place))
        case 401, 407: return end = .finish(answer)
        case 412: return fail(.badServerResponse, "the server does not speak tus \(TusRequests.version) at \(place)")
        default: break
        }
        switch call {
        case .discover: discovered(answer)
        case .create: created(answer)
        case .locate: located(answer)
        case .append(let range): appended(range, answer, seconds: seconds)
        }
    }

    // MARK: - Before the first byte

    private mutating func discovered(_ answer: Answer) {
        guard (200..<300).contains(answer.status) else {
            // OPTIONS is optional; creating the upload reveals what matters.
            notes.server = TusServer()
            return
        }
        do throws(TusServer.Problem) {
            notes.server = try TusServer(answer.headers, size: size)
        } catch {
            switch error {
            case .version(let versions):
                fail(
                    .badServerResponse,
                    "the server at \(place) speaks tus \(String(versions.prefix(40)).redactedControls), not \(TusRequests.version)"
                )
            case .noCreation: fail(.httpStatus, "the tus server at \(place) does not let clients create uploads")
            case .tooLarge(let most):
                fail(.destinationRefused, "the tus server at \(place) accepts no file of more than \(most) bytes")
            }
        }
    }

    private mutating func created(_ answer: Answer) {
        switch answer.status {
        case 200..<300: accepted(answer)
        case 300..<400:
            fail(
                .httpStatus,
                "the server redirects the creation of a tus upload at \(place): use the URL that it redirects to",
                answer.status
            )
        case 413: fail(.destinationRefused, "the tus server at \(place) accepts no file of \(size) bytes")
        case 404, 405, 415, 501:
            let words = "the server answered \(StatusText.of(answer.status))"
            fail(.httpStatus, "\(words) to the creation of a tus upload: \(place) is not a tus endpoint", answer.status)
        default: end = .finish(answer)
        }
    }

    /// Handles the server's answer that it has created the upload.
    private mutating func accepted(_ answer: Answer) {
        guard answer.headers["Location"] != nil else {
            return fail(
                .badServerResponse,
                "the server created an upload at \(place) without saying where (no Location): it is not a tus endpoint"
            )
        }
        guard let url = KeptUpload.url(in: answer.headers, of: requests.endpoint) else {
            return fail(
                .badServerResponse,
                "the server created an upload at \(place) and named a Location that cannot be used"
            )
        }
        notes.upload = KeptUpload(url: url, acknowledged: 0, sent: 0)
        secrets.add(notes.upload)
        record(expiry(answer))
        mustLocate = false
        if size == 0 { end = .finish(answer) }
    }

    // MARK: - Offsets

    private mutating func located(_ answer: Answer) {
        switch answer.status {
        case 200..<300:
            mustLocate = false
            if let text = answer.headers["Upload-Length"], Int64(digits: text) != size { return beginAgain() }
            guard let offset = KeptUpload.offset(answer.headers) else {
                return fail(.badServerResponse, "the server does not say how much of the upload at \(place) it has")
            }
            record(expiry(answer))
            stored(offset, answer)
            if end == nil, let refusal { end = .finish(refusal) }
            refusal = nil
        case 404, 410: gone()
        case 403:
            // Another attempt is the user's decision, and begins a new upload.
            notes.upload = nil
            end = .finish(answer)
        default: end = .finish(answer)
        }
    }

    // MARK: - Chunks

    private mutating func appended(_ range: Range<Int64>, _ answer: Answer, seconds: Double) {
        switch answer.status {
        case 200..<300:
            record(expiry(answer))
            guard let offset = KeptUpload.offset(answer.headers) else {
                mustLocate = true
                return setBack()
            }
            stored(offset, answer)
            if offset == range.upperBound {
                if Int64(range.count) >= notes.chunk.current { notes.chunk.grow(after: seconds) }
            } else {
                setBack()
            }
        case 409:
            mustLocate = true
            setBack()
        case 460:
            forgetDigest()
            mustLocate = true
            setBack(cost: ServerPatience.costOfSendingAgain)
        case 404, 410: gone()
        case 403:
            // Some servers refuse everything once an upload is complete.
            refusal = answer
            mustLocate = true
        case 400 where saysItWasCutShort(answer):
            mustLocate = true
            setBack()
        case 405 where !notes.overridesMethod, 501 where !notes.overridesMethod:
            // Proxies may not know PATCH.
            notes.overridesMethod = true
            mustLocate = true
        case 413:
            mustLocate = true
            guard notes.chunk.refuse(Int64(range.count)) else {
                return fail(.badServerResponse, "the server accepts no chunk of the upload at \(place), however short")
            }
        default: end = .finish(answer)
        }
    }

    /// Recognizes tusd's message for a request whose body did not arrive whole.
    private func saysItWasCutShort(_ answer: Answer) -> Bool {
        let text = String(decoding: answer.bodyStart.prefix(200), as: UTF8.self)
        return text.hasPrefix("ERR_UPLOAD_INTERRUPTED") || text.hasPrefix("ERR_UNEXPECTED_EOF")
    }

    /// Handles the server's report that it has this many bytes.
    private mutating func stored(_ offset: Int64, _ answer: Answer) {
        switch notes.upload?.acknowledge(offset) {
        case .progress(let bytes): patience.stored(bytes)
        case .unchanged, nil: break
        case .loss: loseOnce()
        case .impossible: return beginAgain()
        }
        if offset == size { end = .finish(answer) }
    }

    /// When the upload expires, as the server states it; nil if it states nothing that could be a date.
    private func expiry(_ answer: Answer) -> String? {
        answer.headers["Upload-Expires"].flatMap { $0.utf8.count <= 40 ? secrets.hide($0) : nil }
    }

    private mutating func record(_ expiry: String?) {
        if let expiry { notes.upload?.expires = expiry }
    }

    // MARK: - Trouble

    /// Called when the server no longer knows the upload.
    private mutating func gone() {
        guard notes.upload != nil else { return }
        guard sentBefore < size else {
            // The last chunk may have arrived: then the upload was complete, and a second one would be a second file.
            notes.upload = nil
            return fail(
                .commitUncertain,
                "it is not known whether the server at \(place) completed the upload before it removed it"
            )
        }
        beginAgain()
    }

    /// Abandons a useless upload: it is not a file yet.
    private mutating func beginAgain() {
        notes.upload = nil
        mustLocate = false
        refusal = nil
        loseOnce()
    }

    private mutating func loseOnce() {
        if patience.lost() {
            fail(.serverMisbehaves, "the server at \(place) repeatedly lost what it had of the upload")
        }
    }

    /// Continues after an answer that stored nothing, or not all, but not forever.
    private mutating func setBack(cost: Int = 1) {
        if patience.setBack(cost: cost), end == nil {
            fail(.serverMisbehaves, "the server at \(place) does not store the data it receives")
        }
    }

    private mutating func fail(_ code: TransferFailure.Code, _ detail: String, _ status: Int? = nil) {
        end = .fail(TransferFailure(code, detail, status: status))
    }
}
