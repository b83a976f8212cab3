// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers
import Testing

/// Questions to a server about a transfer's file: the requests, and the meaning of the answers.
@Suite struct ObjectInquiryTests {
    private static let now = Moment(wall: Date(timeIntervalSince1970: 1_790_000_000), bootID: "b", uptime: 0)
    private static let hash = String(repeating: "0a", count: 32)

    private struct Unexpected: Error { let step: String }

    private static func transfer(
        _ dialect: DialectSpec? = nil,
        url: String = "https://files.example/in/a",
        answer: Answer = Answer(status: 201),
        _ change: (inout Transfer) -> Void = { _ in }
    ) throws -> Transfer {
        let identity = FileIdentity(device: 1, inode: 2, size: 40, modified: 3)
        var spec = TransferSpec(
            direction: .upload(.init(path: "/tmp/a", identity: identity)),
            url: try RequestURL(url),
            owner: "command"
        )
        spec.dialect = dialect
        var transfer = Transfer(id: TransferID(rawValue: 7), spec: spec, now: now)
        transfer.state = .finished(.completed(answer), at: now)
        transfer.bytesDone = 40
        change(&transfer)
        return transfer
    }

    private static func download(_ change: (inout Transfer) -> Void = { _ in }) throws -> Transfer {
        var transfer = try transfer()
        transfer.spec = TransferSpec(
            direction: .download(.init(path: "/tmp/a")),
            url: transfer.spec.url,
            owner: "command"
        )
        change(&transfer)
        return transfer
    }

    private static func sent(_ step: InquiryStep) throws -> (url: String, question: TokenRequest.Question) {
        guard case .send(let request) = step, case .question(let question) = request.body else {
            throw Unexpected(step: "\(step)")
        }
        return (request.url.unredacted, question)
    }

    private static func end(_ step: InquiryStep) throws -> TokenAnswer {
        guard case .finish(let answer) = step else { throw Unexpected(step: "\(step)") }
        return answer
    }

    private static func failure(_ step: InquiryStep) throws -> String {
        guard case .fail(let failure) = step else { throw Unexpected(step: "\(step)") }
        return failure.detail
    }

    private static func answer(_ status: Int, _ body: String = "", _ headers: (String, String)...) -> TokenAnswer {
        TokenAnswer(
            status: status,
            body: Array(body.utf8),
            headers: headers.map { HeaderField(name: $0.0, value: $0.1) }
        )
    }

    // MARK: - Dropbox

    private static func dropbox(_ made: String) throws -> Transfer {
        let parameters = DropboxParameters(account: "work", path: "/In/a")
        return try transfer(parameters.dialectSpec(), answer: Answer(status: 200, bodyStart: Array(made.utf8)))
    }

    private static let made = #"{"id":"id:AbC","size":40,"rev":"0123456789","path_display":"/In/a"}"#

