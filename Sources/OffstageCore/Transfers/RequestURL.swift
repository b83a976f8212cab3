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
    /// The port, the scheme's own when the URL names none.
    package let port: Int

    /// Checks and takes apart a URL.
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
        // A process that has all of Foundation would decode xn--… here, and one of others not.
        let host = components.encodedHost.flatMap { $0.utf8.contains(UInt8(ascii: "%")) ? nil : $0 } ?? decoded
        guard Self.isHost(host) else { throw .invalidURL("its host '\(host.redactedControls)' is not a host name") }
        if let port = components.port, !(1...65535).contains(port) {
            throw .invalidURL("its port \(port) is not between 1 and 65535")
        }
        // One that is no number for Foundation would else be taken for none.
        if components.port == nil, let whole = components.string, let range = components.rangeOfPort,
            !whole[range].isEmpty
        {
            throw .invalidURL("its port \(whole[range]) is not between 1 and 65535")
        }
        var wire = components
        wire.fragment = nil
        self.unredacted = wire.string ?? text
        self.scheme = scheme
        self.host = host.trimmingBrackets.lowercased()
        self.port = components.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Whether no character is in it that ends a host, or that a person takes for the end of it.
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
        // Seldom: a look at Unicode's tables for each character costs a third of the whole check.
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

    /// For people: scheme, host, port and path; a password is dropped, a query, which may be a signature, shown as `?…`,
    /// and what in the path looks like a token as `…`.
    package var description: String { Self.redact(unredacted) }

    /// For programs of the user's: as `description`, with the whole path and with nothing in the query's place.
    package var withoutQuery: String { Self.redact(unredacted, hidesTokens: false, marksQuery: false) }

    /// Which connections are shared: the host and port whose limit the transfer counts against.
    package var hostKey: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The last part of the path, decoded, as a file name; nil when there is none.
    package var fileName: String? {
        guard let path = URLComponents(string: unredacted)?.path else { return nil }
        // Bytes, not characters: with a mark behind it a / is part of another one, and a folder's end all the same.
        let last =
            path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last.map {
                String(decoding: $0, as: UTF8.self)
            } ?? ""
        guard !last.isEmpty, last != ".", last != "..", !last.utf8.contains(0) else { return nil }
        return last
    }

    /// The parts of the path, decoded, without empty ones.
    package var pathParts: [String] {
        (URLComponents(string: unredacted)?.path ?? "").utf8.split(separator: UInt8(ascii: "/")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Removes user information, query and fragment from anything that looks like a URL, also from what is malformed.
    ///
    /// Bytes, not characters: every delimiter is one byte, and every row of a list and of the store is made by this.
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
            // A password with one of /?# in it ends the authority too early for any reader of URLs.
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

    /// As `redact`, of what may leave out the scheme, or all up to the path, as a `Location` does.
    package static func redactReference(_ text: String) -> String {
        text.hasPrefix("//") ? String(redact("http:" + text).dropFirst(5)) : redact(text)
    }

    /// Of these no `//` follows; another word before a colon is a host's name without a scheme.
    private static let schemesWithoutSlashes: Set<String> = [
        "magnet", "data", "mailto", "file", "urn", "about", "blob", "javascript", "tel",
    ]

    /// Where `://` is for the first time.
    static func schemeEnd(in text: String) -> Range<String.Index>? {
        let bytes = text.utf8
        var rest = bytes[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[bytes.index(after: colon)...]
            if rest.starts(with: "//".utf8) { return colon..<bytes.index(colon, offsetBy: 3) }
        }
        return nil
    }

    /// Whether what follows a colon, if there is one, is a port and not the beginning of a password.
    private static func endsInPort(_ authority: Substring.UTF8View) -> Bool {
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")), authority.last != UInt8(ascii: "]") else {
            return true
        }
        return authority[authority.index(after: colon)...].allSatisfy { (48...57).contains($0) }
    }

    /// Whether text before `://` ends in a scheme: a word of its own, so that a password is not taken for one.
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
