// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Handles the answers of an S3 endpoint.
extension S3Upload {
    mutating func answered(_ request: Underway, _ answer: Answer, now: Moment) {
        let call = request.call
        if case .abort = call {
            // Ignores the answer: servers also forget uploads on their own later.
            abandoned = nil
            return
        }
        guard request.upload == notes.upload?.id else { return }
        let root = XMLElement.root(of: answer.bodyStart)
        // CompleteMultipartUpload answers 200 before the outcome is known.
        guard (200..<300).contains(answer.status), root?.name != "Error" else {
            return refused(request, S3Error(answer, root: root), now: now)
        }
        signer.accepted(request.mark)
        switch call {
        case .abort: break
        case .complete where root?.name != "CompleteMultipartUploadResult": mustLook = true
        case .put where contradicts(answer):
            let what = "the object that \(server) made at \(place)"
            fail(.contentMismatch, "\(what) has another checksum (SHA-256) than the file")
        case .put: end = .finish(answer)
        case .complete: end = .finish(Self.answer(answer, root))
        case .create: created(root)
        case .list: listed(root)
        case .part(let number): took(number, answer)
        case .head: looked(at: answer)
        }
    }

    /// The answer with the object's ETag and checksum among its headers, as after a PUT.
    private static func answer(_ answer: Answer, _ root: XMLElement?) -> Answer {
        var answer = answer
        for (name, element) in [("ETag", "ETag"), (S3Parameters.checksumField, "ChecksumSHA256")] {
            guard answer.headers[name] == nil, let value = root?.value(element), isTag(value) else { continue }
            answer.headers.append(HeaderField(name: name, value: value))
        }
        return answer
    }

    private mutating func created(_ root: XMLElement?) {
        guard let id = root?.value("UploadId"), (1...S3Memory.longestID).contains(id.utf8.count), let partSize,
            id.utf8.allSatisfy({ (33...126).contains($0) })
        else { return fail(.badServerResponse, "\(server) began a multipart upload without stating its ID") }
        notes.upload = S3Memory.Multipart(id: id, partSize: partSize, stored: 0)
        notes.mayBeThere = false
        forgetParts(.complete)
    }

    private mutating func took(_ number: Int, _ answer: Answer) {
        guard let tag = answer.headers["ETag"], Self.isTag(tag) else {
            return fail(.badServerResponse, "\(server) stored part \(number) of \(place) without an ETag")
        }
        took(number, StoredParts.Part(tag: tag, checksum: checksum(of: number)))
    }

    private static func isTag(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { (32...126).contains($0) }
    }

    /// A page of the parts that the server has.
    private mutating func listed(_ root: XMLElement?) {
        guard let root, root.name == "ListPartsResult", case .after(let before) = parts.listing else {
            return fail(.badServerResponse, "\(server) does not say which parts of \(place) it has")
        }
        var last = before
        for element in root.children where element.name == "Part" {
            guard let number = element.value("PartNumber").flatMap({ Int(digits: $0) }) else { continue }
            last = max(last, number)
            // A part of a different size is sent again, replacing that one.
            guard let tag = element.value("ETag"), Self.isTag(tag), let count = size(of: number),
                element.value("Size").flatMap({ Int64(digits: $0) }) == count
            else { continue }
            let checksum = element.value("ChecksumSHA256").flatMap { Self.isTag($0) ? $0 : nil }
            // Without its checksum, the parts could not be combined into an object.
            if parameters.usesChecksums, checksum == nil { continue }
            took(number, StoredParts.Part(tag: tag, checksum: checksum))
        }
        guard root.value("IsTruncated") == "true" else { return listed(.complete) }
        let next = root.value("NextPartNumberMarker").flatMap { Int(digits: $0) } ?? last
        guard next > before else {
            return fail(.badServerResponse, "\(server) lists the same parts of \(place) again and again")
        }
        listed(next < partCount ? .after(next) : .complete)
    }

    /// Handles the server's description of the existing object.
    private mutating func looked(at answer: Answer) {
        // The server knows our marker before it has any bytes.
        let isOurs = mayBeThere && answer.headers[S3Parameters.markerField] == parameters.marker
        let length = answer.headers["Content-Length"].flatMap { Int64(digits: $0) }
        if isOurs, length == nil || length == size { return end = .finish(answer) }
        if parameters.leavesExisting {
            abandon()
            return fail(.destinationConflict, "another object is already at \(place)")
        }
        fail(
            .commitUncertain,
            "\(server) no longer knows the upload to \(place), and another object is there: it may have replaced this one"
        )
    }

    // MARK: - Refusals