    @Test func `Dropbox is asked by the ID that it gave, and then by the path`() throws {
        let transfer = try Self.dropbox(Self.made)
        var inquiry = try StoredObjectInquiry.about(transfer)
        guard case .authorize(.account("work"), rejecting: nil, places: _) = inquiry.next(now: Self.now) else {
            throw Unexpected(step: "no question for a token")
        }
        inquiry.authorized(GrantedToken("sl.SECRET-token"))
        let first = try Self.sent(inquiry.next(now: Self.now))
        #expect(first.url == "https://api.dropboxapi.com/2/files/get_metadata")
        #expect(first.question.method == "POST" && first.question.body == #"{"path":"id:AbC"}"#)
        #expect(first.question.headers["Authorization"] == "Bearer sl.SECRET-token" && first.question.owners == nil)
        let notFound = Self.answer(409, #"{"error":{".tag":"path","path":{".tag":"not_found"}}}"#)
        inquiry.answered(notFound, now: Self.now)
        #expect(try Self.sent(inquiry.next(now: Self.now)).question.body == #"{"path":"/In/a"}"#)
        inquiry.answered(notFound, now: Self.now)
        let end = try Self.end(inquiry.next(now: Self.now))
        #expect(end.status == 404 && StoredObject(end, of: transfer) == nil)
    }

    @Test func `what Dropbox describes is read, and a token that it repeats is struck out`() throws {
        let transfer = try Self.dropbox(Self.made)
        var inquiry = try StoredObjectInquiry.about(transfer)
        inquiry.authorized(GrantedToken("sl.SECRET-token"))
        _ = inquiry.next(now: Self.now)
        let body = #"{"size":41,"rev":"sl.SECRET-token","content_hash":"\#(Self.hash)","path_display":"/Out/b"}"#
        inquiry.answered(Self.answer(200, body), now: Self.now)
        let object = try #require(StoredObject(try Self.end(inquiry.next(now: Self.now)), of: transfer))
        #expect(object.size == 41 && object.place == "work:/Out/b" && object.version == nil)
        #expect(object.digest == FileDigest(sha256: Self.hash, partSize: 4 << 20))
    }

    @Test func `a refused token is asked for once more, and then no more`() throws {
        for (dialect, refusal) in [
            (
                try DropboxParameters(account: "work", path: "/In/a").dialectSpec(),
                Self.answer(401, #"{"error":{".tag":"invalid_access_token"}}"#)
            ), (try Self.gcs(), Self.answer(401)),
        ] {
            var inquiry = try StoredObjectInquiry.about(try Self.transfer(dialect))
            for token in ["SECRET-one", "SECRET-two"] {
                guard case .authorize(_, let rejected, _) = inquiry.next(now: Self.now) else {
                    throw Unexpected(step: "no question for a token")
                }
                #expect(rejected == (token == "SECRET-one" ? nil : "SECRET-one"))
                inquiry.authorized(GrantedToken(token))
                _ = try Self.sent(inquiry.next(now: Self.now))
                inquiry.answered(refusal, now: Self.now)
            }
            let words = try Self.failure(inquiry.next(now: Self.now))
            #expect(words.contains("does not accept the token") && !words.contains("SECRET"), "\(words)")
        }
    }

    private static let ofDropbox: [(Int, String, String?)] = [
        (200, #"{".tag":"folder","name":"a"}"#, nil), (200, "[]", "makes no sense"), (200, "", "makes no sense"),
        (403, #"{"error":{".tag":"x"}}"#, "does not let the account 'work' make that request"),
        (503, "", "answered 503"),
        (401, #"{"error":{".tag":"missing_scope","required_scope":"files.metadata.read"}}"#, "'files.metadata.read'"),
    ]

    @Test(arguments: ofDropbox)
    func `what Dropbox says instead is one sentence, or that nothing is there`(
        status: Int,
        body: String,
        words: String?
    ) throws {
        var inquiry = try StoredObjectInquiry.about(try Self.dropbox("{}"))
        inquiry.authorized(GrantedToken("t"))
        _ = try Self.sent(inquiry.next(now: Self.now))
        inquiry.answered(Self.answer(status, body), now: Self.now)
        let step = inquiry.next(now: Self.now)
        if let words {
            #expect(try Self.failure(step).contains(words))
        } else {
            #expect(try Self.end(step).status == 404)
        }
    }

    // MARK: - Google Cloud Storage

    private static func gcs() throws -> DialectSpec {
        let place = GCSLocation(bucket: "films", object: "a b")
        let marker = String(repeating: "0a", count: 16)
        return try GCSParameters(place, at: nil, by: .command("true"), marker: marker).dialectSpec()
    }

    @Test func `Google is asked for the object's description`() throws {
        let transfer = try Self.transfer(Self.gcs())
        var inquiry = try StoredObjectInquiry.about(transfer)
        inquiry.authorized(GrantedToken("ya29.SECRET"))
        let (url, question) = try Self.sent(inquiry.next(now: Self.now))
        #expect(url == "https://storage.googleapis.com/storage/v1/b/films/o/a%20b" && question.method == "GET")
        #expect(question.headers["Authorization"] == "Bearer ya29.SECRET" && question.owners == nil)
        inquiry.answered(Self.answer(200, #"{"size":"40","crc32c":"4waSgw==","generation":"17"}"#), now: Self.now)
        let object = StoredObject(try Self.end(inquiry.next(now: Self.now)), of: transfer)
        #expect(object == StoredObject(size: 40, crc32c: CRC32C(value: 0xE306_9283), version: "17"))
    }

    @Test func `a question to Google shares the token of the upload, which is asked for in the same way`() throws {
        let transfer = try Self.transfer(Self.gcs()) {
            $0.spec.proxy = .init(https: "http://proxy.example:3128")
            $0.spec.certificateAuthorityPath = "/tmp/ca.pem"
        }
        var inquiry = try StoredObjectInquiry.about(transfer)
        var upload = try GCSUpload(transfer.spec, memory: nil, now: Self.now)
        guard case .authorize(.google(let own), _, _) = inquiry.next(now: Self.now),
            case .authorize(.google(let other), _) = upload.next(now: Self.now)
        else { throw Unexpected(step: "no question for a token") }
        #expect(own == other && own.proxy == transfer.spec.proxy && own.certificateAuthorityPath == "/tmp/ca.pem")
    }

    private static let ofGoogle: [(Int, String, String?)] = [
        (404, "", nil), (200, "{}", "does not describe"), (200, #"{"size":"-1"}"#, "does not describe"),
        (200, #"{"size":"40","crc32c":"AAAA"}"#, "does not describe"),
        (403, "", "the token command may not read gs://films/a b (storage.objects.get), or there is no such object"),
        (503, "", "answered 503"),
    ]

    @Test(arguments: ofGoogle)
    func `what Google says instead is one sentence, or that nothing is there`(
        status: Int,
        body: String,
        words: String?
    ) throws {
        let transfer = try Self.transfer(Self.gcs())
        var inquiry = try StoredObjectInquiry.about(transfer)
        inquiry.authorized(GrantedToken("t"))
        _ = try Self.sent(inquiry.next(now: Self.now))
        inquiry.answered(Self.answer(status, body), now: Self.now)
        let step = inquiry.next(now: Self.now)
        if let words {
            #expect(try Self.failure(step).contains(words))
        } else {
            #expect(StoredObject(try Self.end(step), of: transfer) == nil)
        }
    }

    // MARK: - Any address

    private static let fields = [
        ("Authorization", "Bearer SECRET"), ("X-Key", "SECRET"), ("Accept-Language", "ko"), ("Content-Type", "a/b"),
        ("If-None-Match", "*"), ("Repr-Digest", "sha-256=:x:"), ("Expect", "100-continue"), ("Upload-Metadata", "x"),
    ].map { HeaderField(name: $0.0, value: $0.1) }

    @Test func `an address is asked with what is the owner's, and nothing of the body`() throws {
        let transfer = try Self.transfer {
            $0.spec.headers = Self.fields
            $0.spec.credentials = .init(user: "me", password: "SECRET")
            $0.spec.pinnedKey = "sha256//key"
        }
        var inquiry = try StoredObjectInquiry.about(transfer)
        let (url, question) = try Self.sent(inquiry.next(now: Self.now))
        #expect(url == "https://files.example/in/a" && question.method == "HEAD" && question.body == nil)
        let names = question.headers.map(\.name)
        #expect(names == ["Authorization", "X-Key", "Accept-Language", "Accept-Encoding", "Want-Repr-Digest"])
        #expect(question.owners?.credentials?.user == "me" && question.owners?.pinnedKey == "sha256//key")
        let challenge = Self.answer(401, "", ("WWW-Authenticate", "Digest realm=\"x\""))
        inquiry.answered(challenge, now: Self.now)
        #expect(try Self.sent(inquiry.next(now: Self.now)).question.owners?.credentials?.isForDigest == true)
        inquiry.answered(challenge, now: Self.now)
        #expect(try Self.failure(inquiry.next(now: Self.now)).contains("401 Unauthorized"))
    }

    @Test func `a download's question follows redirects, and takes nothing secret to another server`() throws {
        let transfer = try Self.download {
            $0.spec.headers = Self.fields
            $0.spec.credentials = .init(user: "me", password: "SECRET")
            $0.spec.connection = ConnectionOptions()
            $0.spec.connection?.certificatePath = "/tmp/cert"
        }
        var inquiry = try StoredObjectInquiry.about(transfer)
        _ = try Self.sent(inquiry.next(now: Self.now))
        inquiry.answered(Self.answer(302, "", ("Location", "https://cdn.example/x")), now: Self.now)
        let (url, question) = try Self.sent(inquiry.next(now: Self.now))
        #expect(url == "https://cdn.example/x")
        #expect(question.headers.map(\.name) == ["Accept-Language", "Accept-Encoding", "Want-Repr-Digest"])
        #expect(question.owners?.credentials == nil && question.owners?.connection?.certificatePath == nil)
        // And back again, where it stays without them.
        inquiry.answered(Self.answer(302, "", ("Location", "https://files.example/in/a")), now: Self.now)
        #expect(try Self.sent(inquiry.next(now: Self.now)).question.headers["Authorization"] == nil)
        var refused = inquiry
        refused.answered(Self.answer(403), now: Self.now)
        let refusal = try Self.failure(refused.next(now: Self.now))
        #expect(refusal.contains("files.example:443, to which the request was redirected"))
        inquiry.answered(Self.answer(302, "", ("Location", "http://files.example/in/a")), now: Self.now)
        #expect(try Self.failure(inquiry.next(now: Self.now)).contains("cannot be used"))
    }

    @Test func `where a question is led elsewhere than the transfer was, that is said`() throws {
        let cdn = "https://cdn.example/a?signature="
        for (location, place) in [
            ("https://cdn.example/a?signature=2", nil), ("/login?SECRET", "https://files.example/login?…"),
        ] as [(String, String?)] {
            let transfer = try Self.download {
                $0.state = .finished(.completed(Answer(status: 200, finalURL: cdn + "1")), at: Self.now)
            }
            var inquiry = try StoredObjectInquiry.about(transfer)
            _ = try Self.sent(inquiry.next(now: Self.now))
            inquiry.answered(Self.answer(302, "", ("Location", location)), now: Self.now)
            _ = try Self.sent(inquiry.next(now: Self.now))
            inquiry.answered(Self.answer(200, "", ("Content-Length", "41")), now: Self.now)
            let object = try #require(StoredObject(try Self.end(inquiry.next(now: Self.now)), of: transfer))
            #expect(object == StoredObject(size: 41, place: place))
        }
    }

    @Test func `a mirror is asked without what was meant for the first address`() throws {
        let first = try RequestURL("https://files.example/in/a")
        let mirror = try RequestURL("https://mirror.example/a")
        for current in [first, mirror] {
            let transfer = try Self.download {
                $0.spec.headers = Self.fields
                $0.spec.credentials = .init(user: "me", password: "SECRET")
                $0.spec.pinnedKey = "sha256//key"
                $0.spec.connection = ConnectionOptions()
                $0.spec.connection?.certificatePath = "/tmp/cert"
                $0.spec.connection?.acceptsAnyCertificate = true
                $0.spec.mirrors = MirrorList([first, mirror])
                // As after a failure of the first address.
                $0.spec.url = current
            }
            var inquiry = try StoredObjectInquiry.about(transfer)
            let (url, question) = try Self.sent(inquiry.next(now: Self.now))
            #expect(url == current.unredacted && question.headers["Accept-Language"] == "ko")
            let (headers, owners) = (question.headers, question.owners)
            let isTold = [
                headers["Authorization"] != nil, headers["X-Key"] != nil, owners?.credentials != nil,
                owners?.pinnedKey != nil, owners?.connection?.certificatePath != nil,
                owners?.connection?.acceptsAnyCertificate == true,
            ]
            #expect(isTold == Array(repeating: current == first, count: 6))
        }
    }

    @Test func `a tus upload at another server is asked for with nothing that was meant for the first`() throws {
        let upload = #"{"url":"https://store.example/u","acknowledged":40,"sent":40}"#
        let memory = #"{"v":1,"source":[1,2,40,3],"chunk":8388608,"upload":\#(upload)}"#
        let tus = DialectSpec(name: TusParameters.dialect, parameters: "{}", destination: "x")
        let transfer = try Self.transfer(tus) {
            $0.dialectMemory = Array(memory.utf8)
            $0.spec.headers = Self.fields
            $0.spec.credentials = .init(user: "me", password: "SECRET")
            $0.spec.connection = ConnectionOptions()
            $0.spec.connection?.acceptsAnyCertificate = true
        }
        var inquiry = try StoredObjectInquiry.about(transfer)
        let (url, question) = try Self.sent(inquiry.next(now: Self.now))
        #expect(url == "https://store.example/u" && question.headers["Tus-Resumable"] == "1.0.0")
        #expect(question.headers["Authorization"] == nil && question.headers["X-Key"] == nil)
        #expect(question.owners?.credentials == nil && question.owners?.connection == nil)
    }

    @Test func `no server keeps it asking for ever, and an upload's is not led elsewhere`() throws {
        var inquiry = try StoredObjectInquiry.about(try Self.download())
        var count = 0
        while count < 100, case .send = inquiry.next(now: Self.now) {
            count += 1
            inquiry.answered(Self.answer(307, "", ("Location", "/\(count)")), now: Self.now)
        }
        #expect(count < 10)
        #expect(try Self.failure(inquiry.next(now: Self.now)).contains("too often"))
        var upload = try StoredObjectInquiry.about(try Self.transfer())
        _ = try Self.sent(upload.next(now: Self.now))
        upload.answered(Self.answer(302, "", ("Location", "/login")), now: Self.now)
        #expect(try Self.failure(upload.next(now: Self.now)).contains("redirects elsewhere (302"))
    }

    @Test func `a server that takes half a minute for each answer is given up before whoever asks is`() throws {
        var inquiry = try StoredObjectInquiry.about(try Self.download())
        var now = Self.now
        while case .send = inquiry.next(now: now) {
            now.uptime += 30
            inquiry.answered(Self.answer(307, "", ("Location", "/\(Int(now.uptime))")), now: now)
        }
        #expect(now.seconds(since: Self.now) == 90)
        #expect(try Self.failure(inquiry.next(now: now)).contains("files.example:443 takes too long to answer"))
    }

    @Test func `a question goes where an upload was sent again, and not where a page was fetched after it`() throws {
        for (status, wasFetched) in [(307, nil), (303, true)] as [(Int, Bool?)] {
            var answer = Answer(status: 200)
            (answer.redirectCount, answer.wasFetched) = (1, wasFetched)
            var inquiry = try StoredObjectInquiry.about(try Self.transfer(answer: answer))
            _ = try Self.sent(inquiry.next(now: Self.now))
            inquiry.answered(Self.answer(status, "", ("Location", "/there")), now: Self.now)
            let step = inquiry.next(now: Self.now)
            if wasFetched == true {
                #expect(try Self.failure(step).contains("where the file was not sent"))
            } else {
                #expect(try Self.sent(step).url == "https://files.example/there")
            }
        }
    }

    private static let ofAddresses: [(Int, String?)] = [
        (404, nil), (410, nil), (403, "refuses the credentials kept with the transfer (403"), (405, "to HEAD"),
        (500, "answered 500"),
    ]

    @Test(arguments: ofAddresses)
    func `what an address answers is one sentence, or that nothing is there`(status: Int, words: String?) throws {
        let transfer = try Self.transfer()
        var inquiry = try StoredObjectInquiry.about(transfer)
        _ = try Self.sent(inquiry.next(now: Self.now))
        inquiry.answered(Self.answer(status), now: Self.now)
        let step = inquiry.next(now: Self.now)
        if let words {
            #expect(try Self.failure(step).contains(words))
        } else {
            #expect(StoredObject(try Self.end(step), of: transfer) == nil)
        }
    }

    @Test func `what has no address of its own cannot be asked for`() throws {
        let posted = try Self.transfer { $0.spec.method = "POST" }
        let query = try Self.download { $0.spec.method = "POST" }
        let tus = try Self.transfer(DialectSpec(name: TusParameters.dialect, parameters: "{}", destination: "x"))
        for (transfer, words) in [
            (posted, "was sent with POST"), (query, "came as the answer to POST"), (tus, "not known where"),
        ] {
            let refusal = #expect(throws: StoredObjectInquiry.Refusal.self) {
                _ = try StoredObjectInquiry.about(transfer)
            }
            #expect(refusal?.sentence.contains(words) == true, "\(String(describing: refusal))")
        }
    }

    // MARK: - What an address states

    private static func object(_ transfer: Transfer, _ headers: (String, String)...) throws -> StoredObject {
        let fields = headers.map { HeaderField(name: $0.0, value: $0.1) }
        return try #require(StoredObject(TokenAnswer(status: 200, body: [], headers: fields), of: transfer))
    }

    private static let base64 = Data(repeating: 10, count: 32).base64EncodedString()

    @Test func `length, ETag, date and digest are read`() throws {
        let object = try Self.object(
            Self.transfer(),
            ("Content-Length", "40"),
            ("ETag", "\"e\""),
            ("Last-Modified", "then"),
            ("Repr-Digest", "sha-256=:\(Self.base64):")
        )
        let digest = FileDigest(sha256: Self.hash)
        #expect(object == StoredObject(size: 40, digest: digest, entityTag: "\"e\"", lastModified: "then"))
        let old = try Self.object(Self.transfer(), ("Digest", "md5=x, SHA-256=\(Self.base64)"))
        #expect(old.digest == digest && old.size == nil)
        #expect(try Self.object(Self.transfer(), ("Digest", "sha-256=AAAA")).digest == nil)
    }

    @Test(arguments: ["-1", "1e3", "", "99999999999999999999999", "9223372036854775807", "4, 5"])
    func `a length that is none is not compared`(text: String) throws {
        #expect(try Self.object(Self.transfer(), ("Content-Length", text)).size == nil)
    }

    @Test func `only the length of the whole file is compared`() throws {
        for (status, range, size) in [
            (200, nil, 7), (206, "bytes 0-6/40", 40), (206, "bytes 0-6/*", nil), (206, nil, nil), (202, nil, nil),
            (204, nil, nil),
        ] as [(Int, String?, Int64?)] {
            var headers = [HeaderField(name: "Content-Length", value: "7")]
            if let range { headers.append(HeaderField(name: "Content-Range", value: range)) }
            let answer = TokenAnswer(status: status, body: [], headers: headers)
            #expect(StoredObject(answer, of: try Self.transfer())?.size == size, "\(status)")
        }
    }

    @Test func `a range of an object at S3 is not compared with the whole`() throws {
        let object = S3Object(
            S3Location(bucket: "films", key: "a"),
            at: S3Endpoint(base: "https://s3.example", region: "us-east-1"),
            keys: .account("s3")
        )
        for (range, isCompared) in [("bytes=0-4", false), (nil, true)] as [(String?, Bool)] {
            let transfer = try Self.download {
                $0.spec.dialect = try? object.dialectSpec()
                $0.spec.headers = range.map { [HeaderField(name: "Range", value: $0)] } ?? []
                $0.bytesDone = 5
                let tag = HeaderField(name: "ETag", value: "\"e\"")
                $0.state = .finished(.completed(Answer(status: 206, headers: [tag])), at: Self.now)
            }
            let now = try Self.object(
                transfer,
                ("Content-Length", "40"),
                ("ETag", "\"e\""),
                ("x-amz-checksum-sha256", Self.base64)
            )
            #expect((now.size != nil) == isCompared && (now.digest != nil) == isCompared)
            let finding = TransferReceipt(of: transfer)?.compared(with: now)
            #expect(finding == (isCompared ? .otherSize(40) : .same(by: .entityTag)))
        }
    }

    @Test func `what is coded otherwise than the file was is not compared with it`() throws {
        let gzip = HeaderField(name: "Content-Encoding", value: "gzip")
        let digest = ("Repr-Digest", "sha-256=:\(Self.base64):")
        for (transfer, coding, isCompared) in [
            (try Self.transfer(), "identity", true), (try Self.transfer(), "gzip", false),
            (try Self.transfer { $0.spec.headers = [gzip] }, "GZIP", true),
            (try Self.transfer { $0.spec.headers = [gzip] }, "identity", false),
            (
                try Self.download { $0.spec.headers = [HeaderField(name: "Range", value: "bytes=0-4")] }, "identity",
                false
            ),
            (
                try Self.download {
                    $0.state = .finished(.completed(Answer(status: 200, headers: [gzip])), at: Self.now)
                },
                "gzip", true
            ),
            // Requested compressed, and stored as received.
            (
                try Self.download {
                    $0.spec.connection = ConnectionOptions()
                    $0.spec.connection?.asksForCompression = true
                    let brotli = HeaderField(name: "Content-Encoding", value: "br")
                    $0.state = .finished(.completed(Answer(status: 200, headers: [brotli])), at: Self.now)
                },
                "br", true
            ),
        ] {
            let object = try Self.object(transfer, ("Content-Length", "40"), ("Content-Encoding", coding), digest)
            #expect((object.size != nil) == isCompared && (object.digest != nil) == isCompared)
        }
    }

    @Test func `the ETag of a compressed form is not compared with that of the file`() throws {
        let gzip = HeaderField(name: "Content-Encoding", value: "gzip")
        func download(_ tag: String) throws -> Transfer {
            try Self.download {
                $0.spec.connection = ConnectionOptions()
                $0.spec.connection?.asksForCompression = true
                let headers = [gzip, HeaderField(name: "ETag", value: tag)]
                $0.state = .finished(.completed(Answer(status: 200, headers: headers)), at: Self.now)
            }
        }
        // As in Apache; other servers give both the same tag.
        for (tag, finding) in [
            ("\"e-gzip\"", TransferReceipt.Finding.alike(.length)), ("\"e\"", .same(by: .entityTag)),
        ] {
            let transfer = try download(tag)
            let receipt = try #require(TransferReceipt(of: transfer))
            let now = try Self.object(transfer, ("Content-Length", "40"), ("ETag", "\"e\""))
            #expect(receipt.compared(with: now) == finding)
        }
        let transfer = try download("\"e-gzip\"")
        let coded = try Self.object(transfer, ("Content-Encoding", "gzip"), ("ETag", "\"f-gzip\""))
        #expect(TransferReceipt(of: transfer)?.compared(with: coded) == .otherTag("\"e-gzip\"", now: "\"f-gzip\""))
    }

    @Test func `a secret that a server repeats is neither told nor compared`() throws {
        let secret = "tK9-unguessable-7351"
        let transfer = try Self.transfer {
            $0.spec.headers = [HeaderField(name: "Authorization", value: "Bearer \(secret)")]
        }
        let object = try Self.object(transfer, ("ETag", "\"\(secret)\""), ("Last-Modified", secret))
        #expect("\(object)".contains(secret) == false)
        // A different text with the same secret in it would not count as different.
        let tag = HeaderField(name: "ETag", value: "\"\(secret)-1\"")
        let tagged = try Self.transfer(answer: Answer(status: 201, headers: [tag])) {
            $0.spec.headers = transfer.spec.headers
        }
        let receipt = try #require(TransferReceipt(of: tagged))
        let now = try Self.object(tagged, ("Content-Length", "40"), ("ETag", "\"\(secret)-2\""))
        #expect(receipt.entityTag == nil && receipt.compared(with: now) == .alike(.length))
    }
}
