// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Collects the header lines of an attempt's latest response; the lines of redirects and interim responses are dropped
/// as soon as the next response begins.
package struct HeadCollector {
    /// The most bytes of one head: more than any honest server sends.
    package static let headLimit = 262_144
    /// The same for all heads of one attempt, since interim responses may never end.
    private static let totalLimit = 2_097_152

    private var bytes: [UInt8] = []
    private var lineEnds: [Int] = []
    /// Bytes of all heads so far.
    package private(set) var total = 0
    /// Bytes that do not count against the limit.
    private var forgiven = 0
    /// The status code; 0 before a response has begun.
    package private(set) var status = 0
    /// Whether the empty line after the header fields has arrived.
    package private(set) var isComplete = false

    package init() {}

    /// Receives one line from libcurl, including the line break. False if the server sends too many.
    package mutating func receive(_ line: UnsafeRawBufferPointer, isTrailer: Bool = false) -> Bool {
        total += line.count
        if !isTrailer, isStatusLine(line) {
            bytes.removeAll(keepingCapacity: true)
            lineEnds.removeAll(keepingCapacity: true)
            isComplete = false
            status = Self.status(in: line)
        } else if isComplete {
            // Trailer fields come after the body, when everything is decided.
            return total - forgiven <= Self.totalLimit  // checked: a part of the total
        }
        var end = line.count
        while end > 0, line[end - 1] == 13 || line[end - 1] == 10 { end -= 1 }
        if end == 0 {
            isComplete = true
        } else {
            bytes.append(contentsOf: line[..<end])
            lineEnds.append(bytes.count)
        }
        // checked: a part of the total
        return bytes.count <= Self.headLimit && total - forgiven <= Self.totalLimit
    }

    /// Exempts the current head from the limit if it is short: the server uses it to report its progress.
    package mutating func forgive() {
        if bytes.count <= Self.forgivableHead { forgiven += bytes.count }  // checked: a part of the total
    }

    private static let forgivableHead = 2048

    /// The three digits after the first space, and nothing else (RFC 9112, section 4); 0 for an invalid status.
    private static func status(in line: UnsafeRawBufferPointer) -> Int {
        let word = line.drop { $0 != 32 }.dropFirst().prefix { ![32, 13, 10].contains($0) }
        return word.count == 3 ? Int(digits: word) ?? 0 : 0
    }

    private func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count > 5 && line[0] == 72 && line[1] == 84 && line[2] == 84 && line[3] == 80 && line[4] == 47
    }

    /// `1.0`, `1.1` or `2`.
    package var httpVersion: String {
        guard let end = lineEnds.first else { return "" }
        return String(decoding: bytes[..<end].dropFirst(5).prefix { $0 != 32 }, as: UTF8.self)
    }

    /// The header fields in the order of their arrival.
    package var fields: [HeaderField] {
        var fields: [HeaderField] = []
        fields.reserveCapacity(lineEnds.count)
        for (start, end) in zip(lineEnds, lineEnds.dropFirst()) {
            let line = bytes[start..<end]
            if let first = line.first, first == 32 || first == 9, !fields.isEmpty {
                fields[fields.count - 1].value += " " + Self.trimmed(line)
            } else if let colon = line.firstIndex(of: 58) {
                fields.append(
                    HeaderField(name: Self.trimmed(line[..<colon]), value: Self.trimmed(line[(colon + 1)...]))
                )
            }
        }
        return fields
    }

    /// Whether a field that determines where the body ends, or how it is coded, can be read in two ways: it continues
    /// in the next line, or has white space before its colon (RFC 9112, sections 5.1 and 5.2). libcurl ignores such a
    /// field, or a part of it; other implementations do not.
    package var isAmbiguous: Bool {
        var isFraming = false
        var hasField = false
        for (start, end) in zip(lineEnds, lineEnds.dropFirst()) {
            let line = bytes[start..<end]
            if hasField, let first = line.first, first == 32 || first == 9 {
                if isFraming { return true }
            } else if let colon = line.firstIndex(of: 58) {
                let name = Self.trimmed(line[..<colon])  // checked: an index of the line
                isFraming = Self.framing.contains { $0.caseInsensitiveEquals(name) }
                if isFraming, name.utf8.count < colon - line.startIndex { return true }  // checked: bytes in memory
                hasField = true
            }
        }
        return false
    }

    private static let framing = ["Content-Length", "Transfer-Encoding", "Content-Encoding"]

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = bytes
        while let first = bytes.first, first == 32 || first == 9 { bytes.removeFirst() }
        while let last = bytes.last, last == 32 || last == 9 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
