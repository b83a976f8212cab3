// SPDX-License-Identifier: Apache-2.0

/// The status line and header fields of a final response, before its body.
package struct ResponseHead: Sendable, Equatable {
    package var status: Int
    package var headers: [HeaderField]
    /// Whether a field that states where the body ends, or how it is coded, can be read in two ways.
    package var isAmbiguous: Bool

    package init(status: Int, headers: [HeaderField], isAmbiguous: Bool = false) {
        self.status = status
        self.headers = headers
        self.isAmbiguous = isAmbiguous
    }

    /// The codings of the body that can be decoded, in the order in which the server applied them. Empty if one of them
    /// is unknown, since many servers put a charset or anything else there, and for a part of the coded bytes.
    package var codings: [ContentCoding] {
        guard status != 206 else { return [] }
        let names = headers.filter { $0.name.caseInsensitiveEquals("Content-Encoding") }
            .flatMap { $0.value.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
        let codings = names.compactMap { ContentCoding(named: $0) }
        return codings.count == names.count ? codings : []
    }

    /// Whether the body is the file without any coding.
    package var hasNoCoding: Bool {
        items(of: "Content-Encoding").allSatisfy { $0.isEmpty || $0.caseInsensitiveEquals("identity") }
    }

    /// The names of the body's content codings, in the order in which the server applied them, such as `gzip`. Nil if
    /// there are none.
    package var coding: String? {
        guard !hasNoCoding else { return nil }
        let names = items(of: "Content-Encoding").map { $0.lowercased() }.filter { !$0.isEmpty && $0 != "identity" }
        // Longer texts are not names of codings, and would be stored with the transfer.
        return String(decoding: names.joined(separator: ",").utf8.prefix(64), as: UTF8.self)
    }

    /// Whether the body consists of several ranges.
    var isMultipart: Bool { headers["Content-Type"]?.lowercased().hasPrefix("multipart/byteranges") ?? false }

    /// Whether other requests may ask for pieces of the same file: the server accepts ranges, and their answers can be
    /// compared.
    package var allowsPieces: Bool {
        let takesRanges = status == 206 || items(of: "Accept-Ranges").contains { $0.caseInsensitiveEquals("bytes") }
        return (status == 200 || status == 206) && takesRanges && hasNoCoding && validator != nil
    }

    /// The validator for resuming a partial file: a strong ETag, otherwise a strong `Last-Modified`.
    ///
    /// A date is strong if the response was made at least one second later (RFC 9110, section 8.8.2.2). Both are HTTP
    /// dates of fixed form, so unequal texts show exactly that for any date not in the future.
    package var validator: PartialDownload.Validator? {
        if let tag = headers["ETag"], tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count >= 2 {
            return .strongETag(tag)
        }
        if let modified = headers["Last-Modified"], let date = headers["Date"], modified != date {
            return .lastModified(modified)
        }
        return nil
    }

    /// The length of the body, as stated in the head.
    package enum StatedLength: Sendable, Equatable {
        /// No length: the body ends with its last chunk, or with the connection.
        case none
        case bytes(Int64)
        /// A value that cannot be the length of any body; the text is the end of a sentence that begins with the
        /// server.
        case nonsense(String)
    }

    /// The length of the body, as stated in the head (RFC 9112, section 6.3).
    ///
    /// libcurl ignores a length that is too large for it, a second length, and anything after the first digits: the
    /// body could then be cut off anywhere, and would still count as whole.
    package var statedLength: StatedLength {
        // A receiver that reads such a field differently would mistake framing for content.
        if isAmbiguous { return .nonsense("sent a header that can be read in two ways") }
        let codings = items(of: "Transfer-Encoding").map { $0.lowercased() }
        // With chunks the stated length means nothing; no other coding was requested.
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

    /// Whether the end of the body is marked, so that a truncated body is recognised. Other bodies end with their
    /// connection, or with their stream.
    ///
    /// Over HTTP/2 only a length counts: libcurl treats a stream that was reset without an error as properly ended.
    ///
    /// - Parameter version: the HTTP version over which the body arrives, such as `1.1` or `2`.
    /// - Returns: whether the end is marked.
    package func marksEnd(over version: String) -> Bool {
        if case .bytes = statedLength { return true }
        guard !Self.hasStreams(version) else { return false }
        return items(of: "Transfer-Encoding").contains { $0.caseInsensitiveEquals("chunked") }
    }

    /// Whether a version of HTTP carries each response in a stream of its connection.
    package static func hasStreams(_ version: String) -> Bool { version.hasPrefix("2") || version.hasPrefix("3") }

    /// The length of the whole file at the server; nil if the answer does not state it.
    package var completeLength: Int64? {
        switch status {
        case 200:
            if hasNoCoding, case .bytes(let length) = statedLength { return length }
            return nil
        case 206: return hasNoCoding && !isMultipart ? contentRange?.total : nil
        case 416: return unsatisfiedTotal
        default: return nil
        }
    }

    /// The total of `Content-Range: bytes */total`. Nil if several fields differ.
    private var unsatisfiedTotal: Int64? {
        let texts = Set(headers.filter { $0.name.caseInsensitiveEquals("Content-Range") }.map(\.value))
        let prefix = "bytes */"
        guard texts.count == 1, let text = texts.first, text.lowercased().hasPrefix(prefix),
            let total = Int64(digits: text.dropFirst(prefix.count)), ByteCounts.range.contains(total)
        else { return nil }
        return total
    }

    /// The parts of `Content-Range: bytes first-last/total`; total is nil for `*`. Nil if several fields differ.
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

    /// Seconds of a numeric `Retry-After`, at most a year; the caller converts the date form into seconds with `Date`.
    package var retryAfterSeconds: Double? {
        guard let text = headers["Retry-After"], !text.isEmpty,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return min(Double(Int64(digits: text) ?? .max), 31_536_000)
    }

    /// The comma-separated items of all fields with a name.
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
