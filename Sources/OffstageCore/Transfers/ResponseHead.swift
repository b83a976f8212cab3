// SPDX-License-Identifier: Apache-2.0

/// Status line and header fields of a final response, before its body.
package struct ResponseHead: Sendable, Equatable {
    package var status: Int
    package var headers: [HeaderField]

    package init(status: Int, headers: [HeaderField]) {
        self.status = status
        self.headers = headers
    }

    /// The validator a partial file may be resumed with: a strong ETag, else a `Last-Modified` that is strong.
    ///
    /// A date is strong when the response was made at least one second later (RFC 9110, section 8.8.2.2); both being
    /// HTTP dates of fixed form, inequality of the two texts shows just that for any date not in the future.
    package var validator: PartialDownload.Validator? {
        if let tag = headers["ETag"], tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count >= 2 {
            return .strongETag(tag)
        }
        if let modified = headers["Last-Modified"], let date = headers["Date"], modified != date {
            return .lastModified(modified)
        }
        return nil
    }

    /// `Content-Length`, when it is a number.
    package var contentLength: Int64? {
        headers["Content-Length"].flatMap { Self.number($0[...]) }.flatMap { $0 == .max ? nil : $0 }
    }

    /// `Content-Range: bytes first-last/total` taken apart; total nil for `*`.
    package var contentRange: (first: Int64, last: Int64, total: Int64?)? {
        guard let text = headers["Content-Range"], text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]), first <= last
        else { return nil }
        if parts[1] == "*" { return (first, last, nil) }
        guard let total = Self.number(parts[1]), last < total else { return nil }
        return (first, last, total)
    }

    /// Seconds of `Retry-After` in its numeric form, a year at most; a date form is turned into seconds with `Date` by
    /// the caller.
    package var retryAfterSeconds: Double? {
        headers["Retry-After"].flatMap { Self.number($0[...]) }.map { min(Double($0), 31_536_000) }
    }

    /// A number of digits alone, as HTTP writes it: no sign, no fraction. One that is too large is the largest.
    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int64(text) ?? .max
    }
}
