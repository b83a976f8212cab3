// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers
import Testing

/// The requests of a download from S3, and the meaning of their refusals.
@Suite struct S3DownloadTests {
    private static let old = AccessKey(id: "OLDKEY", secret: "s1")
    private static let new = AccessKey(id: "NEWKEY", secret: "s2", sessionToken: "t2")

    private static func moment(_ seconds: Double) -> Moment {
        Moment(wall: Date(timeIntervalSince1970: 1_800_000_000 + seconds), bootID: "b", uptime: seconds)
    }

    private static func object(base: String? = "https://s3.example") -> S3Object {
        var object = ModelS3.parameters().object
        object.endpoint.base = base
        return object
    }

    private static func spec(_ object: S3Object = object(), headers: [HeaderField] = []) throws -> TransferSpec {
        var spec = TransferSpec(
            direction: .download(.init(path: "/a", overwrites: false)),
            url: try object.url(),
            owner: "command"
        )
        spec.dialect = try object.dialectSpec()
        spec.headers = headers
        return spec
    }

    private static func download(base: String? = "https://s3.example") throws -> S3Download {
        var download = try S3Download(spec(object(base: base)))
        download.authorized(GrantedToken(old))
        return download
    }

    private static func refusal(_ status: Int, _ code: String, _ headers: (String, String)...) -> Answer {
        Answer(
            status: status,
            headers: headers.map { HeaderField(name: $0.0, value: $0.1) },
            bodyStart: Array("<Error><Code>\(code)</Code></Error>".utf8)
        )
    }

    /// Sends a request in a lane, and has the server answer.
    private func ask(_ download: inout S3Download, _ answer: Answer, at seconds: Double = 0) -> DownloadVerdict {
        _ = download.request(lane: 0, now: Self.moment(seconds))
        return download.answered(answer, lane: 0, now: Self.moment(seconds))
    }

