// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct TokenAnswerTests {
    private func verdict(_ status: Int, _ body: String, retryAfter: Double? = nil) -> TokenAnswer.Verdict {
        TokenAnswer(status: status, body: Array(body.utf8), retryAfter: retryAfter)
            .verdict(server: "api.example:443", now: Fixture.moment(0))
    }

    private func failure(_ status: Int, _ body: String) -> TransferFailure? {
        if case .failed(let failure) = verdict(status, body) { failure } else { nil }
    }

    @Test func `what Dropbox answers a code with is taken whole`() {
        let answer = """
            {"access_token": "sl.a-b_c~1", "token_type": "bearer", "expires_in": 14400, "refresh_token": "r-1",
            "scope": "files.content.write", "uid": "12345", "account_id": "dbid:AAA", "something_new": {"x": 1}}
            """
        let grant = AccountGrant(
            accessToken: "sl.a-b_c~1",
            expiry: Deadline(setAt: Fixture.moment(0), delay: 14_400),
            refreshToken: "r-1"
        )
        #expect(verdict(200, answer) == .granted(grant, accountID: "dbid:AAA"))
    }

    @Test func `what comes for a refresh token has no other one, and may have no end`() {
        let renewed = verdict(200, #"{"access_token": "a", "token_type": "bearer", "expires_in": 60}"#)
        let expiry = Deadline(setAt: Fixture.moment(0), delay: 60)
        #expect(renewed == .granted(.init(accessToken: "a", expiry: expiry, refreshToken: nil), accountID: nil))
        let endless = verdict(200, #"{"access_token": "a"}"#)
        #expect(endless == .granted(.init(accessToken: "a", expiry: nil, refreshToken: nil), accountID: nil))
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"access_token": ""}"#, #"{"access_token": 7}"#, "<html>",
        #"{"access_token": "a\r\nX-Evil: 1"}"#, #"{"access_token": "a b"}"#, #"{"access_token": "ä"}"#,
        #"{"access_token": "a", "token_type": "mac"}"#, #"{"access_token": "a", "refresh_token": ""}"#,
        #"{"access_token": "a", "expires_in": "soon"}"#,
    ])
    func `an answer that is no token is none`(body: String) {
        #expect(failure(200, body)?.code == .serverMisbehaves)
    }

    @Test func `a grant that is not valid any more is refused`() {
        #expect(verdict(400, #"{"error": "invalid_grant", "error_description": "token is revoked"}"#) == .refused)
        #expect(verdict(401, #"{"error": "invalid_grant"}"#) == .refused)
    }

    @Test(arguments: [
        (429, TransferFailure.Code.serverBusy), (500, .serverBusy), (503, .serverBusy), (408, .serverBusy),
        (302, .redirectRefused), (403, .accountUnusable), (404, .accountUnusable), (400, .accountUnusable),
    ])
    func `a status says whether it may pass`(status: Int, code: TransferFailure.Code) {
        let found = failure(status, "an error page with sl.secret in it")
        #expect(found?.code == code)
        #expect(found?.detail.contains("api.example:443") == true)
        #expect(found?.detail.contains("secret") == false)
    }

    @Test func `the time that a server wants is heeded`() {
        let busy = TransferFailure(.serverBusy, "api.example:443 answered 429 to a sign-in", retryAfter: 7)
        #expect(verdict(429, "", retryAfter: 7) == .failed(busy))
    }

    @Test(arguments: ["invalid_client", "unauthorized_client"])
    func `a wrong app key is named as such, and ends nothing`(word: String) {
        #expect(failure(400, #"{"error": "\#(word)"}"#)?.detail.contains("app key") == true)
    }

    @Test func `words of the standard are repeated, and no others`() {
        #expect(failure(400, #"{"error": "invalid_scope"}"#)?.detail.contains("invalid_scope") == true)
        #expect(failure(400, #"{"error": "sl.secret"}"#)?.detail.contains("secret") == false)
    }
}
