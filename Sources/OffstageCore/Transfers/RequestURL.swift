// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The absolute http or https URL of a transfer. Its description hides everything that may be a secret.
package struct RequestURL: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The whole URL, secrets included: only for the request itself.
    package let unredacted: String
    /// `http` or `https`.
    package let scheme: String
    /// The host in lower case, without brackets.
    package let host: String
    /// The port; the scheme's default if the URL names none.
    package let port: Int

    /// Checks and parses a URL.
    ///
    /// - Throws: `RequestError.invalidURL` or `.unsupportedScheme`. A text without a scheme is refused, not guessed at.
    package init(_ text: String) throws(RequestError) {
        guard !text.isEmpty else { throw .invalidURL("it is empty") }
        guard !text.utf8.contains(where: { $0 < 32 || $0 == 127 }) else {
            throw .invalidURL("it contains a control character")
        }
        let end = Self.schemeEnd(in: text)
        if let first = text.utf8.firstIndex(of: UInt8(ascii: ":")), first != end?.lowerBound {
            let beginning = text[..<first].lowercased()
            if Self.schemesWithoutSlashes.contains(beginning) { throw .unsupportedScheme(beginning) }
        }
        guard let colon = end, text[..<colon.lowerBound].utf8.allSatisfy(Self.isSchemeByte) else {
            throw .invalidURL("'\(Self.redact(text))' has no scheme; write it as https://host/path")
        }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { throw .unsupportedScheme(scheme) }
        guard let components = URLComponents(string: text), let decoded = components.host,
            !decoded.trimmingBrackets.isEmpty
        else {
            throw .invalidURL("'\(Self.redact(text))' is malformed or names no host")
        }
        // Only with all of Foundation in the process would xn--… be decoded here.
        let host = components.encodedHost.flatMap { $0.utf8.contains(UInt8(ascii: "%")) ? nil : $0 } ?? decoded
        guard Self.isHost(host) else { throw .invalidURL("its host '\(host.redactedControls)' is not a host name") }
        if let port = components.port, !(1...65535).contains(port) {
            throw .invalidURL("its port \(port) is not between 1 and 65535")
        }
        // Otherwise, a port that Foundation cannot read as a number would count as no port.
        if components.port == nil, let whole = components.string, let range = components.rangeOfPort,
            !whole[range].isEmpty
        {
            throw .invalidURL("its port \(whole[range]) is not between 1 and 65535")
        }
        // Reassembling the text from its parts takes a third of the total time.
        if Self.isPlain(components, text) {
            self.unredacted = components.string ?? text
        } else {
            var wire = components
            wire.fragment = nil
            self.unredacted = wire.string ?? text
        }
        self.scheme = scheme
        self.host = host.trimmingBrackets.lowercased()
        self.port = components.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Whether a URL has no fragment and no user, and its port, if any, is written as usual. Its parts then yield the
    /// same text.
    private static func isPlain(_ components: URLComponents, _ text: String) -> Bool {
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "@") }),
            let whole = components.string
        else { return false }
        if let port = components.port { return components.rangeOfPort.map { whole[$0] == "\(port)" } ?? false }
        // An empty port has no range, and its colon would be lost.
        return components.rangeOfHost.map { whole.utf8[$0.upperBound...].first != UInt8(ascii: ":") } ?? false
    }

    /// Whether a host is free of characters that end a host, or that people mistake for its end.
    private static func isHost(_ text: String) -> Bool {
        var isASCII = true
        for byte in text.utf8 {
            switch byte {
            case 0x80...: isASCII = false
            case 9...13, UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "\\"),
                UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"),
                UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"):
                return false
            default: break
            }
        }
        // Rare: looking up each character in Unicode's tables costs a third of the whole check.
        return isASCII || !text.unicodeScalars.contains { $0.properties.isWhitespace }
    }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.sentence)
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(unredacted)
    }

    /// For people: scheme, host, port and path. A password is dropped; a query, which may be a signature, is shown as
    /// `?…`, and a part of the path that looks like a token as `…`.
    package var description: String { Self.redact(unredacted) }

    /// For the user's programs: like `description`, but with the whole path, and nothing in place of the query.
    package var withoutQuery: String { Self.redact(unredacted, hidesTokens: false, marksQuery: false) }

    /// The key of shared connections: the host and port whose limit the transfer counts against.
    package var hostKey: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The last part of the path, decoded, as a file name; nil if the path has none.
    package var fileName: String? {
        guard let path = URLComponents(string: unredacted)?.path else { return nil }
        // Bytes, not characters: a / with a combining mark after it is another character, but still ends a folder.
        let last =
            path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last.map {
                String(decoding: $0, as: UTF8.self)
            } ?? ""
        guard !last.isEmpty, last != ".", last != "..", !last.utf8.contains(0) else { return nil }
        return last
    }

    /// The parts of the path, decoded, without empty parts.
    package var pathParts: [String] {
        (URLComponents(string: unredacted)?.path ?? "").utf8.split(separator: UInt8(ascii: "/")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Removes user information, query and fragment from anything that looks like a URL, even if it is malformed.
    ///
    /// Works on bytes, not characters: each delimiter is one byte, and this is called for every row of a list and of
    /// the store.
    package static func redact(_ text: String) -> String { redact(text, hidesTokens: true) }

    private static func redact(_ text: String, hidesTokens: Bool, marksQuery: Bool = true) -> String {
        let text = text.redactedControls
        let bytes = text.utf8
        let scheme = schemeEnd(in: text).flatMap { followsScheme(bytes[..<$0.lowerBound]) ? $0 : nil }
        let start = scheme?.upperBound ?? bytes.startIndex
        let rest = bytes[start...]
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        var authority = rest[..<end]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            authority = authority[authority.index(after: at)...]
        } else if rest[end...].contains(UInt8(ascii: "@")), !Self.endsInPort(authority) {
            // A password that contains one of /?# ends the authority too early for any URL parser.
            return text[..<start] + "…"
        }
        var path = rest[end...]
        if let fragment = path.firstIndex(of: UInt8(ascii: "#")) { path = path[..<fragment] }
        let query = path.firstIndex(of: UInt8(ascii: "?"))
        var shown = String(text[..<start])
        shown += Substring(authority)
        let whole = path[..<(query ?? path.endIndex)]
        if hidesTokens { URLPath.append(whole, to: &shown) } else { shown += Substring(whole) }
        if query != nil, marksQuery { shown += "?…" }
        return shown
    }

    /// Like `redact`, for a text that may lack the scheme, or everything up to the path, as a `Location` may.
    package static func redactReference(_ text: String) -> String {
        text.hasPrefix("//") ? String(redact("http:" + text).dropFirst(5)) : redact(text)
    }

    /// Schemes that no `//` follows; any other word before a colon is a host name without a scheme.
    private static let schemesWithoutSlashes: Set<String> = [
        "magnet", "data", "mailto", "file", "urn", "about", "blob", "javascript", "tel",
    ]

    /// The range of the first `://`.
    package static func schemeEnd(in text: String) -> Range<String.Index>? {
        let bytes = text.utf8
        var rest = bytes[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[bytes.index(after: colon)...]
            if rest.starts(with: "//".utf8) { return colon..<bytes.index(colon, offsetBy: 3) }
        }
        return nil
    }

    /// Whether the text after a colon, if there is one, is a port and not the beginning of a password.
    private static func endsInPort(_ authority: Substring.UTF8View) -> Bool {
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")), authority.last != UInt8(ascii: "]") else {
            return true
        }
        return authority[authority.index(after: colon)...].allSatisfy { (48...57).contains($0) }
    }

    /// Whether text before `://` ends in a scheme: a separate word, so that a password is not mistaken for one.
    private static func followsScheme(_ text: Substring.UTF8View) -> Bool {
        let before = text.reversed().drop(while: isSchemeByte)
        return before.first.map { " '\"(<".utf8.contains($0) } ?? true
    }

    static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension String {
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
