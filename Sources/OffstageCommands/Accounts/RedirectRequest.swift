// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What a request to the listener means that waits for a browser to bring the code.
package enum RedirectRequest: Sendable, Equatable {
    /// More has to come.
    case incomplete
    /// Nothing that is waited for: the browser's wish for an icon, another page, another sign-in.
    case stranger(status: Int)
    /// The browser has been sent here to be led on to the service's page.
    case begin
    case code(String)
    /// The person, or the service, said no; with the service's word for it.
    case declined(String)

    /// Where the browser is sent first: the service's page is in no command line, which every user of the machine can read.
    package static let beginning = "/begin"

    /// The longest head, in bytes.
    private static let limit = 16_384

    /// - Parameters:
    ///   - bytes: what has come so far.
    ///   - state: the word that has to come back, so that no other page can slip in a code of its own.
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

    /// What the browser is answered; nil while more has to come.
    ///
    /// - Parameter page: the service's, where the browser is led on to.
    /// - Returns: a whole response.
    package func answer(leadingTo page: String) -> String? {
        switch self {
        case .begin: Self.page(302, "Found", "Go on at the service.", location: page)
        case .incomplete: nil
        case .code: Self.page(200, "OK", "Offstage has the code. You may close this window.")
        case .declined: Self.page(200, "OK", "Offstage was not allowed in. You may close this window.")
        case .stranger(let status): Self.page(status, "Refused", "This is not the sign-in that offstage waits for.")
        }
    }

    /// To whoever may not even ask.
    package static let refusal = page(403, "Refused", "This is not the user whose sign-in offstage waits for.")

    private static func page(_ status: Int, _ word: String, _ text: String, location: String? = nil) -> String {
        // The code is in the address: no other page is to hear of it.
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
