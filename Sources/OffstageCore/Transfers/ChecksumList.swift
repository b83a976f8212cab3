// SPDX-License-Identifier: Apache-2.0

/// The SHA-256 of files by name, in the formats of `sha256sum` and `sha256sum --tag`, in which others also publish
/// lists.
package struct ChecksumList: Sendable {
    /// The first line that cannot be used.
    package struct Mistake: Error, Sendable, Equatable {
        /// Counted from 1.
        package let line: Int
        /// The problem with the line, as the end of a sentence.
        package let text: String
    }

    /// The keys are relative names without a leading `.`, with `/` between folders.
    private var sums: [String: (sum: Checksum, line: Int)] = [:]

    /// The longest accepted list, in bytes.
    package static let longest = 16 << 20

    /// Reads a list. Empty lines, lines that begin with `#`, and tagged lines of other algorithms are ignored.
    ///
    /// - Throws: `Mistake` for the first other line that cannot be read, or that contradicts an earlier one.
    package init(_ bytes: [UInt8]) throws(Mistake) {
        for (index, bytes) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
            let line = index + 1  // checked: fewer lines than bytes in memory
            let bytes = bytes.last == 13 ? bytes.dropLast() : bytes
            guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
                throw Mistake(line: line, text: "it is not UTF-8")
            }
            guard !text.isEmpty, !text.hasPrefix("#") else { continue }
            guard !text.hasPrefix("-----BEGIN PGP") else {
                throw Mistake(line: line, text: "a signature begins here; 'gpg --decrypt' removes it")
            }
            guard let (name, sum) = try Self.entry(text[...], line) else { continue }
            if let known = sums[name], known.sum != sum {
                throw Mistake(
                    line: line,
                    text: "'\(name.redactedControls)' has a different SHA-256 in line \(known.line)"
                )
            }
            if sums[name] == nil { sums[name] = (sum, line) }
        }
    }

    /// The number of files that the list names.
    package var count: Int { sums.count }

    /// The checksum of a file downloaded from a URL: found by the end of the URL's path, with as many folders as the
    /// list names, or otherwise by the name under which the file is saved.
    package func sum(for url: RequestURL, savedAs path: String) -> Checksum? {
        let parts = url.pathParts
        for start in parts.indices {
            if let found = sums[parts[start...].joined(separator: "/")] { return found.sum }
        }
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) }
        return name.flatMap { sums[$0]?.sum }
    }

    /// Reads one line; nil for another algorithm.
    private static func entry(_ text: Substring, _ line: Int) throws(Mistake) -> (name: String, sum: Checksum)? {
        let isEscaped = text.hasPrefix("\\")
        let rest = isEscaped ? text.dropFirst() : text
        let (written, digits): (Substring, Substring)
        if let tag = tagged(rest) {
            guard tag.algorithm == "SHA256" else { return nil }
            (written, digits) = (tag.name, tag.digits)
        } else {
            // Bytes, not characters: a name may begin with a combining mark, which would join the character before it.
            let end = rest.utf8.firstIndex(of: UInt8(ascii: " ")) ?? rest.endIndex
            digits = rest[..<end]
            // One space, then another for text or an asterisk for binary: the two mean the same.
            let behind = rest.utf8[end...].dropFirst()
            let hasKind = behind.first == UInt8(ascii: " ") || behind.first == UInt8(ascii: "*")
            written = Substring(hasKind ? behind.dropFirst() : behind)
        }
        let sum = try checksum(digits, line)
        guard !written.isEmpty else { throw Mistake(line: line, text: "it names no file") }
        guard let name = isEscaped ? unescaped(written) : String(written) else {
            throw Mistake(line: line, text: "a backslash in the name is not followed by n, r or another backslash")
        }
        return (try plain(name, line), sum)
    }

    private static func checksum(_ digits: Substring, _ line: Int) throws(Mistake) -> Checksum {
        guard let sum = try? Checksum(parsing: "sha256:" + digits) else {
            let isHex = !digits.isEmpty && digits.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
            let text =
                isHex
                ? "a SHA-256 has 64 hexadecimal digits, but this has \(digits.utf8.count)\(likeness(digits.utf8.count))"
                : "it does not begin with a SHA-256 of 64 hexadecimal digits"
            throw Mistake(line: line, text: text)
        }
        return sum
    }

    /// The algorithm suggested by a sum with this many digits, and where to look for the right sum.
    private static func likeness(_ digits: Int) -> String {
        let others = [32: "an MD5", 40: "a SHA-1", 56: "a SHA-224", 96: "a SHA-384", 128: "a SHA-512"]
        return others[digits].map { ", like \($0): look for a list of SHA-256 sums, often called SHA256SUMS" } ?? ""
    }

    /// Reads `SHA256 (name) = digits`; nil for a line in the other format.
    private static func tagged(_ text: Substring) -> (algorithm: Substring, name: Substring, digits: Substring)? {
        let algorithm = text.prefix { $0 != " " }
        let behind = text[algorithm.endIndex...]
        guard behind.hasPrefix(" ("), algorithm.first?.isLetter == true,
            algorithm.utf8.count < 20, let end = lastEnd(of: behind)
        else { return nil }
        return (algorithm, behind[..<end.lowerBound].dropFirst(2), behind[end.upperBound...])
    }

    /// The last `) = `, since a name may also contain one.
    private static func lastEnd(of text: Substring) -> Range<Substring.Index>? {
        var found: Range<Substring.Index>?
        var rest = text
        while let next = rest.firstRange(of: ") = ") {
            found = next
            rest = rest[next.upperBound...]
        }
        return found
    }

    private static func unescaped(_ text: Substring) -> String? {
        var name = ""
        var isAfterBackslash = false
        for scalar in text.unicodeScalars {
            guard isAfterBackslash else {
                isAfterBackslash = scalar == "\\"
                if !isAfterBackslash { name.unicodeScalars.append(scalar) }
                continue
            }
            switch scalar {
            case "\\": name.append("\\")
            case "n": name.append("\n")
            case "r": name.append("\r")
            default: return nil
            }
            isAfterBackslash = false
        }
        return isAfterBackslash ? nil : name
    }

    /// The name without `./`; refuses a name that leads out of the folder of the list.
    private static func plain(_ name: String, _ line: Int) throws(Mistake) -> String {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard name.utf8.first != UInt8(ascii: "/"), !parts.contains("..") else {
            throw Mistake(
                line: line,
                text: "'\(name.redactedControls)' leads out of the folder of the list"
            )
        }
        let kept = parts.filter { $0 != "." && !$0.isEmpty }
        guard parts.last?.isEmpty == false, parts.last != ".", !kept.isEmpty else {
            throw Mistake(line: line, text: "'\(name.redactedControls)' is not the name of a file")
        }
        return kept.joined(separator: "/")
    }
}
