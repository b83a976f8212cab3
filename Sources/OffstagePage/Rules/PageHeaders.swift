// SPDX-License-Identifier: Apache-2.0

/// The header fields of every answer.
package enum PageHeaders {
    /// Loads only the page's own files, sends nothing elsewhere, forbids framing, and runs no text as a script.
    package static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "worker-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    /// Clears the browser's data from other programs at this address, including service workers but not cookies.
    package static let forgetting = (name: "Clear-Site-Data", value: "\"storage\"")

    /// - Parameter type: the answer's media type.
    /// - Returns: the names and values, in order.
    package static func all(type: String) -> [(name: String, value: String)] {
        [
            ("Content-Type", type),
            ("Content-Security-Policy", policy),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
            ("Cache-Control", "no-store"),
        ]
    }
}
