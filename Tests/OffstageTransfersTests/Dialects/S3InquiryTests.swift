// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers
import Testing

/// A question to an S3 endpoint: the requests, and the effect of refusals.
@Suite struct S3InquiryTests {
    private static let now = Moment(wall: Date(timeIntervalSince1970: 1_790_000_000), bootID: "b", uptime: 0)
    private static let keys = CredentialSource.account("minio")

    private static func inquiry(
        _ question: S3Inquiry.Question,
        base: String? = "https://s3.example"
    ) -> S3Inquiry {
        let way = TokenRequest.Way(.init(), certificateAuthorityPath: nil)
        var inquiry = S3Inquiry(
            question,
            at: S3Endpoint(base: base, region: "us-east-1"),
            keys: keys,
            by: way
        )
        inquiry.authorized(key("k1"))
        return inquiry
    }

    private static func key(_ name: String) -> GrantedToken {
        var token = GrantedToken(name)
        token.accessKey = AccessKey(id: "AKID", secret: "hunter2")
        return token
    }

    private static func sent(_ step: InquiryStep) throws -> (url: String, method: String, headers: [HeaderField]) {
        guard case .send(let request) = step, case .signed(let method, let headers) = request.body else {
            throw Unexpected(step: "\(step)")
        }
        return (request.url.unredacted, method, headers)
    }

    private struct Unexpected: Error { let step: String }

    private static func answer(_ status: Int, _ code: String = "", _ headers: (String, String)...) -> TokenAnswer {
        TokenAnswer(
            status: status,
            body: Array("<Error><Code>\(code)</Code></Error>".utf8),
            headers: headers.map { HeaderField(name: $0.0, value: $0.1) }
        )
    }

