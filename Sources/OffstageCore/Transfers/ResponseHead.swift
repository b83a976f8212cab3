// SPDX-License-Identifier: Apache-2.0

/// Status line and header fields of a final response, before its body.
package struct ResponseHead: Sendable, Equatable {
    package var status: Int
    package var headers: [HeaderField]

    package init(status: Int, headers: [HeaderField]) {
        self.status = status
        self.headers = headers
    }

    /// Whether the body is coded as RFC 9110, section 8.4.1, has it, with nothing but what libcurl undoes. Many a server
    /// names a charset there, or what it likes.
    package var isEncoded: Bool {
        let codings = headers.filter { $0.name.caseInsensitiveEquals("Content-Encoding") }
            .flatMap { $0.value.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
        return !codings.isEmpty && codings.allSatisfy(Self.codings.contains)
    }

    private static let codings: Set<String> = ["gzip", "x-gzip", "deflate", "br", "zstd"]

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

    /// What the head says of the body's length.
    package enum StatedLength: Sendable, Equatable {
        /// Nothing: the body ends with its last chunk, or with the connection.
        case none
        case bytes(Int64)
        /// Something that no body can be measured by; the end of a sentence that begins with the server.
        case nonsense(String)
    }

    /// What the head says of the body's length (RFC 9112, section 6.3).
    ///
    /// libcurl takes no notice of a length that is too large for it, of a second one, or of what follows the first
    /// digits: the body could then be cut anywhere, and would pass for whole.
    package var statedLength: StatedLength {
        let codings = items(of: "Transfer-Encoding").map { $0.lowercased() }
        // With chunks the stated length means nothing; any other coding nobody has asked for.
        if codings == ["chunked"] { return .none }
        guard codings.allSatisfy({ $0 == "identity" }) else {
            return .nonsense("sent a transfer coding that was not requested")
        }
        let lengths = Set(items(of: "Content-Length"))
        guard let text = lengths.first else { return .none }
        guard lengths.count == 1, let length = Int64(digits: text), length < ByteCounts.range.upperBound else {
            return .nonsense("sent an impossible Content-Length")
        }
        return .bytes(length)
    }

    /// `Content-Range: bytes first-last/total` taken apart; total nil for `*`. Nil for several that differ.
    package var contentRange: (range: ByteRange, total: Int64?)? {
        let texts = Set(headers.filter { $0.name.caseInsensitiveEquals("Content-Range") }.map(\.value))
        guard texts.count == 1, let text = texts.first, text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Int64(digits: bounds[0]), let last = Int64(digits: bounds[1]),
            let range = ByteRange(first: first, last: last)
        else { return nil }
        if parts[1] == "*" { return (range, nil) }
        guard let total = Int64(digits: parts[1]), range.end <= total, ByteCounts.range.contains(total) else {
            return nil
        }
        return (range, total)
    }

    /// Seconds of `Retry-After` in its numeric form, a year at most; a date form is turned into seconds with `Date` by
    /// the caller.
    package var retryAfterSeconds: Double? {
        guard let text = headers["Retry-After"], !text.isEmpty,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return min(Double(Int64(digits: text) ?? .max), 31_536_000)
    }

    /// What stands between the commas of all fields of a name.
    private func items(of name: String) -> [String] {
        headers.filter { $0.name.caseInsensitiveEquals(name) }.flatMap { field in
            field.value.split(separator: ",", omittingEmptySubsequences: false).map { item in
                String(item.drop { $0 == " " || $0 == "\t" }.trimmingEnd)
            }
        }
    }
}

extension Substring {
    fileprivate var trimmingEnd: Substring {
        var text = self
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