    @Test func `a request is signed when it is made, and carries nothing of the owner's but a range`() throws {
        let headers = [("Range", "bytes=1-2"), ("Authorization", "mine"), ("x-amz-copy-source", "b")].map {
            HeaderField(name: $0.0, value: $0.1)
        }
        var download = try S3Download(Self.spec(headers: headers))
        #expect(download.asksFor == Self.object().keys && download.rejected == nil)
        download.authorized(GrantedToken(Self.new))
        #expect(download.asksFor == nil)
        let first = download.request(lane: 0, now: Self.moment(0))
        let later = download.request(lane: 1, now: Self.moment(7200))
        #expect(first.method == "GET" && first.url.unredacted == "https://s3.example/films/2026/a%20film.mov")
        #expect(first.headers["Range"] == "bytes=1-2" && first.headers["x-amz-copy-source"] == nil)
        #expect(first.headers["x-amz-security-token"] == "t2")
        #expect(first.headers.filter { $0.name == "Authorization" }.count == 1)
        #expect(
            first.headers["Authorization"]?.hasPrefix("AWS4-HMAC-SHA256 Credential=NEWKEY/20270115/us-east-1/s3/")
                == true
        )
        #expect(first.headers["Authorization"]?.contains("x-amz-checksum-mode") == true)
        #expect(first.headers["x-amz-date"] == "20270115T080000Z" && later.headers["x-amz-date"] == "20270115T100000Z")
        #expect(download.tokenPlaces == ["https://s3.example"])
        for request in [first, later] { for field in request.headers { try field.validate() } }
    }

    @Test func `for more connections than usual, the object's head is requested like the object`() throws {
        var usual = try Self.spec()
        usual.connection = ConnectionOptions()
        usual.connection?.connections = S3Object.usualConnections
        var spec = usual
        spec.connection?.connections = S3Object.usualConnections + 1
        var (download, other) = (try S3Download(spec), try S3Download(usual))
        download.authorized(GrantedToken(Self.old))
        other.authorized(GrantedToken(Self.old))
        let none = other.inquiry(now: Self.moment(0))
        #expect(none == nil)
        let object = download.request(lane: 0, now: Self.moment(0))
        let inquiry = download.inquiry(now: Self.moment(0))
        let head = try #require(inquiry)
        #expect(head.method == "HEAD" && head.lane == 0 && head.url == object.url)
        #expect(head.headers.map(\.name) == object.headers.map(\.name))
        #expect(head.headers["Authorization"] != object.headers["Authorization"], "the method is signed")
        #expect(head.usesCredentials)
        let verdict = download.answered(Answer(status: 200), lane: 0, now: Self.moment(0))
        #expect(verdict == .counts)
    }

    @Test func `an expired key is replaced once by another`() throws {
        var download = try Self.download()
        _ = download.request(lane: 1, now: Self.moment(0))
        #expect(ask(&download, Self.refusal(403, "ExpiredToken")) == .ask)
        #expect(download.asksFor != nil && download.rejected == "OLDKEY")
        download.authorized(GrantedToken(Self.new))
        // Another request that was sent with the old key.
        #expect(download.answered(Self.refusal(403, "ExpiredToken"), lane: 1, now: Self.moment(0)) == .ask)
        #expect(download.asksFor == nil)
        let failure = TransferFailure(
            .accessKeyRefused,
            "the key of the profile 'work' has expired at s3.example:443 (ExpiredToken)"
        )
        #expect(ask(&download, Self.refusal(403, "ExpiredToken")) == .fail(failure))
        // After a success, a key may expire again.
        #expect(ask(&download, Answer(status: 206)) == .counts)
        #expect(ask(&download, Self.refusal(403, "ExpiredToken")) == .ask)
    }

    @Test func `a clock that is wrong is set once by the server's`() throws {
        var download = try Self.download()
        let skewed = Self.refusal(403, "RequestTimeTooSkewed", ("Date", "Fri, 15 Jan 2027 09:00:00 GMT"))
        #expect(ask(&download, skewed) == .ask)
        #expect(download.request(lane: 0, now: Self.moment(1)).headers["x-amz-date"] == "20270115T090001Z")
        guard case .fail(let failure) = download.answered(skewed, lane: 0, now: Self.moment(1)) else {
            Issue.record("it is asked again")
            return
        }
        #expect(failure.code == .accessKeyRefused && failure.detail.contains("this machine's clock is wrong"))
    }

    @Test func `the bucket's region is followed at AWS, and not for ever`() throws {
        var download = try Self.download(base: nil)
        for region in ["eu-west-1", "eu-west-2"] {
            #expect(ask(&download, Self.refusal(301, "PermanentRedirect", ("x-amz-bucket-region", region))) == .ask)
            let request = download.request(lane: 0, now: Self.moment(0))
            #expect(request.url.host == "films.s3.\(region).amazonaws.com")
            #expect(request.headers["Authorization"]?.contains("/\(region)/s3/") == true)
        }
        guard case .fail(let failure) = ask(&download, Self.refusal(301, "", ("x-amz-bucket-region", "us-east-1")))
        else {
            Issue.record("it is followed for ever")
            return
        }
        #expect(failure.detail.contains("--region, which is us-east-1"))
    }

    @Test(arguments: [
        (
            404, "NoSuchKey", TransferFailure.Code.httpStatus,
            "there is no object s3://films/2026/a film.mov at s3.example:443 (NoSuchKey)"
        ),
        (404, "NoSuchBucket", .httpStatus, "there is no bucket 'films' at s3.example:443"),
        (404, "", .httpStatus, "it has no such object, or does not speak S3"),
        (
            403, "AccessDenied", .accessKeyRefused,
            "the profile 'work' may not read s3://films/2026/a film.mov (403 Forbidden (AccessDenied))"
        ),
        (403, "InvalidObjectState", .httpStatus, "is archived (InvalidObjectState): restore it first"),
        (403, "SignatureDoesNotMatch", .accessKeyRefused, "the secret does not match the key of the profile 'work'"),
        (
            400, "AuthorizationHeaderMalformed", .badServerResponse,
            "hand it over again with the bucket's own --endpoint-url and --region"
        ),
        (
            400, "Odd", .httpStatus,
            "s3.example:443 answered 400 Bad Request (Odd) to the download of s3://films/2026/a film.mov"
        ),
        (503, "SlowDown", .serverBusy, "s3.example:443 answered 503 Service Unavailable (SlowDown) to the download"),
        (400, "RequestTimeout", .serverBusy, "(RequestTimeout)"),
    ])
    func `each refusal is one sentence`(status: Int, code: String, kind: TransferFailure.Code, words: String) throws {
        var download = try Self.download()
        guard case .fail(let failure) = ask(&download, Self.refusal(status, code)) else {
            Issue.record("\(status) \(code) is no failure")
            return
        }
        #expect(failure.code == kind && failure.detail.contains(words), "\(failure)")
    }

    @Test func `a session token that a server repeats is in no sentence and no answer that is shown`() throws {
        let token = "IQoJb3JpZ2luX2VjEJr3s3cr3tTok3n//////////wEaCXVzLWVhc3QtMSJH"
        var download = try S3Download(Self.spec())
        download.authorized(GrantedToken(AccessKey(id: "AKID", secret: "s", sessionToken: token)))
        _ = download.request(lane: 1, now: Self.moment(0))
        var answer = Answer(status: 206, headers: [HeaderField(name: "ETag", value: "\"\(token)\"")])
        #expect(download.shown(answer, lane: 1).headers["ETag"] == "\"(hidden)\"")
        // A key that arrived since was not sent in this lane.
        download.authorized(GrantedToken(Self.old))
        #expect(download.shown(answer, lane: 1).headers["ETag"] == "\"(hidden)\"")
        #expect(download.shown(answer, lane: 0) == answer)
        answer.status = 418
        answer.bodyStart = Array("<Error><Code>Odd</Code><Message>you sent \(token)</Message></Error>".utf8)
        guard case .fail(let failure) = download.answered(answer, lane: 1, now: Self.moment(0)) else {
            Issue.record("418 is no failure")
            return
        }
        #expect(failure.detail.contains("you sent (hidden)") && !failure.detail.contains("s3cr3t"))
    }

    @Test func `an object that has changed is fetched anew`() throws {
        var download = try Self.download()
        #expect(ask(&download, Self.refusal(412, "PreconditionFailed")) == .beginAgain)
    }

    @Test func `the daemon makes the request's URL itself, and refuses what is no object`() throws {
        var spec = try Self.spec()
        spec.url = try RequestURL("https://elsewhere.example/")
        spec.method = "DELETE"
        let settled = try Dialects.settled(spec, for: nil, now: Self.moment(0))
        #expect(settled.url == (try Self.object().url()) && settled.method == "GET")
        #expect(Dialects.options(of: spec) == "at https://s3.example, profile work")
        #expect(try Dialects.account(of: spec) == nil)
        #expect(try Dialects.download(spec) is S3Download)
        spec.dialect?.parameters = "{}"
        #expect(throws: RequestError.self) { try Dialects.settled(spec, for: nil, now: Self.moment(0)) }
        spec.dialect?.name = "dropbox"
        #expect(throws: RequestError.self) { try Dialects.settled(spec, for: nil, now: Self.moment(0)) }
        #expect(throws: RequestError.self) { try S3Download(ModelS3.spec(size: 5)) }
    }
}