    @Test func `a page is asked for, signed, below the bucket`() throws {
        let marker = S3UploadMarker(key: "a b/ü", upload: "u1")
        var inquiry = Self.inquiry(.openUploads(bucket: "films", prefix: "2026/", after: marker))
        let request = try Self.sent(inquiry.next(now: Self.now))
        #expect(
            request.url
                == "https://s3.example/films/?encoding-type=url&key-marker=a%20b%2F%C3%BC&max-uploads=200&prefix=2026%2F&upload-id-marker=u1&uploads="
        )
        #expect(request.method == "GET")
        #expect(request.headers["Authorization"]?.contains("Credential=AKID/") == true)
        #expect(!request.headers.contains { $0.value.contains("hunter2") })
        inquiry.answered(TokenAnswer(status: 200, body: [1]), now: Self.now)
        guard case .finish(let answer) = inquiry.next(now: Self.now), answer.body == [1] else {
            throw Unexpected(step: "no end")
        }
    }

    @Test func `an upload is ended at its object`() throws {
        var inquiry = Self.inquiry(.abort(S3Location(bucket: "films", key: "a b"), upload: "u+1"))
        let request = try Self.sent(inquiry.next(now: Self.now))
        #expect(request.url == "https://s3.example/films/a%20b?uploadId=u%2B1" && request.method == "DELETE")
    }

    @Test func `an object is asked about with its digest, and may be missing`() throws {
        for status in [200, 404] {
            var inquiry = Self.inquiry(.object(S3Location(bucket: "films", key: "a b")))
            let request = try Self.sent(inquiry.next(now: Self.now))
            #expect(request.url == "https://s3.example/films/a%20b" && request.method == "HEAD")
            #expect(request.headers["Authorization"]?.contains(";x-amz-checksum-mode;") == true)
            inquiry.answered(TokenAnswer(status: status, body: []), now: Self.now)
            guard case .finish(let answer) = inquiry.next(now: Self.now) else { throw Unexpected(step: "no end") }
            #expect(answer.status == status)
        }
    }

    @Test func `a key is asked about at AWS in its region`() throws {
        var inquiry = Self.inquiry(.key, base: nil)
        #expect(try Self.sent(inquiry.next(now: Self.now)).url == "https://s3.us-east-1.amazonaws.com/")
    }

    @Test func `a refused key is asked for once more, for the place of the request, and then no more`() throws {
        var inquiry = Self.inquiry(.key)
        for attempt in 1...2 {
            _ = try Self.sent(inquiry.next(now: Self.now))
            inquiry.answered(Self.answer(403, "InvalidAccessKeyId"), now: Self.now)
            guard attempt == 1 else { break }
            guard
                case .authorize(Self.keys, rejecting: "k1", places: ["https://s3.example"]) = inquiry.next(
                    now: Self.now
                )
            else { throw Unexpected(step: "no question for a key") }
            inquiry.authorized(Self.key("k2"))
        }
        guard case .fail(let failure) = inquiry.next(now: Self.now) else { throw Unexpected(step: "no failure") }
        #expect(failure.code == .accessKeyRefused && failure.detail.contains("is not known at s3.example:443"))
    }

    @Test func `a session token that a server repeats is told to nobody`() throws {
        let token = "IQoJb3JpZ2luX2VjEJr3s3cr3tTok3n//////////wEaCXVzLWVhc3QtMSJH"
        var key = Self.key("k1")
        key.accessKey?.sessionToken = token
        for status in [418, 200] {
            var inquiry = Self.inquiry(.object(S3Location(bucket: "films", key: "a b")))
            inquiry.authorized(key)
            let request = try Self.sent(inquiry.next(now: Self.now))
            #expect(request.headers["x-amz-security-token"] == token)
            var answer = Self.answer(status, "Weird", ("ETag", "\"\(token)\""))
            answer.body = Array("<Error><Code>Weird</Code><Message>you sent \(token)</Message></Error>".utf8)
            inquiry.answered(answer, now: Self.now)
            switch inquiry.next(now: Self.now) {
            case .fail(let failure):
                #expect(failure.detail.contains("you sent (hidden)") && !failure.detail.contains("s3cr3t"))
            case .finish(let shown):
                #expect(shown.headers["ETag"] == "\"(hidden)\"")
                #expect(!String(decoding: shown.body, as: UTF8.self).contains("s3cr3t"))
            case .send, .authorize: Issue.record("it has not ended")
            }
        }
    }

    @Test func `another region is followed at AWS`() throws {
        var inquiry = Self.inquiry(.openUploads(bucket: "films", prefix: "", after: nil), base: nil)
        _ = inquiry.next(now: Self.now)
        inquiry.answered(Self.answer(301, "PermanentRedirect", ("x-amz-bucket-region", "eu-west-1")), now: Self.now)
        let request = try Self.sent(inquiry.next(now: Self.now))
        #expect(request.url.hasPrefix("https://films.s3.eu-west-1.amazonaws.com/?encoding-type=url"))
        #expect(request.headers["Authorization"]?.contains("/eu-west-1/s3/") == true)
    }

    @Test(arguments: [
        (404, "NoSuchBucket", "there is no bucket 'films' at s3.example:443"),
        (403, "AccessDenied", "the account 'minio' may not do that"), (404, "NoSuchUpload", "no longer knows"),
        (501, "NotImplemented", "answered 501"), (503, "SlowDown", "answered 503"),
        (403, "SignatureDoesNotMatch", "the secret does not match"),
    ])
    func `a refusal is said in one sentence`(status: Int, code: String, words: String) throws {
        var inquiry = Self.inquiry(.openUploads(bucket: "films", prefix: "", after: nil))
        _ = inquiry.next(now: Self.now)
        inquiry.answered(Self.answer(status, code), now: Self.now)
        guard case .fail(let failure) = inquiry.next(now: Self.now) else { throw Unexpected(step: "no failure") }
        #expect(failure.detail.contains(words), "\(failure.detail)")
    }

    @Test func `no server keeps it asking for ever`() {
        var inquiry = Self.inquiry(.openUploads(bucket: "films", prefix: "", after: nil), base: nil)
        var regions = 0
        for count in 0..<100 {
            guard case .send = inquiry.next(now: Self.now) else { break }
            regions = count
            inquiry.answered(
                Self.answer(301, "PermanentRedirect", ("x-amz-bucket-region", "r-\(count)")),
                now: Self.now
            )
        }
        #expect(regions < 10)
        guard case .fail = inquiry.next(now: Self.now) else {
            Issue.record("it still asks")
            return
        }
    }
}