    private mutating func refused(_ request: Underway, _ error: S3Error, now: Moment) {
        let call = request.call
        let before = region
        switch signer.refused(error, request.mark, by: server, now: now) {
        case .signAgain:
            if region != before { notes.region = region }
            return
        case .final(let failure): return fail(failure)
        case .other: break
        }
        if error.passes { return pass(error) }
        switch (call, error.status, error.code) {
        case (.head, 404, _): nothingThere()
        case (.head, 401, _), (.head, 403, _): mayNotLook()
        case (.head, _, _): refusedForGood(call, error)
        case (_, _, "NoSuchUpload"), (.list, 404, ""), (.part, 404, ""): uploadGone()
        // In answers to other calls, 412 reveals nothing about the object.
        case (.put, 412, _), (.complete, 412, _): mustLook = true
        case (.complete, 409, _):
            // Another writer was faster, or is not finished. The parts cannot be used again.
            abandon()
            beginAgain()
        case (.put, 409, _): pass(error)
        case (_, _, "BadDigest"), (_, _, "XAmzContentSHA256Mismatch"), (_, _, "InvalidDigest"):
            if !forgetDigest(of: call) { doesNotStore() }
        case (.complete, 400, "InvalidPart"), (.complete, 400, "InvalidPartOrder"): partsAreInvalid()
        default: refusedForGood(call, error)
        }
    }

    /// Ends the attempt; the server may accept the same request later.
    private mutating func pass(_ error: S3Error) {
        var failure = TransferFailure.passing(error.answer, to: place)
        failure.detail = "\(server) answered \(error.words) to the upload to \(place)"
        fail(failure)
    }

    /// Handles parts that the server listed but does not find: at first the list is requested again, then all parts are
    /// sent again.
    private mutating func partsAreInvalid() {
        tries.invalidParts = tries.invalidParts.addingClamped(1)
        switch tries.invalidParts {
        case 1: forgetParts(.after(0))
        case 2: forgetParts(.complete)
        default: doesNotStore()
        }
    }

    /// Handles a key that may write but not read.
    private mutating func mayNotLook() {
        let key = "the key of \(parameters.object.keys.words)"
        fail(
            .commitUncertain,
            "the answer from \(server) was lost, and \(key) may not check whether \(place) exists (s3:GetObject, s3:ListBucket)"
        )
    }

    /// Called when the upload is lost and there is no object.
    private mutating func nothingThere() {
        mustLook = false
        // The upload was removed before it became an object, or the object was removed again.
        beginAgain()
    }

    private mutating func uploadGone() {
        if notes.mayBeThere { mustLook = true } else { beginAgain() }
    }

    /// Makes the server forget a useless upload that has not become an object.
    private mutating func abandon() {
        abandoned = notes.upload?.id
        notes.upload = nil
        notes.mayBeThere = false
    }

    /// Begins a new upload in place of one that is lost or useless.
    private mutating func beginAgain() {
        notes.upload = nil
        notes.mayBeThere = false
        forgetParts(.complete)
        if patience.lost() {
            fail(.serverMisbehaves, "\(server) repeatedly lost what it had of the upload to \(place)")
        }
    }

    private mutating func doesNotStore() {
        fail(.serverMisbehaves, "\(server) does not store the data it receives for \(place)")
    }

    private mutating func refusedForGood(_ call: S3Call, _ error: S3Error) {
        let bucket = parameters.location.bucket
        let said = error.message.map { ": \($0)" } ?? ""
        switch error.code {
        case "NoSuchBucket": fail(.destinationRefused, "there is no bucket '\(bucket)' at \(server)", error.status)
        case "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage":
            fail(.quotaExceeded, "there is no space left at \(server) (\(error.code))")
        case "EntityTooLarge": fail(.destinationRefused, "\(server) accepts no object of \(size) bytes")
        case "InvalidArgument" where call.isPart:
            fail(
                .destinationRefused,
                "\(server) does not accept so many parts\(said) (give its limit with --max-parts)"
            )
        case "NotImplemented" where parameters.leavesExisting:
            fail(.destinationRefused, "\(server) cannot leave an existing object alone (If-None-Match)")
        case _ where error.status == 507: fail(.quotaExceeded, "there is no space left at \(server)")
        case _ where error.status == 403:
            let who = parameters.object.keys.words
            let what = if case .list = call { "list the parts of its own upload to" } else { "write to" }
            fail(.accessKeyRefused, "\(who) may not \(what) \(place) (\(error.words))", 403)
        case _ where (300..<400).contains(error.status):
            fail(
                .badServerResponse,
                "\(server) sends requests for \(place) elsewhere (\(error.words)): name the bucket's own endpoint and region"
            )
        case _ where error.status == 404 && error.code.isEmpty:
            fail(.httpStatus, "\(server) answered 404 to the upload: it does not speak S3, or has no such bucket", 404)
        default: fail(.httpStatus, "\(server) answered \(error.words) to the upload\(said)", error.status)
        }
    }

    private mutating func fail(_ code: TransferFailure.Code, _ detail: String, _ status: Int? = nil) {
        fail(TransferFailure(code, detail, status: status))
    }

    /// Ends the attempt with a failure. Of several failures, the first counts, with the longest wait that the server
    /// requests.
    private mutating func fail(_ failure: TransferFailure) {
        guard case .fail(var first)? = end else {
            end = .fail(failure)
            return
        }
        guard let wait = failure.retryAfter, first.code == failure.code, wait > first.retryAfter ?? 0 else { return }
        first.retryAfter = wait
        end = .fail(first)
    }
}

extension S3Call {
    fileprivate var isPart: Bool { if case .part = self { true } else { false } }
}
