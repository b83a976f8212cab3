// SPDX-License-Identifier: Apache-2.0

/// The page on which a person allows an app something. Nobody has to press a button: whoever opens it has said yes.
extension EmulatedDropbox {
    mutating func authorize(_ request: EmulatorRequest, _ now: Double) throws(DropboxRefusal) -> EmulatorReply {
        guard request.method == "GET" else { throw .status(405, "The authorize page is opened with GET.\n") }
        let query = request.query
        guard let client = query["client_id"], !client.isEmpty else { throw .malformed("Missing client_id.\n") }
        guard apps.isEmpty || apps[client] != nil else { throw .malformed("Invalid client_id: \"\(client)\".\n") }
        let redirect = query["redirect_uri"]
        if let redirect, !Self.isAllowedRedirect(redirect) {
            throw .malformed("Invalid redirect_uri: it must be https, or http on localhost or 127.0.0.1.\n")
        }
        do throws(DropboxRefusal) {
            let code = try makeCode(query, client: client, redirect: redirect, now)
            guard let redirect else { return Self.page(showing: code) }
            return Self.redirection(to: redirect, [("code", code)] + Self.state(query))
        } catch {
            guard case .oauth(let name, let description) = error, let redirect else { throw error }
            let fields = [("error", name), ("error_description", description)]
            return Self.redirection(to: redirect, fields + Self.state(query))
        }
    }

    private mutating func makeCode(
        _ query: [String: String],
        client: String,
        redirect: String?,
        _ now: Double
    ) throws(DropboxRefusal) -> String {
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
        let scopes = try Self.scopes(query["scope"], within: Self.scopes)
        if rules.deniesAuthorization { throw refuse("access_denied", "The user chose not to give your app access") }
        let account = query["emulator_account"] ?? Self.mainAccount
        ensureAccount(account)
        let code = random.name(43)
        codes[code] = AuthorizationCode(
            grant: EmulatedGrant(client: client, account: account, scopes: scopes, usesPKCE: challenge != nil),
            redirectURI: redirect,
            challenge: challenge,
            isOffline: access == "offline",
            end: now + rules.codeLifetime
        )
        return code
    }

    /// The scopes that are asked for, names with spaces between them; all that are allowed where none is named.
    static func scopes(_ text: String?, within allowed: [String]) throws(DropboxRefusal) -> [String] {
        guard let text else { return allowed }
        let scopes = text.split(separator: " ").map(String.init)
        if let other = scopes.first(where: { !allowed.contains($0) }) {
            throw .oauth(error: "invalid_scope", description: "the scope \"\(other)\" is not available to this app")
        }
        return scopes
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isAllowedRedirect(_ text: String) -> Bool {
        let starts = ["https://", "http://localhost:", "http://localhost/", "http://127.0.0.1:", "http://127.0.0.1/"]
        return starts.contains { text.hasPrefix($0) }
    }

    private static func state(_ query: [String: String]) -> [(String, String)] {
        query["state"].map { [("state", $0)] } ?? []
    }

    private static func redirection(to address: String, _ fields: [(String, String)]) -> EmulatorReply {
        let query = fields.map { "\($0.0)=\(FormFields.encode($0.1))" }.joined(separator: "&")
        let location = address + (address.contains("?") ? "&" : "?") + query
        return EmulatorReply(status: 302, headers: [("Location", location)])
    }

    private static func page(showing code: String) -> EmulatorReply {
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
