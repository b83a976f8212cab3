// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct AccountTests {
    @Test(arguments: ["dropbox", "work", "a", "My-Account_2.0", String(repeating: "x", count: 64)])
    func `a name is a word`(name: String) throws {
        try Account.validate(name: name)
    }

    @Test(arguments: [
        "", "two words", "a:b", "a/b", "-a", ".a", "ä", "a\u{0}", "http", "HTTPS", "file",
        String(repeating: "x", count: 65),
    ])
    func `what could not stand before a colon is no name`(name: String) {
        #expect(throws: RequestError.self) { try Account.validate(name: name) }
    }

    @Test func `Dropbox's own places are the default, and all can be put below one URL`() throws {
        try DropboxEndpoints.dropbox.validate()
        for base in ["https://box.example/x", "https://box.example/x//"] {
            let below = try DropboxEndpoints(below: base)
            #expect(below.authorize == "https://box.example/x/oauth2/authorize")
            #expect(below.token == "https://box.example/x/oauth2/token")
            #expect(below.api == "https://box.example/x/2" && below.content == below.api)
        }
    }

    @Test(arguments: ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:9", "https://far.example"])
    func `tokens may go over https, or to this machine`(base: String) throws {
        _ = try DropboxEndpoints(below: base)
    }

    @Test(arguments: [
        "http://far.example", "http://127.0.0.1.far.example", "http://localhost.far.example", "http://10.0.0.1",
        "ftp://a", "far.example", "", "https://me:secret@far.example", "https://far.example/?a=secret",
        "https://far.example/#secret",
    ])
    func `tokens go nowhere else, and the sentence holds no secret`(base: String) {
        let error = #expect(throws: RequestError.self) { try DropboxEndpoints(below: base) }
        #expect(error?.sentence.contains("secret") == false)
    }

    @Test func `an account is the same after a round through JSON`() throws {
        var account = Account(
            name: "work",
            kind: .dropbox,
            appKey: "key",
            endpoints: try DropboxEndpoints(below: "http://127.0.0.1:1"),
            accountID: "dbid:1",
            email: "a@example.org",
            addedAt: Fixture.start,
            proxy: .init(https: "http://p:1"),
            certificateAuthorityPath: "/ca.pem"
        )
        account.state = .needsSignIn(.revoked, since: Fixture.start)
        let text = try JSONEncoder().encode(account)
        #expect(try JSONDecoder().decode(Account.self, from: text) == account)
    }

    @Test func `every reason for a new sign-in has words`() {
        for reason in SignInReason.allCases {
            let failure = TransferFailure.signInNeeded("work", reason)
            #expect(failure.detail.hasPrefix("the account 'work' needs a new sign-in: "))
            #expect(!failure.detail.hasSuffix("."))
        }
    }
}
