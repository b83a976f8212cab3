// SPDX-License-Identifier: Apache-2.0
import CCurl

/// Scheme, host and port of a URL as libcurl itself parses them: another parser may read a malformed URL differently
/// from where libcurl connects.
package struct CurlOrigin: Equatable {
    package let scheme: String
    /// In lower case; an IPv6 address in brackets.
    package let host: String
    package let port: String

    /// Nil for a URL that libcurl will refuse.
    ///
    /// - Parameters:
    ///   - text: a URL, or the value of a `Location` field.
    ///   - base: the URL that it is relative to; nil for an absolute URL.
    package init?(_ text: String, relativeTo base: String? = nil) {
        guard let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        if let base, curl_url_set(url, CURLUPART_URL, base, 0) != CURLUE_OK { return nil }
        guard curl_url_set(url, CURLUPART_URL, text, base == nil ? 0 : Self.lenient) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: url), let host = Self.part(CURLUPART_HOST, of: url),
            let port = Self.part(CURLUPART_PORT, of: url)
        else { return nil }
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        self.port = port
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// The flags with which libcurl parses a `Location`.
    private static let lenient = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE)
}
