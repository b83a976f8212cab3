// SPDX-License-Identifier: Apache-2.0

/// The header fields that are known to hold no secret. This lists the harmless fields, not the secret ones: an unknown
/// field may hold a password.
package enum HarmlessHeaders {
    /// Whether a request keeps the field when a redirect leads to another scheme, host or port.
    package static func travels(_ name: String) -> Bool { travelling.contains(name.lowercased()) }

    /// Whether the value may be shown, in a request or in an answer.
    package static func isShown(_ name: String) -> Bool {
        let name = name.lowercased()
        return travelling.contains(name) || shown.contains(name)
    }

    /// Whether the value is a URL, which may be shown without user, query and fragment.
    package static func holdsURL(_ name: String) -> Bool {
        ["location", "content-location"].contains(name.lowercased())
    }

    /// Fields that state what is requested, what the body is, and under which conditions.
    private static let travelling: Set<String> = [
        // RFC 9110, section 12.5: what the client accepts.
        "accept", "accept-charset", "accept-encoding", "accept-language",
        // RFC 9110, section 8: the representation of the body.
        "content-type", "content-encoding", "content-language", "content-length",
        // RFC 9530, and RFC 1864 and RFC 3230 before it: digests of the body.
        "content-digest", "repr-digest", "want-content-digest", "want-repr-digest", "content-md5", "digest",
        "want-digest",
        // RFC 9110, sections 13 and 14: conditions and ranges.
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "range",
        // RFC 9110, sections 6.6.1, 7.6.2, 10.1.1, 10.1.4 and 10.1.5.
        "date", "max-forwards", "expect", "te", "user-agent",
        // RFC 9111, section 5: caches.
        "cache-control", "pragma",
        // RFC 7089, RFC 7240, RFC 8470 and RFC 9218.
        "accept-datetime", "prefer", "early-data", "priority",
        // Fetch metadata, W3C: words from a fixed list.
        "dnt", "sec-gpc", "save-data", "upgrade-insecure-requests",
        // draft-ietf-httpapi-idempotency-key-header: identifies the request; without it, a repeated request would count
        // twice.
        "idempotency-key",
    ]

    /// Further fields that only repeat known facts, or describe an answer.
    private static let shown: Set<String> = [
        // RFC 9110: the remaining fields that are neither credentials nor URLs.
        "accept-ranges", "allow", "connection", "content-range", "etag", "host", "last-modified",
        "retry-after", "server", "trailer", "upgrade", "vary", "via",
        // RFC 9110, section 11.6: how to authenticate, without the credentials.
        "www-authenticate", "proxy-authenticate",
        // RFC 9111 and RFC 9211: caches.
        "age", "expires", "warning", "cache-status",
        // RFC 9112: how the message is framed.
        "keep-alive", "transfer-encoding", "proxy-connection",
        // RFC 5789, RFC 6266, RFC 6797, RFC 7838, RFC 9209, RFC 9745 and RFC 8594.
        "accept-patch", "accept-post", "content-disposition", "strict-transport-security", "alt-svc", "proxy-status",
        "deprecation", "sunset",
        // Fetch, WHATWG.
        "access-control-allow-credentials", "access-control-allow-headers", "access-control-allow-methods",
        "access-control-allow-origin", "access-control-expose-headers", "access-control-max-age", "origin",
        "cross-origin-resource-policy", "x-content-type-options", "x-frame-options",
        // tus 1.0, and the IETF's resumable uploads: how much there is, and until when.
        "tus-resumable", "tus-version", "tus-extension", "tus-max-size", "upload-offset", "upload-length",
        "upload-expires", "upload-complete",
        // RFC 6648 notwithstanding: the identifiers that a server's operator asks for, and the remaining limits.
        "x-request-id", "x-amz-request-id", "x-amz-id-2", "x-ms-request-id", "x-dropbox-request-id", "cf-ray",
        "ratelimit", "ratelimit-policy", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset",
        "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset",
    ]
}

extension HeaderField {
    /// Shown in place of a value that may be a secret.
    package static let hidden = "(hidden)"

    /// The field in a form that may be shown: a harmless value unchanged, a URL without its secret parts.
    package var shown: HeaderField {
        if HarmlessHeaders.isShown(name) { return self }
        let value = HarmlessHeaders.holdsURL(name) ? RequestURL.redactReference(value) : Self.hidden
        return HeaderField(name: name, value: value)
    }
}
