// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Handles the answers of Google Cloud Storage.
extension GCSUpload {
    /// - Parameters:
    ///   - call: the answered call.
    ///   - answer: the server's answer.
    ///   - shown: the same answer, as people may see it; also used in sentences.
    ///   - seconds: how long it took.
    mutating func answered(_ call: GCSCall, _ answer: Answer, _ shown: Answer, seconds: Double) {
        if case .remove = call { return removed(answer) }
        let error = GCSError(shown)
        switch answer.status {
        case 200..<300: accepted(call, answer, shown)
        case 308 where call.isOfSession: stands(call, answer, seconds: seconds)
        // For an upload that is gone, Google states a reason that is usually temporary, but here it is not.
        case 404, 410,
            499 where call.isOfSession:
            refused(call, error)
        case _ where error.passes:
            if case .append = call { notes.chunk.shrink() }
            pass(error)
        default: refused(call, error)
        }
    }

    private mutating func accepted(_ call: GCSCall, _ answer: Answer, _ shown: Answer) {
        if !call.isOfSession { tries.hasRenewedToken = false }
        switch call {
        case .begin: begun(answer)
        case .ask, .append: took(call, answer, shown)
        case .look: looked(at: answer, shown)
        case .remove: break
        }
    }

    // MARK: - The upload

    private mutating func begun(_ answer: Answer) {
        // The file may go only where the token went.
        guard let url = KeptUpload.url(in: answer.headers, of: requests.object),
            url.unredacted.hasPrefix("\(parameters.base)/")
        else {
            let what = answer.headers["Location"] == nil ? "without saying where" : "at another server"
            return fail(
                .badServerResponse,
                "\(server) began the upload to \(place) \(what): it does not speak Google's resumable protocol"
            )
        }
        notes.upload = KeptUpload(url: url, acknowledged: 0, sent: 0)
        secrets.add(notes.upload)
        mustAsk = false
    }

    /// Handles an answer that the server has bytes of the file, but no object yet.
    private mutating func stands(_ call: GCSCall, _ answer: Answer, seconds: Double) {
        guard let count = Self.count(answer.headers) else {
            return fail(.badServerResponse, "\(server) does not say how much of the upload to \(place) it has")
        }
        mustAsk = false
        // Chunks begin at whole units. Bytes that are sent again are not stored again.
        let offset = count < size ? count / GCSMemory.unit * GCSMemory.unit : count  // checked: not more than before
        switch notes.upload?.acknowledge(offset) {
        case .progress(let bytes): patience.stored(bytes)
        case .unchanged, nil: if call != .ask { setBack() }
        case .loss: loseOnce()
        case .impossible: return beginAgain()
        }
        if case .append(let range) = call, offset == range.upperBound { notes.chunk.grow(after: seconds) }
        guard offset == size, call == .ask else { return }
        tries.unmade = tries.unmade.addingClamped(1)
        if tries.unmade > 1 {
            fail(
                .serverBusy,
                "\(server) has all bytes of the upload to \(place), but has not made an object of them yet"
            )
        }
    }

    /// How many bytes the server has: those of `Range: bytes=0-…`, or none without that field.
    private static func count(_ headers: [HeaderField]) -> Int64? {
        guard let text = headers["Range"] else { return 0 }
        let name = "bytes=0-"
        guard text.hasPrefix(name), let last = Int64(digits: text.dropFirst(name.count)) else { return nil }
        let (count, isTooLarge) = last.addingReportingOverflow(1)
        return isTooLarge ? nil : count
    }

    /// Handles the server's report that it has made the object.
    private mutating func took(_ call: GCSCall, _ answer: Answer, _ shown: Answer) {
        if let object = GCSObject(answer) {
            return found(object, shown, isWhole: notes.upload?.mayBeWhole(size: size) ?? false)
        }
        guard call != .ask else {
            return fail(.badServerResponse, "\(server) does not describe the object that it made at \(place)")
        }
        mustAsk = true
        setBack()
    }

    /// Handles the server's description of the object that it made of the file.
    private mutating func found(_ object: GCSObject, _ answer: Answer, isWhole: Bool) {
        made = (object, answer, isWhole)
        if notes.hashed == size { compare() }
    }

    /// Compares the object with the file, all of which is hashed. An object without a checksum counts only if the
    /// server can have all bytes.
    mutating func compare() {
        guard let (object, answer, isWhole) = made else { return }
        made = nil
        if object.size == size, object.checksum.map({ $0 == notes.checksum }) ?? isWhole {
            return end = .finish(withoutSession(answer))
        }
        notes.upload = nil
        notes.mayBeThere = false
        let what =
            object.size != size
            ? "\(object.size) bytes, not \(size)"
            : object.checksum == nil
                ? "no checksum (CRC32C), and not all of the file was sent" : "another checksum (CRC32C) than the file"
        fail(.contentMismatch, "the object that \(server) made at \(place) has \(what)")
        // An object of another upload is left alone.
        wrong = object.marker == parameters.marker ? object.generation : nil
    }

    private mutating func removed(_ answer: Answer) {
        wrong = nil
        guard case .fail(var failure)? = end, (200..<300).contains(answer.status) || answer.status == 404 else {
            return
        }
        failure.detail += ", and was removed again"
        end = .fail(failure)
    }

