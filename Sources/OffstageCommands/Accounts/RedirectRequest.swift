// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What a request means to the listener that waits for a browser to deliver the code.
package enum RedirectRequest: Sendable, Equatable {
    /// More bytes have to come.
    case incomplete
    /// Something else: the browser's request for an icon, another page, another sign-in.
    case stranger(status: Int)
    /// The browser has been sent here to be redirected to the service's page.
    case begin
    case code(String)
    /// The person, or the service, refused; with the service's word for it.
    case declined(String)

    /// Where the browser is sent first, so that the service's page is in no command line, which every user can read.
    package static let beginning = "/begin"

    /// The longest head, in bytes.
    private static let limit = 16_384

    /// - Parameters:
    ///   - bytes: what has been received so far.
    ///   - state: the value that has to come back, so that no other page can inject a code of its own.
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

    /// The answer to the browser; nil while more has to come.
    ///
    /// - Parameter page: the service's, to which the browser is redirected.
    /// - Returns: a whole response.
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
        // The code is in the address: no other page may receive it.
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
