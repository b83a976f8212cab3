// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The meaning of a request to the listener that waits for a browser to deliver the code.
package enum RedirectRequest: Sendable, Equatable {
    /// The request is not complete yet.
    case incomplete
    /// Something else: the browser's request for an icon, another page, another sign-in.
    case stranger(status: Int)
    /// The browser has been sent here to be redirected to the service's page.
    case begin
    case code(String)
    /// The user, or the service, refused, with the service's word for it.
    case declined(String)

    /// Where the browser is sent first. This keeps the service's page out of command lines, which every user can read.
    package static let beginning = "/begin"

    /// The longest head, in bytes.
    private static let limit = 16_384

    /// - Parameters:
    ///   - bytes: the bytes received so far.
    ///   - state: the value that must be returned, so no other page can inject its own code.
    package init(_ bytes: [UInt8], state: String) {
        guard bytes.count <= Self.limit else {
            self = .stranger(status: 431)
            return
        }
        let head = String(decoding: bytes, as: UTF8.self)
        guard head.contains("\r\n\r\n") || head.contains("\n\n") else {
            self = .incomplete
            return
        }
        let words = head.prefix { !$0.isNewline }.split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
            self = .stranger(status: 400)
            return
        }
        guard words[0] == "GET" else {
            self = .stranger(status: 405)
            return
        }
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if words[1] == Self.beginning {
            self = .begin
            return
        }
        guard parts[0] == "/" else {
            self = .stranger(status: 404)
            return
        }
        let fields = URLEncodedForm.decode(parts.count == 2 ? parts[1] : "")
        guard fields["state"] == state else {
            self = .stranger(status: 400)
            return
        }
        if let error = fields["error"] {
            self = .declined(error)
        } else if let code = fields["code"], !code.isEmpty {
            self = .code(code)
        } else {
            self = .stranger(status: 400)
        }
    }

    /// The answer to the browser; nil while the request is incomplete.
    ///
    /// - Parameter page: the service's page, to which the browser is redirected.
    /// - Returns: a complete response.
    package func answer(leadingTo page: String) -> String? {
        switch self {
        case .begin: Self.page(302, "Found", "Continue at the service.", location: page)
        case .incomplete: nil
        case .code: Self.page(200, "OK", "Offstage has the code. You may close this window.")
        case .declined: Self.page(200, "OK", "Offstage was denied access. You may close this window.")
        case .stranger(let status):
            Self.page(status, "Refused", "This is not the sign-in that offstage is waiting for.")
        }
    }

    /// The answer to another user.
    package static let refusal = page(403, "Refused", "This is not the user whose sign-in offstage is waiting for.")

    private static func page(_ status: Int, _ word: String, _ text: String, location: String? = nil) -> String {
        // The code is in the address, which no other page may receive.
        """
        HTTP/1.1 \(status) \(word)\r
        \(location.map { "Location: \($0)\r\n" } ?? "")\
        Content-Type: text/plain; charset=utf-8\r
        Content-Length: \(text.utf8.count + 1)\r
        Cache-Control: no-store\r
        Referrer-Policy: no-referrer\r
        Connection: close\r
        \r
        \(text)

        """
    }
}
