// SPDX-License-Identifier: Apache-2.0

/// What a response means to a download that may have asked for the rest of a partial file.
package enum RangeDecision: Sendable, Equatable {
    /// The body goes to the file from this byte on; the whole will have this length, if it is known.
    case write(from: Int64, total: Int64?)
    /// The partial file is not a beginning of what the server has now: begin again without a range.
    case beginAgain(serverIgnoresRanges: Bool)
    /// The answer contradicts itself.
    case refuse(TransferFailure)
    /// Not a file: the body is the text of an error or belongs to the answer.
    case notTheFile

    /// Decides for a response to a request that asked for bytes from `offset` (0: no range was asked for).
    ///
    /// - Parameters:
    ///   - head: the final response's status and headers.
    ///   - offset: the first byte asked for.
    ///   - partial: what is known of the partial file; only of use when `offset` is above 0.
    ///   - keepsErrorBodies: whether a status of 400 or more still fills the file (Apple's rule).
    /// - Returns: what is done with the body.
    package static func decide(
        _ head: ResponseHead,
        offset: Int64,
        partial: PartialDownload?,
        keepsErrorBodies: Bool
    ) -> RangeDecision {
        if head.status == 416, offset > 0 { return .beginAgain(serverIgnoresRanges: false) }
        if head.status == 206 {
            return decidePartialContent(head, offset: offset, partial: partial)
        }
        if head.status >= 300, !keepsErrorBodies { return .notTheFile }
        if (200..<300).contains(head.status), offset > 0 {
            let isSame = partial?.validator != nil && head.validator == partial?.validator
            return .beginAgain(serverIgnoresRanges: isSame)
        }
        // An error's body replaces whatever was there, as the file of an answered transfer.
        if offset > 0 { return .beginAgain(serverIgnoresRanges: false) }
        return .write(from: 0, total: head.contentLength)
    }

    private static func decidePartialContent(
        _ head: ResponseHead,
        offset: Int64,
        partial: PartialDownload?
    ) -> RangeDecision {
        guard let range = head.contentRange else {
            return .refuse(.init(.serverMisbehaves, "the server sent 206 without a usable Content-Range"))
        }
        guard range.first == offset else {
            return .refuse(
                .init(.serverMisbehaves, "the server sent bytes from \(range.first) where \(offset) was asked for")
            )
        }
        if let length = head.contentLength, length != range.last - range.first + 1 {
            return .refuse(.init(.serverMisbehaves, "the server's Content-Length and Content-Range disagree"))
        }
        if let total = range.total, range.last != total - 1 {
            return .refuse(.init(.serverMisbehaves, "the server sent only part of the range that was asked for"))
        }
        if let known = partial?.totalBytes, let total = range.total, known != total {
            return .beginAgain(serverIgnoresRanges: false)
        }
        let isOther =
            switch partial?.validator {
            case .strongETag(let tag): head.headers["ETag"].map { $0 != tag } ?? false
            case .lastModified(let date): head.headers["Last-Modified"].map { $0 != date } ?? false
            case nil: false
            }
        if isOther { return .beginAgain(serverIgnoresRanges: false) }
        return .write(from: offset, total: range.total ?? range.last + 1)
    }
}
