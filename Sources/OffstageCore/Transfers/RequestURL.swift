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
        guard let colon = text.range(of: "://") else {
            throw .invalidURL("'\(Self.redact(text))' has no scheme; write it as https://host/path")
        }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { throw .unsupportedScheme(scheme) }
        guard let components = URLComponents(string: text), let host = components.host, !host.isEmpty else {
            throw .invalidURL("'\(Self.redact(text))' is malformed or names no host")
        }
        if let port = components.port, !(1...65535).contains(port) {
            throw .invalidURL("its port \(port) is not between 1 and 65535")
        }
        var wire = components
        wire.fragment = nil
        self.unredacted = wire.string ?? text
        self.scheme = scheme
        self.host = host.trimmingBrackets.lowercased()
        self.port = components.port ?? (scheme == "https" ? 443 : 80)
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

    /// Scheme, host, port and path; a password is dropped and a query, which may be a signature, shown as `?…`.
    package var description: String { Self.redact(unredacted) }

    /// Which connections are shared: the host and port whose limit the transfer counts against.
    package var hostKey: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The last part of the path, decoded, as a file name; nil when there is none.
    package var fileName: String? {
        guard let path = URLComponents(string: unredacted)?.path else { return nil }
        let last = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        guard !last.isEmpty, last != ".", last != "..", !last.utf8.contains(0) else { return nil }
        return last
    }

    /// Removes user information, query and fragment from anything that looks like a URL.
    package static func redact(_ text: String) -> String {
        var text = text.redactedControls
        if let fragment = text.firstIndex(of: "#") { text = String(text[..<fragment]) }
        if let query = text.firstIndex(of: "?") { text = String(text[..<query]) + "?…" }
        if let scheme = text.range(of: "://") {
            let rest = text[scheme.upperBound...]
            let end = rest.firstIndex(of: "/") ?? rest.firstIndex(of: "?") ?? rest.endIndex
            if let at = rest[..<end].lastIndex(of: "@") {
                text = String(text[..<scheme.upperBound]) + rest[rest.index(after: at)...]
            }
        }
        return text
    }
}

extension String {
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }

    fileprivate func range(of needle: String) -> Range<String.Index>? {
        firstRange(of: needle)
    }
}
