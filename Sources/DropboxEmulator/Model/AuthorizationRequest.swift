// SPDX-License-Identifier: Apache-2.0

/// An app's request to the authorize page, according to OAuth 2 and PKCE (RFC 6749, RFC 7636).
struct AuthorizationRequest {
    var client: String
    /// Nil if the page shows the code to the person.
    var redirect: String?
    var account: String
    var scopes: [String]
    var challenge: String?
    var isOffline: Bool

    init(_ query: [String: String], client: String, redirect: String?) throws(DropboxRefusal) {
        func refuse(_ error: String, _ what: String) -> DropboxRefusal { .oauth(error: error, description: what) }
        guard query["response_type"] == "code" else {
            throw refuse("unsupported_response_type", "response_type must be \"code\"")
        }
        let access = query["token_access_type"] ?? "online"
        guard access == "online" || access == "offline" else {
            throw refuse("invalid_request", "token_access_type must be \"online\" or \"offline\"")
        }
        let challenge = query["code_challenge"]
        guard (challenge == nil) == (query["code_challenge_method"] == nil) else {
            throw refuse("invalid_request", "code_challenge and code_challenge_method come together")
        }
        if let challenge {
            guard query["code_challenge_method"] == "S256" else {
                throw refuse("invalid_request", "code_challenge_method must be \"S256\"")
            }
            guard challenge.utf8.count == 43, challenge.utf8.allSatisfy(Self.isBase64URL) else {
                throw refuse("invalid_request", "code_challenge is not the base64url of a SHA-256 without padding")
            }
        }
        self.client = client
        self.redirect = redirect
        account = query["emulator_account"] ?? EmulatedDropbox.mainAccount
        scopes = try EmulatedGrant.scopes(query["scope"], within: EmulatedDropbox.scopes)
        self.challenge = challenge
        isOffline = access == "offline"
    }

    /// The code for this request, valid until `end`.
    func code(until end: Double) -> AuthorizationCode {
        AuthorizationCode(
            grant: EmulatedGrant(client: client, account: account, scopes: scopes, usesPKCE: challenge != nil),
            redirectURI: redirect,
            challenge: challenge,
            isOffline: isOffline,
            end: end
        )
    }

    static func isAllowedRedirect(_ text: String) -> Bool {
        let starts = ["https://", "http://localhost:", "http://localhost/", "http://127.0.0.1:", "http://127.0.0.1/"]
        return starts.contains { text.hasPrefix($0) }
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension EmulatorReply {
    /// Sends the person's browser back to the app.
    static func redirection(to address: String, _ fields: [(String, String)]) -> EmulatorReply {
        let query = fields.map { "\($0.0)=\(FormFields.encode($0.1))" }.joined(separator: "&")
        let location = address + (address.contains("?") ? "&" : "?") + query
        return EmulatorReply(status: 302, headers: [("Location", location)])
    }

    static func page(showing code: String) -> EmulatorReply {
        .text(
            """
            <!doctype html><title>Emulated Dropbox</title>
            <p>The app may use the emulated account. Give it this code:</p>
            <p><code id="auth-code">\(FormFields.html(code))</code></p>

            """,
            status: 200,
            type: "text/html; charset=utf-8"
        )
    }
}
