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

    @Test func `an account at S3 is the same after a round through JSON, and says what server it is for`() throws {
        var account = Account(
            name: "minio",
            service: .s3(S3Endpoint(base: "https://minio.example:9000", region: "garage")),
            accountID: "AKIA…MPLE",
            addedAt: Fixture.start
        )
        account.state = .needsSignIn(.keyRefused, since: Fixture.start)
        try account.validate()
        let text = try JSONEncoder().encode(account)
        #expect(try JSONDecoder().decode(Account.self, from: text) == account)
        #expect(account.kind == .s3 && account.server == "https://minio.example:9000" && account.dropbox == nil)
        #expect(throws: RequestError.self) {
            try Account(name: "a", service: .s3(S3Endpoint(base: "ftp://h", region: "r")), addedAt: Fixture.start)
                .validate()
        }
    }

    @Test(arguments: [
        ("https://minio.example:9000", true), ("https://MINIO.example:9000", true),
        ("http://minio.example:9000", false),
        ("https://minio.example", false), ("https://minio.example.evil:9000", false), ("no URL", false),
    ])
    func `its key signs for its own server alone`(place: String, owns: Bool) throws {
        let endpoint = S3Endpoint(base: "https://minio.example:9000", region: "us-east-1")
        let account = Account(name: "a", service: .s3(endpoint), addedAt: Fixture.start)
        #expect(account.owns([place]) == owns && !account.owns([]))
        #expect(account.owns(["https://minio.example:9000", place]) == owns)
    }

    @Test(arguments: [
        ("https://films.s3.eu-west-1.amazonaws.com", true), ("https://s3.us-east-1.amazonaws.com", true),
        ("https://a.b.s3.cn-north-1.amazonaws.com.cn", true), ("http://films.s3.eu-west-1.amazonaws.com", false),
        ("https://films.s3.eu-west-1.amazonaws.com:8443", false), ("https://ec2-1-2-3-4.compute.amazonaws.com", false),
        ("https://x.s3.us-east-1.elb.amazonaws.com", false), ("https://s3.us-east-1.amazonaws.com.evil", false),
        ("https://s3.us-east-1.amazonaws.org.cn", false), ("https://amazonaws.com", false),
        ("https://s3.us-east-1.evilamazonaws.com", false),
    ])
    func `a key for AWS signs for S3's hosts there`(place: String, owns: Bool) {
        let endpoint = S3Endpoint(base: nil, region: "us-east-1")
        #expect(Account(name: "a", service: .s3(endpoint), addedAt: Fixture.start).owns([place]) == owns)
    }

    @Test func `an owner who names no server means the account's`() {
        let account = S3Endpoint(base: "https://m.example", region: "garage")
        let usual = S3Endpoint(base: nil, region: S3Endpoint.defaultRegion)
        #expect(usual.at(account) == account && usual.at(nil) == usual)
        let other = S3Endpoint(base: "https://o.example", region: "eu-west-1")
        #expect(other.at(account) == other)
    }

    @Test func `a key shows no more than the ends of its ID`() {
        #expect(AccessKey(id: "AKIAIOSFODNN7EXAMPLE", secret: "s").shortID == "AKIA…MPLE")
        #expect(AccessKey(id: "minioadmin", secret: "s").shortID == "mi…")
        #expect("\(AccessKey(id: "minioadmin", secret: "s"))" == "(hidden)")
    }

    @Test func `every reason for a new sign-in has words`() {
        for reason in SignInReason.allCases {
            let failure = TransferFailure.signInNeeded("work", reason)
            let need = reason == .keyRefused ? "key" : "sign-in"
            #expect(failure.detail.hasPrefix("the account 'work' needs a new \(need): "))
            #expect(!failure.detail.hasSuffix("."))
        }
    }
}
