// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers
import Testing

/// Signatures against the examples in AWS's documentation (sig-v4-header-based-auth).
@Suite struct SignatureV4Tests {
    private static let key = AccessKey(
        id: "AKIAIOSFODNN7EXAMPLE",
        secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    )
    private static let signature = SignatureV4(
        key: key,
        region: "us-east-1",
        time: Date(timeIntervalSince1970: 1_369_353_600)
    )

    @Test(arguments: [
        ("?lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        ("?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ])
    func `requests are signed as AWS documents it`(query: String, expected: String) throws {
        let url = try RequestURL("https://examplebucket.s3.amazonaws.com/\(query)")
        let fields = Self.signature.fields("GET", url, [], bodyHash: SignatureV4.hashOfNothing)
        #expect(fields["x-amz-date"] == "20130524T000000Z")
        #expect(
            fields["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=\(expected)"
        )
    }

    @Test func `a session token and what is kept with the object are signed, in order`() throws {
        var key = Self.key
        key.sessionToken = "token"
        let signature = SignatureV4(key: key, region: "eu-central-1", time: Date(timeIntervalSince1970: 0))
        let fields = signature.fields(
            "PUT",
            try RequestURL("http://127.0.0.1:9000/b/k"),
            [
                HeaderField(name: "X-Amz-Meta-B", value: " two   words "),
                HeaderField(name: "Content-Type", value: "a/b"),
                HeaderField(name: "x-amz-acl", value: "private"),
            ],
            bodyHash: SignatureV4.hashOfNothing
        )
        let names = "host;x-amz-acl;x-amz-content-sha256;x-amz-date;x-amz-meta-b;x-amz-security-token"
        #expect(fields["Authorization"]?.contains("SignedHeaders=\(names),") == true)
        #expect(fields["x-amz-security-token"] == "token")
    }

    @Test(arguments: [
        (-1e300, "19700101T000000Z"), (0, "19700101T000000Z"), (1_709_164_799, "20240228T235959Z"),
        (1e300, "99991231T235959Z"),
    ])
    func `any clock gives a time`(seconds: Double, expected: String) {
        #expect(SignatureV4.timestamp(Date(timeIntervalSince1970: seconds)) == expected)
    }

    @Test func `a key is never shown`() {
        #expect(!"\(Self.key) \(String(reflecting: Self.key)) \(Self.signature)".contains("wJalr"))
        var text = ""
        dump(GrantedToken(Self.key).accessKey, to: &text)
        #expect(!text.contains("wJalr"))
    }
}
