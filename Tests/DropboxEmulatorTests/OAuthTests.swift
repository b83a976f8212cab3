// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Testing

/// The authorize page, codes, tokens, refreshing and revoking.
@Suite struct OAuthTests {
    var bench = EmulatorBench()
    static let verifier = String(repeating: "v-._~0aZ", count: 6)

    private mutating func authorize(_ query: [String: String]) -> EmulatorReply {
        var all = ["client_id": "app", "response_type": "code"]
        all.merge(query) { _, given in given }
        all = all.filter { !$0.value.isEmpty }
        let request = EmulatorRequest(method: "GET", path: "/oauth2/authorize", query: all)
        return bench.send(request).reply ?? EmulatorReply(status: 0)
    }

    /// The code that the page shows.
    private mutating func code(_ query: [String: String] = Self.offline) -> String {
        let page = authorize(query).text
        guard let start = page.firstRange(of: "auth-code\">") else { return "" }
        return String(page[start.upperBound...].prefix { $0 != "<" })
    }

    private mutating func token(_ fields: [String: String], headers: [String: String] = [:]) -> EmulatorReply {
        let body = fields.map { "\($0)=\($1.replacing("~", with: "%7E"))" }.joined(separator: "&")
        let request = EmulatorRequest(
            method: "POST",
            path: "/oauth2/token",
            headers: ["Content-Type": "application/x-www-form-urlencoded"].merging(headers) { $1 }
        )
        return bench.send(request, Array(body.utf8)).reply ?? EmulatorReply(status: 0)
    }

    private mutating func exchange(_ code: String, _ fields: [String: String] = [:]) -> EmulatorReply {
        var all = [
            "grant_type": "authorization_code", "code": code, "client_id": "app", "code_verifier": Self.verifier,
        ]
        all.merge(fields) { _, given in given }
        return token(all.filter { !$0.value.isEmpty })
    }

    private static var offline: [String: String] {
        [
            "token_access_type": "offline", "code_challenge": EmulatedDropbox.challenge(verifier),
            "code_challenge_method": "S256",
        ]
    }

    @Test func `a challenge is that of the standard`() {
        // RFC 7636, appendix B.
        let challenge = EmulatedDropbox.challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test mutating func `a code and its verifier give tokens once`() {
        let code = code()
        let reply = exchange(code)
        #expect(reply.status == 200)
        let json = reply.json
        #expect(json["token_type"] == "bearer")
        #expect(json["expires_in"] == 14_400)
        #expect(json["refresh_token"].string != nil)
        #expect(json["uid"].string != nil && json["account_id"].string?.hasPrefix("dbid:") == true)
        #expect(json["scope"].string?.contains("files.content.write") == true)
        let again = exchange(code)
        #expect(again.status == 400)
        #expect(again.json["error"] == "invalid_grant")
        #expect(bench.dropbox.record.tokensForCodes == 1)
    }

    @Test mutating func `only offline access gives a refresh token`() {
        var query = Self.offline
        query["token_access_type"] = "online"
        #expect(exchange(code(query)).json["refresh_token"] == .null)
        query["token_access_type"] = ""
        #expect(exchange(code(query)).json["refresh_token"] == .null)
    }

    @Test mutating func `a wrong exchange uses the code up`() {
        let wrong: [[String: String]] = [
            ["code_verifier": String(repeating: "w", count: 43)], ["code_verifier": ""], ["code_verifier": "short"],
            ["client_id": "other"], ["redirect_uri": "http://localhost:1/"],
        ]
        for fields in wrong {
            let code = code()
            #expect(exchange(code, fields).json["error"] == "invalid_grant", "\(fields)")
            #expect(exchange(code).json["error"] == "invalid_grant")
        }
        let late = code()
        bench.now += 600
        #expect(exchange(late).json["error"] == "invalid_grant")
    }

    @Test mutating func `a redirect brings code and state, and must be named again`() {
        var query = Self.offline
        query["redirect_uri"] = "http://127.0.0.1:8123/back?x=1"
        query["state"] = "a b&c"
        let reply = authorize(query)
        #expect(reply.status == 302)
        let location = reply.header("Location") ?? ""
        #expect(location.hasPrefix("http://127.0.0.1:8123/back?x=1&code="))
        #expect(location.hasSuffix("&state=a%20b%26c"))
        let code = String(location.dropFirst("http://127.0.0.1:8123/back?x=1&code=".count).prefix { $0 != "&" })
        #expect(exchange(code, ["redirect_uri": "http%3A%2F%2F127.0.0.1%3A8123%2Fback%3Fx%3D1"]).status == 200)
        #expect(authorize(["redirect_uri": "http://example.com/"]).status == 400)
        #expect(authorize(["redirect_uri": "http://localhost.example.com/"]).status == 400)
        #expect(authorize(["redirect_uri": "https://example.com/"]).status == 302)
    }

    @Test mutating func `a person may say no`() {
        bench.dropbox.rules.deniesAuthorization = true
        let reply = authorize(["redirect_uri": "http://localhost:1/", "state": "s"])
        #expect(reply.header("Location")?.contains("error=access_denied") == true)
        #expect(reply.header("Location")?.hasSuffix("state=s") == true)
        #expect(authorize([:]).json["error"] == "access_denied")
    }

    @Test mutating func `the page refuses what makes no sense`() {
        #expect(authorize(["client_id": ""]).status == 400)
        #expect(authorize(["response_type": "token"]).json["error"] == "unsupported_response_type")
        #expect(authorize(["token_access_type": "forever"]).json["error"] == "invalid_request")
        #expect(authorize(["code_challenge": "x"]).json["error"] == "invalid_request")
        let plain = ["code_challenge": Self.verifier, "code_challenge_method": "plain"]
        #expect(authorize(plain).json["error"] == "invalid_request")
        let short = ["code_challenge": "short", "code_challenge_method": "S256"]
        #expect(authorize(short).json["error"] == "invalid_request")
        #expect(authorize(["scope": "files.content.write everything"]).json["error"] == "invalid_scope")
    }

    @Test mutating func `a code without a challenge needs the secret`() {
        bench = EmulatorBench(apps: ["app": "secret", "public": ""])
        let wrong = ["code_verifier": "", "client_secret": "wrong"]
        #expect(exchange(code(["token_access_type": "offline"]), wrong).json["error"] == "invalid_client")
        #expect(
            exchange(code(["token_access_type": "offline"]), ["code_verifier": ""]).json["error"] == "invalid_client"
        )
        let right = ["code_verifier": "", "client_secret": "secret"]
        let tokens = exchange(code(["token_access_type": "offline"]), right).json
        let refresh = ["grant_type": "refresh_token", "refresh_token": tokens["refresh_token"].string ?? ""]
        #expect(token(refresh.merging(["client_id": "app"]) { $1 }).json["error"] == "invalid_client")
        #expect(token(refresh, headers: ["authorization": "Basic YXBwOnNlY3JldA=="]).status == 200)
        #expect(authorize(["client_id": "unknown"]).status == 400)
        let unknown = token(["grant_type": "refresh_token", "client_id": "unknown", "refresh_token": "x"])
        #expect(unknown.json["error"] == "invalid_client")
        let secretOfNone = token(["grant_type": "refresh_token", "client_id": "public", "client_secret": "x"])
        #expect(secretOfNone.json["error"] == "invalid_client")
    }

