// SPDX-License-Identifier: Apache-2.0

/// Hosts with non-ASCII characters, as people type them. A URL that is sent has them in another form.
extension RequestURL {
    /// The range of such a host in a URL; nil if the host is ASCII, or the text is not a URL.
    package static func rangeOfForeignHost(in text: String) -> Range<String.Index>? {
        let bytes = text.utf8
        guard !bytes.contains(where: { $0 < 32 || $0 == 127 }), let scheme = schemeEnd(in: text) else { return nil }
        let authority = bytes[scheme.upperBound...].prefix { !"/?#".utf8.contains($0) }
        var host = authority
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { host = authority[at...].dropFirst() }
        host = host.prefix { $0 != UInt8(ascii: ":") }
        guard host.contains(where: { $0 > 127 }) else { return nil }
        return host.startIndex..<host.endIndex
    }

    /// The URL with its host in the form that DNS uses.
    ///
    /// - Parameters:
    ///   - text: the URL as typed.
    ///   - ascii: converts a host into that form (`xn--…`).
    /// - Throws: `RequestError`, also if the result of `ascii` would turn it into a different URL.
    package init(
        typed text: String,
        ascii: (_ host: String) throws(RequestError) -> String
    ) throws(RequestError) {
        guard let range = Self.rangeOfForeignHost(in: text) else {
            try self.init(text)
            return
        }
        let typed = String(text[range])
        let host = try ascii(typed)
        // Some characters are mapped to others that contain / or @, which would give the URL another host.
        guard !host.isEmpty, !host.hasPrefix("."), !host.contains(".."), host.utf8.allSatisfy(Self.isHostByte) else {
            throw .invalidURL("its host '\(typed.redactedControls)' is not a host name")
        }
        try self.init(text[..<range.lowerBound] + host + text[range.upperBound...])
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
