// SPDX-License-Identifier: Apache-2.0

/// The meaning of a response for a download that may have asked for the rest of a partial file.
package enum RangeDecision: Sendable, Equatable {
    /// The body goes to the file from this byte on; the whole file will have this length, if known.
    case write(from: Int64, total: Int64?)
    /// The partial file is not the beginning of the server's current content: begin again without a range.
    case beginAgain(serverIgnoresRanges: Bool)
    /// The answer contradicts itself.
    case refuse(TransferFailure)
    /// Not a file: the body is the text of an error or belongs to the answer.
    case notTheFile

    /// Decides about a response to a request for the bytes from `offset` on (0: no range was requested).
    ///
    /// - Parameters:
    ///   - head: the final response's status and headers.
    ///   - offset: the first byte asked for.
    ///   - partial: the facts about the partial file; only used if `offset` is above 0.
    ///   - ownRange: the request's `Range` if its owner set one: a 206 with that range is then the answer, and the
    ///     offset is 0.
    ///   - isDecoded: whether a whole file would be decoded, in which case the bytes before `offset` have no content
    ///     coding.
    ///   - keepsErrorBodies: whether a status of 400 or more still fills the file (Apple's rule).
    /// - Returns: the use of the body.
    package static func decide(
        _ head: ResponseHead,
        offset: Int64,
        partial: PartialDownload?,
        ownRange: String? = nil,
        isDecoded: Bool = false,
        keepsErrorBodies: Bool
    ) -> RangeDecision {
        guard head.status > 0 else { return lie("sent an invalid status line") }
        // After a 101 the connection is no longer HTTP.
        guard head.status >= 200 else { return lie("answered \(head.status), which is not a final answer") }
        if head.status == 416, offset > 0 { return .beginAgain(serverIgnoresRanges: false) }
        if head.status >= 300, !keepsErrorBodies { return .notTheFile }
        if case .nonsense(let text) = head.statedLength { return lie(text) }
        if head.status == 206, let ownRange, offset == 0 { return decideOwnRange(head, ownRange) }
        if head.status == 206 {
            // Coded bytes cannot follow decoded ones.
            let isDecodable = !ResponseHead(status: 200, headers: head.headers).codings.isEmpty
            if offset > 0, isDecoded, isDecodable { return .beginAgain(serverIgnoresRanges: true) }
            if offset > 0, hasOtherCoding(head, than: partial) { return .beginAgain(serverIgnoresRanges: false) }
            return decidePartialContent(head, offset: offset, partial: partial)
        }
        if (200..<300).contains(head.status), offset > 0 {
            let isSame = partial?.validator != nil && head.validator == partial?.validator
            return .beginAgain(serverIgnoresRanges: isSame)
        }
        // An error's body replaces any existing content, as the file of an answered transfer.
        if offset > 0 { return .beginAgain(serverIgnoresRanges: false) }
        return decideWhole(head)
    }

    /// Whether the rest is coded differently from the beginning, whatever its ETag says.
    ///
    /// A 206 may leave the coding out (RFC 9110, section 15.3.7.1). In that case only a known length shows that the
    /// coding is the same.
    private static func hasOtherCoding(_ head: ResponseHead, than partial: PartialDownload?) -> Bool {
        guard let coding = head.coding else { return partial?.coding != nil && partial?.totalBytes == nil }
        return coding != partial?.coding
    }

    /// Decides about a response to a request for a piece of a file: only that piece of that file is written.
    ///
    /// - Parameters:
    ///   - head: the final response's status and headers.
    ///   - first: the first byte asked for.
    ///   - end: the byte after the last one asked for.
    ///   - partial: the facts about the file, from the answer to the first request.
    /// - Returns: the use of the body.
    package static func decide(
        _ head: ResponseHead,
        piece first: Int64,
        before end: Int64,
        of partial: PartialDownload?
    ) -> RangeDecision {
        guard head.status >= 200 else { return lie("sent an invalid status line") }
        if head.status == 416 { return .beginAgain(serverIgnoresRanges: false) }
        if head.status >= 300 { return .notTheFile }
        let validator = partial?.validator
        guard head.status == 206 else {
            let isSame = validator != nil && head.validator == validator
            return .beginAgain(serverIgnoresRanges: isSame || partial?.isAdopted == true)
        }
        if case .nonsense(let text) = head.statedLength { return lie(text) }
        guard !head.isMultipart, let (range, total) = head.contentRange else {
            return lie("sent 206 without a usable Content-Range")
        }
        guard range.first == first, range.end == end else {
            let last = end.subtractingClamped(1)
            return lie("sent bytes \(range.first) to \(range.last) where \(first) to \(last) were requested")
        }
        if case .bytes(let length) = head.statedLength, length != range.count {
            return lie("sent a Content-Length and a Content-Range that disagree")
        }
        guard let total, total == partial?.totalBytes, head.hasNoCoding else {
            return .beginAgain(serverIgnoresRanges: total == nil)
        }
        let isSame =
            switch validator {
            // A 206 has the ETag that a 200 would have (RFC 9110, section 15.3.7); it may leave out the date.
            case .strongETag(let tag): head.headers["ETag"] == tag
            case .lastModified(let date): head.headers["Last-Modified"].map { $0 == date } ?? true
            // The first answer of another address: only the length can be compared.
            case nil: partial?.isAdopted == true
            }
        return isSame ? .write(from: first, total: end) : .beginAgain(serverIgnoresRanges: false)
    }

    /// Decides about a response that should hold the whole file.
    private static func decideWhole(_ head: ResponseHead) -> RangeDecision {
        let length: Int64? = if case .bytes(let length) = head.statedLength { length } else { nil }
        if head.status == 204 || head.status == 205 {
            // RFC 9110, sections 15.3.5 and 15.3.6: no content, whatever the headers say.
            guard length ?? 0 == 0 else { return lie("answered \(head.status), which has no content, with content") }
            return .write(from: 0, total: 0)
        }
        if head.status == 200, let (range, total) = head.contentRange, range.first > 0 || total ?? range.end > range.end
        {
            return lie("sent a part of the file as if it were the whole")
        }
        return .write(from: 0, total: length)
    }

    /// Decides about a part of the file that the owner has requested.
    private static func decideOwnRange(_ head: ResponseHead, _ text: String) -> RangeDecision {
        let length: Int64? = if case .bytes(let length) = head.statedLength { length } else { nil }
        let asked = RequestedRange(text)
        guard !head.isMultipart, let (range, total) = head.contentRange else {
            // Several ranges come as one body that describes its parts; ranges in another unit are the owner's
            // business.
            guard asked == nil else { return lie("sent 206 without a usable Content-Range") }
            return .write(from: 0, total: length)
        }
        if let length, length != range.count {
            return lie("sent a Content-Length and a Content-Range that disagree")
        }
        if let asked, !asked.isMet(by: range, of: total) {
            return lie("sent bytes \(range.first) to \(range.last) where \(text) was requested")
        }
        return .write(from: 0, total: range.count)
    }

    private static func decidePartialContent(
        _ head: ResponseHead,
        offset: Int64,
        partial: PartialDownload?
    ) -> RangeDecision {
        guard !head.isMultipart, let (range, stated) = head.contentRange else {
            return lie("sent 206 without a usable Content-Range")
        }
        guard range.first == offset else {
            return lie("sent bytes from \(range.first) where \(offset) was requested")
        }
        if case .bytes(let length) = head.statedLength, length != range.count {
            return lie("sent a Content-Length and a Content-Range that disagree")
        }
        if let stated, range.end != stated { return lie("sent only part of the requested range") }
        if partial?.isAdopted == true {
            // Bytes from another server: they can be combined only if the length is the same and there is no coding.
            let hasNoCoding = head.hasNoCoding && partial?.coding == nil
            let isAlike = stated != nil && stated == partial?.totalBytes && hasNoCoding
            return isAlike ? .write(from: offset, total: stated) : .beginAgain(serverIgnoresRanges: false)
        }
        if let known = partial?.totalBytes, offset > 0 {
            // If the response does not state the file's length, the file must be at least as long as before.
            if known != range.end { return .beginAgain(serverIgnoresRanges: stated == nil) }
        } else if stated == nil {
            // It is unknown whether this is the end of the file.
            if offset > 0 { return .beginAgain(serverIgnoresRanges: true) }
            return lie("sent a part of the file that was not requested, without the file's length")
        }
        let isOther =
            switch partial?.validator {
            case .strongETag(let tag): head.headers["ETag"].map { $0 != tag } ?? false
            case .lastModified(let date): head.headers["Last-Modified"].map { $0 != date } ?? false
            case nil: false
            }
        if isOther { return .beginAgain(serverIgnoresRanges: false) }
        return .write(from: offset, total: range.end)
    }

    private static func lie(_ text: String) -> RangeDecision {
        .refuse(.init(.serverMisbehaves, "the server \(text)"))
    }
}