    @Test mutating func `a refresh token gives new access tokens and stays`() {
        let refresh = exchange(code()).json["refresh_token"].string ?? ""
        let fields = ["grant_type": "refresh_token", "client_id": "app", "refresh_token": refresh]
        let first = token(fields)
        #expect(first.status == 200)
        #expect(first.json["refresh_token"] == .null)
        #expect(first.json["expires_in"] == 14_400)
        bench.now += 100_000
        let second = token(fields)
        bench.token = second.json["access_token"].string ?? ""
        #expect(bench.token != first.json["access_token"].string)
        #expect(bench.call(.upload, ["path": "/a"]).status == 200)
        #expect(bench.dropbox.record.tokenRefreshes == 2)
        #expect(token(fields.merging(["client_id": "other"]) { $1 }).json["error"] == "invalid_grant")
        #expect(token(fields.merging(["refresh_token": "x"]) { $1 }).json["error"] == "invalid_grant")
    }

    @Test mutating func `a refresh may narrow the permissions and not widen them`() {
        var query = Self.offline
        query["scope"] = "files.content.write files.metadata.read"
        let refresh = exchange(code(query)).json["refresh_token"].string ?? ""
        var fields = ["grant_type": "refresh_token", "client_id": "app", "refresh_token": refresh]
        fields["scope"] = "files.metadata.read"
        bench.token = token(fields).json["access_token"].string ?? ""
        #expect(bench.call(.upload, ["path": "/a"]).tag == "missing_scope")
        fields["scope"] = "account_info.read"
        #expect(token(fields).json["error"] == "invalid_scope")
    }

    @Test mutating func `the token route takes forms alone`() {
        let request = EmulatorRequest(
            method: "POST",
            path: "/oauth2/token",
            headers: ["Content-Type": "application/json"]
        )
        #expect(bench.send(request, Array("{}".utf8)).reply?.json["error"] == "invalid_request")
        #expect(token(["grant_type": "password", "client_id": "app"]).json["error"] == "unsupported_grant_type")
        #expect(token(["grant_type": "refresh_token"]).json["error"] == "invalid_request")
        #expect(token(["grant_type": "%zz"]).json["error"] == "invalid_request")
        #expect(bench.send(EmulatorRequest(method: "GET", path: "/oauth2/token")).reply?.status == 405)
    }

    @Test mutating func `revoking ends the refresh token and all that came from it`() {
        let tokens = exchange(code()).json
        let refresh = tokens["refresh_token"].string ?? ""
        let fields = ["grant_type": "refresh_token", "client_id": "app", "refresh_token": refresh]
        let second = token(fields).json["access_token"].string ?? ""
        bench.token = tokens["access_token"].string ?? ""
        #expect(bench.call(.revoke, .null).text == "null")
        #expect(bench.call(.currentAccount, .null).tag == "invalid_access_token")
        bench.token = second
        #expect(bench.call(.currentAccount, .null).tag == "invalid_access_token")
        #expect(token(fields).json["error"] == "invalid_grant")
    }
}