    /// The answer as the transfer reports it, without its fields about the upload, whose URL is a secret.
    private func withoutSession(_ answer: Answer) -> Answer {
        var answer = answer
        answer.finalURL = requests.object.unredacted
        answer.headers.removeAll { ["location", "x-guploader-uploadid"].contains($0.name.lowercased()) }
        return answer
    }

    /// Handles the server's description of the existing object after an upload was lost.
    private mutating func looked(at answer: Answer, _ shown: Answer) {
        mustLook = false
        guard let object = GCSObject(answer) else {
            return fail(.badServerResponse, "\(server) does not describe the object at \(place)")
        }
        if object.marker == parameters.marker {
            // It may be from an earlier upload, and is left alone.
            guard notes.mayBeThere || object.checksum != nil else {
                return fail(
                    .commitUncertain,
                    "\(server) states no checksum of the object at \(place): it is not known whether that is the file"
                )
            }
            return found(object, shown, isWhole: true)
        }
        notes.mayBeThere = false
        if parameters.leavesExisting {
            return fail(.destinationConflict, "another object is already at \(place)")
        }
        fail(
            .commitUncertain,
            "\(server) no longer knows the upload to \(place), and another object is there: it may have replaced this one"
        )
    }

    // MARK: - Refusals

    private mutating func refused(_ call: GCSCall, _ error: GCSError) {
        switch (call, error.status) {
        case (.ask, 404), (.ask, 410), (.ask, 499), (.append, 404), (.append, 410), (.append, 499): gone()
        case (.append(let range), 413):
            if !notes.chunk.refuse(Int64(range.count)) { return refusedForGood(call, error) }
            mustAsk = true
        case (.ask, 412), (.append, 412),
            (.begin, 412) where parameters.leavesExisting:
            // Only a completely sent upload can have become the object.
            let isWhole = notes.upload?.mayBeWhole(size: size) ?? false
            (notes.upload, notes.mayBeThere, mustLook) = (nil, isWhole, true)
        // The bytes differ from those that were hashed, or the server rejects the request.
        case (.ask, 400), (.append, 400), (.ask, 416), (.append, 416):
            tries.refusals = tries.refusals.addingClamped(1)
            if tries.refusals > 1 { return refusedForGood(call, error) }
            (notes.hashed, notes.checksum) = (0, CRC32C())
            beginAgain()
        case (.begin, 401), (.look, 401):
            if !renewToken() { fail(.accessKeyRefused, "\(server) does not accept the token from \(identity)") }
        case (.look, 404):
            // The upload was removed before it became an object, or the object was removed again.
            beginAgain()
        case (.look, 403):
            fail(
                .commitUncertain,
                "the answer from \(server) was lost, and \(identity) may not check whether \(place) exists (storage.objects.get)"
            )
        default: refusedForGood(call, error)
        }
    }

    /// Called when the server no longer knows the upload.
    private mutating func gone() {
        guard let upload = notes.upload else { return }
        guard upload.mayBeWhole(size: size) else { return beginAgain() }
        // All bytes were sent: it may have become an object before it was forgotten.
        notes.upload = nil
        notes.mayBeThere = true
    }

    /// Begins a new upload in place of one that is lost or useless.
    private mutating func beginAgain() {
        notes.upload = nil
        notes.mayBeThere = false
        (mustAsk, mustLook) = (false, false)
        loseOnce()
    }

    private mutating func loseOnce() {
        if patience.lost() {
            fail(.serverMisbehaves, "\(server) repeatedly lost what it had of the upload to \(place)")
        }
    }

    /// Continues after an answer that stored nothing, but not forever.
    private mutating func setBack() {
        if patience.setBack() {
            fail(.serverMisbehaves, "\(server) does not store the data it receives for \(place)")
        }
    }

    /// Ends the attempt; the server may accept the same request later.
    private mutating func pass(_ error: GCSError) {
        var failure = TransferFailure.passing(error.answer, to: place)
        failure.detail = "\(server) answered \(error.words) to the upload to \(place)"
        end = .fail(failure)
    }

    private mutating func refusedForGood(_ call: GCSCall, _ error: GCSError) {
        let bucket = parameters.location.bucket
        let said = error.message.map { ": \($0)" } ?? ""
        switch error.status {
        case 404 where call == .begin:
            fail(.destinationRefused, "there is no bucket '\(bucket)' at \(server)", 404)
        case 401, 403: fail(.accessKeyRefused, "\(identity) may not write to \(place) (\(error.words))", error.status)
        case 412: fail(.destinationRefused, "\(server) does not accept the object at \(place) (\(error.words))", 412)
        case 413: fail(.destinationRefused, "\(server) accepts no object of \(size) bytes", 413)
        case 507: fail(.quotaExceeded, "there is no space left at \(server)", 507)
        case 300..<400:
            fail(
                .badServerResponse,
                "\(server) sends requests for \(place) elsewhere (\(error.words)): name the server itself with --endpoint-url"
            )
        default: fail(.httpStatus, "\(server) answered \(error.words) to the upload\(said)", error.status)
        }
    }

    private mutating func fail(_ code: TransferFailure.Code, _ detail: String, _ status: Int? = nil) {
        if case .fail? = end { return }
        end = .fail(TransferFailure(code, detail, status: status))
    }
}
