// SPDX-License-Identifier: Apache-2.0

/// A proxy as curl reads it from the environment: `[scheme://][user:password@]host[:port]`.
package struct ProxyAddress: Sendable, Equatable {
    package var scheme: String
    package var host: String
    package var port: UInt16

    /// libcurl's schemes; the default is http.
    package static let schemes = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]

    /// Nil if libcurl would not accept it: an unknown scheme, no host, or an invalid port.
    package init?(_ text: String) {
        var rest = Substring(text)
        scheme = "http"
        if let end = rest.firstRange(of: "://") {
            scheme = rest[..<end.lowerBound].lowercased()
            rest = rest[end.upperBound...]
        }
        guard Self.schemes.contains(scheme) else { return nil }
        rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        guard !rest.hasPrefix("[") || rest.contains("]") else { return nil }
        let end = rest.hasPrefix("[") ? rest.firstIndex(of: "]").map { rest.index(after: $0) } : rest.lastIndex(of: ":")
        let name = rest[..<(end ?? rest.endIndex)]
        let behind = end.map { rest[$0...] } ?? ""
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { return nil }
        if behind.isEmpty {
            // curl's default for all other schemes.
            port = scheme == "https" ? 443 : 1080
        } else {
            guard behind.hasPrefix(":"), let number = UInt16(behind.dropFirst()), number > 0 else { return nil }
            port = number
        }
        host = name.lowercased()
    }

    /// Host and port, without name and password.
    package var hostKey: String { "\(host):\(port)" }
}
