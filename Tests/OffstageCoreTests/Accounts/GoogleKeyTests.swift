// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct GoogleKeyTests {
    private func read(_ text: String) -> Result<GoogleKey, GoogleKey.Problem> { GoogleKey.read(Array(text.utf8)) }

    private func problem(_ text: String) -> String {
        if case .failure(let problem) = read(text) { problem.detail } else { "" }
    }

    @Test func `the files of service accounts and of users are read`() throws {
        let account = GoogleKey.ServiceAccount(
            email: "a@p.iam.gserviceaccount.com",
            keyID: "k1",
            privateKey: "PEM",
            tokenURL: "https://oauth2.googleapis.com/token"
        )
        let text =
            #"{"type":"service_account","client_email":"a@p.iam.gserviceaccount.com","private_key_id":"k1","private_key":"PEM"}"#
        #expect(try read(text).get() == .serviceAccount(account))
        let user = #"{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"}"#
        #expect(try read(user).get() == .user(.init(clientID: "c", clientSecret: "s", refreshToken: "r")))
        #expect("\(try read(user).get())" == "(hidden)")
    }

    @Test func `what is missing is said`() {
        #expect(problem("nonsense").contains("is not a key file"))
        #expect(problem(#"{"type":"service_account"}"#).contains("client_email"))
        #expect(problem(#"{"type":"authorized_user","client_id":"c"}"#).contains("refresh_token"))
        #expect(problem(#"{"type":"external_account"}"#).contains("use --token-command"))
    }

    @Test func `the claims name who asks whom, for what, and until when`() throws {
        let account = GoogleKey.ServiceAccount(email: "a@p", keyID: "k", privateKey: "", tokenURL: "https://t.example")
        let parts = GoogleKey.claims(of: account, at: 1_780_000_000).split(separator: ".").map { part in
            let text = part.replacing("-", with: "+").replacing("_", with: "/")
            let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            return Data(base64Encoded: text + padding).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        #expect(
            parts == [
                #"{"alg":"RS256","kid":"k","typ":"JWT"}"#,
                #"{"aud":"https://t.example","exp":1780003600,"iat":1780000000,"iss":"a@p","scope":"https://www.googleapis.com/auth/devstorage.read_write"}"#,
            ]
        )
        #expect(Base64URL.text([0xFB, 0xFF, 0xFE, 0x01]) == "-__-AQ")
    }
}
