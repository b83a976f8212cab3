// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

@Suite struct S3UploadTests {
    private let mebibyte: Int64 = 1 << 20

    private func make(_ spec: TransferSpec, _ memory: [UInt8]? = nil) throws -> any UploadDialect {
        try Dialects.make(spec, memory: memory, now: DropboxBench.start)
    }

    private func run(
        _ size: Int64,
        memory: [UInt8]? = nil,
        _ change: (inout S3Parameters) -> Void = { _ in },
        answer: (DialectRequest) -> Answer?
    ) throws -> S3Run {
        S3Run(try make(try ModelS3.spec(size: size, change), memory), answer: answer)
    }

    // MARK: - The ways

    @Test(arguments: [0, 1, 8 << 20] as [Int64]) func `a small file goes in one request`(size: Int64) throws {
        var server = ModelS3()
        let run = try run(size) { server.answer($0, now: DropboxBench.start) }
        #expect(run.isSuccess && run.calls == ["PUT"] && server.isComplete)
        #expect(run.memory == nil && run.acknowledged == size)
        #expect(run.sources == [ModelS3.parameters().object.keys])
    }

    @Test func `a large file goes in parts, several at once, and becomes an object once all have arrived`() throws {
        var server = ModelS3()
        var sizes: [Int64] = []
        let run = try run(100 * mebibyte + 1, { $0.connections = 4 }) { request in
            if ModelS3.query(of: request.url)["partNumber"] != nil { sizes.append(request.body.count) }
            return server.answer(request, now: DropboxBench.start)
        }
        #expect(run.isSuccess && server.isComplete && server.commits == 1 && run.mostLanes == 4)
        guard case .finish(let answer)? = run.end else { return }
        #expect(answer.headers["ETag"] == "whole", "the object's, from the answer's XML")
        #expect(run.calls == ["POST uploads"] + (1...13).map { "PUT \($0)" } + ["POST"])
        #expect(sizes == [Int64](repeating: 8 << 20, count: 12) + [4 * mebibyte + 1])
        #expect(server.object?.content == SymbolicContent(version: 1, 0..<100 * mebibyte + 1))
    }

    @Test func `parts that have arrived are not sent again`() throws {
        var server = ModelS3()
        var left = 6
        let first = try run(100 * mebibyte) { request in
            left -= 1
            return left < 0 ? nil : server.answer(request, now: DropboxBench.start)
        }
        #expect(first.end == nil)
        let stored = Set(server.uploads.values.flatMap { $0.parts.keys })
        let second = try run(100 * mebibyte, memory: first.committed) { server.answer($0, now: DropboxBench.start) }
        #expect(second.isSuccess && server.isComplete && server.commits == 1)
        #expect(second.calls.first == "GET after 0")
        #expect(
            second.calls.dropFirst().dropLast() == (1...13).filter { !stored.contains($0) }.map { "PUT \($0)" }[...]
        )
    }

    @Test func `many parts are listed a page at a time`() throws {
        var server = ModelS3()
        let size = 250 * 8 * mebibyte - 1
        let first = try run(size, { $0.mostParts = 300 }) { request in
            ModelS3.query(of: request.url)["partNumber"] == "120"
                ? nil : server.answer(request, now: DropboxBench.start)
        }
        let second = try run(size, memory: first.memory, { $0.mostParts = 300 }) {
            server.answer($0, now: DropboxBench.start)
        }
        #expect(second.calls.prefix(2) == ["GET after 0", "GET after 100"])
        #expect(second.isSuccess && server.isComplete && server.commits == 1)
    }

    @Test(arguments: [true, false]) func `a lost answer to the last request`(forgets: Bool) throws {
        var server = ModelS3()
        server.forgetsCompleted = forgets
        let first = try run(20 * mebibyte) { request in
            let answer = server.answer(request, now: DropboxBench.start)
            return request.method == "POST" && ModelS3.query(of: request.url)["uploadId"] != nil ? nil : answer
        }
        #expect(first.end == nil && server.isComplete)
        let second = try run(20 * mebibyte, memory: first.committed) { server.answer($0, now: DropboxBench.start) }
        #expect(second.isSuccess && server.commits == 1)
        #expect(second.calls == (forgets ? ["GET after 0", "HEAD"] : ["GET after 0", "POST"]))
    }

    @Test func `another object in place of one that may have been made is not replaced`() throws {
        var server = ModelS3()
        let first = try run(20 * mebibyte) { request in
            let answer = server.answer(request, now: DropboxBench.start)
            return request.method == "POST" && ModelS3.query(of: request.url)["uploadId"] != nil ? nil : answer
        }
        server.object = .init(content: SymbolicContent(version: 7, 0..<5), marker: nil)
        let second = try run(20 * mebibyte, memory: first.committed) { server.answer($0, now: DropboxBench.start) }
        #expect(second.failure?.code == .commitUncertain && server.object?.marker == nil)
        server.object = nil
        let third = try run(20 * mebibyte, memory: first.committed) { server.answer($0, now: DropboxBench.start) }
        #expect(third.isSuccess && server.isComplete, "nothing is there: it is sent anew")
    }

    @Test(arguments: [1, 20 << 20] as [Int64])
    func `an object that is there stays if its owner wants that, and one's own is known`(size: Int64) throws {
        var server = ModelS3()
        server.object = .init(content: SymbolicContent(version: 7, 0..<5), marker: "another")
        let refused = try run(size, { $0.leavesExisting = true }) { server.answer($0, now: DropboxBench.start) }
        #expect(refused.failure?.code == .destinationConflict && server.object?.marker == "another")
        server.object = nil
        // The first answer is lost, and the second says that an object exists.
        let lost = try run(size, { $0.leavesExisting = true }) { request in
            let answer = server.answer(request, now: DropboxBench.start)
            return server.object == nil ? answer : nil
        }
        let again = try run(size, memory: lost.committed, { $0.leavesExisting = true }) {
            server.answer($0, now: DropboxBench.start)
        }
        #expect(again.isSuccess && server.isComplete && server.commits == 1)
    }

    // MARK: - Refusals

    @Test func `Complete may answer 200 with an error in it, which is no success`() throws {
        var server = ModelS3()
        var lies = 1
        let run = try run(20 * mebibyte) { request in
            if request.method == "POST", ModelS3.query(of: request.url)["uploadId"] != nil, lies > 0 {
                lies -= 1
                return ModelS3.error(200, "InternalError")
            }
            return server.answer(request, now: DropboxBench.start)
        }
        #expect(run.failure?.code == .serverBusy && run.failure?.retryClass == .busy && server.object == nil)
        let again = try self.run(20 * mebibyte, memory: run.memory) { server.answer($0, now: DropboxBench.start) }
        #expect(again.isSuccess && server.commits == 1)
    }

    @Test func `a 200 that says nothing of an object is looked into`() throws {
        var server = ModelS3()
        let run = try run(20 * mebibyte) { request in
            if request.method == "POST", ModelS3.query(of: request.url)["uploadId"] != nil {
                _ = server.answer(request, now: DropboxBench.start)
                return ModelS3.answer(200, "welcome to the wireless network")
            }
            return server.answer(request, now: DropboxBench.start)
        }
        #expect(run.isSuccess && run.calls.last == "HEAD")
        let lie = try self.run(20 * mebibyte) { request in
            request.method == "HEAD" || ModelS3.query(of: request.url)["uploadId"] != nil && request.method == "POST"
                ? ModelS3.answer(200, "welcome") : server.answer(request, now: DropboxBench.start)
        }
        #expect(lie.failure?.code == .commitUncertain)
    }

    @Test func `a key that expires on the way is read again, once`() throws {
        var server = ModelS3()
        var left = 5
        let run = try run(100 * mebibyte) { request in
            left -= 1
            if left == 0 { server.keys = ["AKID2"] }
            return server.answer(request, now: DropboxBench.start)
        }
        #expect(run.isSuccess && server.isComplete && run.sources.count == 2)
        server = ModelS3()
        server.keys = []
        let refused = try self.run(100 * mebibyte) { server.answer($0, now: DropboxBench.start) }
        #expect(refused.failure?.code == .accessKeyRefused && refused.sources.count == 2)
        #expect(refused.failure?.detail.contains("has expired") == true)
    }

    @Test func `a clock that is off by an hour is set by the server's`() throws {
        var server = ModelS3()
        let date = "Wed, 25 Nov 2026 12:00:00 GMT"
        let run = try run(1) { request in
            guard request.headers["x-amz-date"] == "20261125T120000Z" else {
                return ModelS3.error(403, "RequestTimeTooSkewed", ["Date": date])
            }
            return server.answer(request, now: DropboxBench.start)
        }
        #expect(run.isSuccess && run.calls.count == 2)
        let never = try self.run(1) { _ in ModelS3.error(403, "RequestTimeTooSkewed", ["Date": date]) }
        #expect(never.failure?.code == .accessKeyRefused && never.calls.count == 2)
    }

    @Test func `the bucket's own region is found`() throws {
        var hosts: [String] = []
        let atAWS: (inout S3Parameters) -> Void = { $0.object.endpoint = S3Endpoint(base: nil, region: "us-east-1") }
        var server = ModelS3()
        let run = try run(1, atAWS) { request in
            hosts.append(request.url.host)
            guard request.headers["Authorization"]?.contains("/eu-central-1/s3/") == true else {
                return ModelS3.error(301, "PermanentRedirect", ["x-amz-bucket-region": "eu-central-1"])
            }
            return server.answer(request, now: DropboxBench.start)
        }
        #expect(run.isSuccess)
        #expect(hosts == ["films.s3.us-east-1.amazonaws.com", "films.s3.eu-central-1.amazonaws.com"])
        let circle = try self.run(1, atAWS) { request in
            let isFirst = request.url.host.contains("us-east-1")
            return ModelS3.error(301, "PermanentRedirect", ["x-amz-bucket-region": isFirst ? "eu-west-1" : "us-east-1"])
        }
        #expect(circle.failure?.code == .badServerResponse && circle.calls.count == 3)
        let hostile = try self.run(1, atAWS) { _ in
            ModelS3.error(301, "PermanentRedirect", [:], "<Region>evil.example/</Region>")
        }
        #expect(hostile.calls.count == 1)
    }

    @Test(arguments: [
        (ModelS3.error(404, "NoSuchBucket"), TransferFailure.Code.destinationRefused, "no bucket 'films'"),
        (ModelS3.error(403, "AccessDenied"), .accessKeyRefused, "may not write"),
        (ModelS3.error(403, "SignatureDoesNotMatch"), .accessKeyRefused, "secret does not match"),
        (ModelS3.error(403, "InvalidAccessKeyId"), .accessKeyRefused, "is not known"),
        (ModelS3.error(503, "SlowDown"), .serverBusy, "503"),
        (ModelS3.error(400, "RequestTimeout"), .serverBusy, "400"),
        (ModelS3.error(507, "XMinioStorageFull"), .quotaExceeded, "no space left"),
        (ModelS3.error(400, "InvalidStorageClass"), .httpStatus, "InvalidStorageClass"),
        (ModelS3.answer(404, "<html>"), .httpStatus, "does not speak S3"),
        (ModelS3.answer(302, ""), .badServerResponse, "elsewhere"),
    ])
    func `a refusal is one sentence`(answer: Answer, code: TransferFailure.Code, words: String) throws {
        for size: Int64 in [1, 20 << 20] {
            let run = try run(size) { _ in answer }
            #expect(run.failure?.code == code, "\(answer)")
            #expect(run.failure?.detail.contains(words) == true, "\(run.failure?.detail ?? "")")
        }
    }

    @Test func `an endpoint that takes fewer parts is named, and a file that does not fit is refused at once`() throws {
        var server = ModelS3()
        server.mostParts = 5
        let run = try run(100 * mebibyte) { server.answer($0, now: DropboxBench.start) }
        #expect(run.failure?.code == .destinationRefused && run.failure?.detail.contains("--max-parts") == true)
        let few = try self.run(100 * mebibyte, { $0.mostParts = 5 }) { server.answer($0, now: DropboxBench.start) }
        #expect(few.isSuccess && server.isComplete)
        let spec = try ModelS3.spec(size: 11 << 30) { $0.mostParts = 2 }
        #expect(throws: RequestError.self) { try make(spec) }
    }

    @Test func `one refusal does not throw away what the other lanes are sending`() throws {
        var server = ModelS3()
        let run = try run(200 * mebibyte) { request in
            let part = ModelS3.query(of: request.url)["partNumber"]
            return part == "3" ? ModelS3.error(503, "SlowDown") : server.answer(request, now: DropboxBench.start)
        }
        #expect(run.failure?.retryClass == .busy)
        #expect(server.uploads["u1"]?.parts.count == 9 && run.acknowledged == 9 * 8 * mebibyte)
    }

    /// An upload whose first parts are in transit.
    private func sending() throws -> (dialect: any UploadDialect, parts: [DialectRequest]) {
        var dialect = try make(try ModelS3.spec(size: 100 * mebibyte))
        var server = ModelS3()
        var parts: [DialectRequest] = []
        for _ in 0..<100 {
            switch dialect.next(now: DropboxBench.start) {
            case .hash(let digest): dialect.hashed(ModelTus.digest(SymbolicContent(version: 1, digest.range)), digest)
            case .authorize: dialect.authorized(ModelS3.key())
            case .send(let request) where request.method == "POST":
                let answer = server.answer(request, now: DropboxBench.start)
                dialect.answered(answer, lane: request.lane, now: DropboxBench.start)
            case .send(let request): parts.append(request)
            case .wait, .digest, .finish, .fail: return (dialect, parts)
            }
        }
        return (dialect, parts)
    }

    @Test func `what was decided counts, whatever breaks while the other parts are finished`() throws {
        let lost = TransferFailure(.connectionLost, "it broke")
        for (answer, code) in [
            (ModelS3.error(503, "SlowDown", ["Retry-After": "300"]), TransferFailure.Code.serverBusy),
            (ModelS3.error(403, "AccessDenied"), .accessKeyRefused),
        ] {
            let (sent, parts) = try sending()
            try #require(parts.count > 2)
            var dialect = sent
            dialect.answered(answer, lane: parts[0].lane, now: DropboxBench.start)
            let told = dialect.broke(lost, lane: parts[2].lane, sent: 7, now: DropboxBench.start)
            #expect(told.code == code && told.retryAfter == (code == .serverBusy ? 300 : nil))
            // The same if the key that was requested before is denied.
            #expect(dialect.denied(lost) == told)
        }
        let (sent, parts) = try sending()
        try #require(parts.count > 2)
        var dialect = sent
        #expect(dialect.denied(lost) == lost)
        #expect(dialect.broke(lost, lane: parts[2].lane, sent: 7, now: DropboxBench.start) == lost)
    }

    @Test func `the number of the upload proves nothing before the request that makes the object`() throws {
        for method in ["POST", "PUT"] {
            var server = ModelS3()
            let run = try run(20 * mebibyte) { request in
                if request.method == "HEAD" {
                    let length = "\(20 * mebibyte)"
                    return ModelS3.answer(
                        200,
                        "",
                        [S3Parameters.markerField: ModelS3.marker, "Content-Length": length]
                    )
                }
                return request.method == method
                    ? ModelS3.error(412, "PreconditionFailed") : server.answer(request, now: DropboxBench.start)
            }
            #expect(run.failure?.code == .httpStatus && !run.calls.contains("HEAD"), "\(method): \(run.calls)")
            #expect(run.failure?.status == 412 && run.failure?.detail.contains("PreconditionFailed") == true)
        }
    }

    @Test func `an object whose stated digest is another is not the file`() throws {
        let nothing = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let other = Data(repeating: 7, count: 32).base64EncodedString()
        for (digest, fields, isFile) in [
            (nothing, [:], true), (other, [:], false), (other, ["x-amz-checksum-type": "FULL_OBJECT"], false),
            // Digests of digests, and values that are not digests at all.
            (other, ["x-amz-checksum-type": "COMPOSITE"], true), ("\(other)-3", [:], true), ("Bw==", [:], true),
        ] as [(String, [String: String], Bool)] {
            let run = try run(0) { _ in
                ModelS3.answer(200, "", fields.merging([S3Parameters.checksumField: digest]) { $1 })
            }
            #expect(run.isSuccess == isFile, "\(digest) \(fields)")
            if !isFile {
                #expect(run.failure?.code == .contentMismatch)
                #expect(run.failure?.detail.hasSuffix("has another checksum (SHA-256) than the file") == true)
            }
        }
    }

    @Test func `a session token that a server repeats is in no sentence and no answer that is shown`() throws {
        let token = "IQoJb3JpZ2luX2VjEJr3s3cr3tTok3n//////////wEaCXVzLWVhc3QtMSJH"
        for answer in [
            ModelS3.answer(418, "<Error><Code>Weird</Code><Message>you sent \(token)</Message></Error>"),
            ModelS3.answer(
                200,
                "you sent \(token)",
                ["ETag": "\"\(token)\"", "x-amz-request-id": String(token.prefix(30)), "x-amz-version-id": token]
            ),
        ] {
            var dialect = try make(try ModelS3.spec(size: 0))
            guard case .authorize = dialect.next(now: DropboxBench.start) else {
                throw TestError("no key is asked for")
            }
            dialect.authorized(GrantedToken(AccessKey(id: "AKID", secret: "hunter2", sessionToken: token)))
            guard case .send(let request) = dialect.next(now: DropboxBench.start) else {
                throw TestError("nothing is sent")
            }
            #expect(request.headers["x-amz-security-token"] == token)
            dialect.answered(answer, lane: 0, now: DropboxBench.start)
            var told = ""
            switch dialect.next(now: DropboxBench.start) {
            case .fail(let failure): told = failure.detail
            case .finish(let shown):
                told = String(decoding: shown.bodyStart, as: UTF8.self) + shown.headers.map(\.value).joined()
            case .send, .wait, .digest, .hash, .authorize: Issue.record("it has not ended")
            }
            #expect(told.contains("you sent (hidden)") && !told.contains("s3cr3t"), "\(told)")
        }
    }

    // MARK: - What must not go on for ever

    private func isComplete(_ request: DialectRequest) -> Bool {
        request.method == "POST" && ModelS3.query(of: request.url)["uploadId"] != nil
    }

    @Test func `a server that lists parts which it does not find is sent all of them once more, and then given up`()
        throws
    {
        var server = ModelS3()
        let run = try run(20 * mebibyte) { request in
            isComplete(request) ? ModelS3.error(400, "InvalidPart") : server.answer(request, now: DropboxBench.start)
        }
        #expect(run.failure?.code == .serverMisbehaves)
        let parts = ["PUT 1", "PUT 2", "PUT 3"]
        #expect(run.calls == ["POST uploads"] + parts + ["POST", "GET after 0", "POST"] + parts + ["POST"])
    }

    @Test func `a part that never arrives as it was read is given up, whatever the others do`() throws {
        var server = ModelS3()
        let run = try run(200 * mebibyte) { request in
            ModelS3.query(of: request.url)["partNumber"] == "3"
                ? ModelS3.error(400, "BadDigest") : server.answer(request, now: DropboxBench.start)
        }
        #expect(run.failure?.code == .serverMisbehaves && run.calls.count { $0 == "PUT 3" } == 3)
    }

    @Test func `a list without end is cut off behind the last part`() throws {
        var server = ModelS3()
        let first = try run(20 * mebibyte) { request in
            ModelS3.query(of: request.url)["partNumber"] == "2" ? nil : server.answer(request, now: DropboxBench.start)
        }
        let second = try run(20 * mebibyte, memory: first.committed) { request in
            guard let marker = ModelS3.query(of: request.url)["part-number-marker"].flatMap({ Int($0) }) else {
                return server.answer(request, now: DropboxBench.start)
            }
            let next = "<NextPartNumberMarker>\(marker + 1)</NextPartNumberMarker>"
            return ModelS3.xml("<ListPartsResult><IsTruncated>true</IsTruncated>\(next)</ListPartsResult>")
        }
        #expect(second.isSuccess && second.calls.count { $0.hasPrefix("GET") } == 3)
    }

    @Test func `a list with a document type, which makes megabytes of a few bytes, ends the attempt`() throws {
        var server = ModelS3()
        let first = try run(20 * mebibyte) { request in
            ModelS3.query(of: request.url)["partNumber"] == "2" ? nil : server.answer(request, now: DropboxBench.start)
        }
        let entity = "<!DOCTYPE a [<!ENTITY x \"xxxxxxxx\"><!ENTITY y \"&x;&x;&x;&x;\">]>"
        let second = try run(20 * mebibyte, memory: first.committed) { request in
            let marker = ModelS3.query(of: request.url)["part-number-marker"].flatMap { Int($0) } ?? 0
            let next = "<NextPartNumberMarker>\(marker + 1)</NextPartNumberMarker>"
            return ModelS3.xml("\(entity)<ListPartsResult><IsTruncated>true</IsTruncated>\(next)&y;</ListPartsResult>")
        }
        #expect(second.failure?.code == .badServerResponse && second.calls == ["GET after 0"])
    }

    @Test func `an upload that is lost while many parts are under way is lost once`() throws {
        var server = ModelS3()
        var hasLost = false
        let run = try run(200 * mebibyte) { request in
            if !hasLost, ModelS3.query(of: request.url)["partNumber"] == "9" {
                hasLost = true
                server.uploads = [:]
            }
            return server.answer(request, now: DropboxBench.start)
        }
        #expect(run.isSuccess && server.isComplete && run.calls.count { $0 == "POST uploads" } == 2)
    }

    @Test func `a clock that is set on the way is followed`() throws {
        var server = ModelS3()
        let offset = Date(timeIntervalSince1970: DropboxBench.start.wall.timeIntervalSince1970 + 3600)
        var isOff = false
        var left = 6
        let run = try run(200 * mebibyte) { request in
            left -= 1
            if left == 0 { isOff = true }
            let isNow = request.headers["x-amz-date"] == SignatureV4.timestamp(DropboxBench.start.wall)
            guard isOff != isNow else {
                let date = isOff ? "Thu, 28 May 2026 21:26:40 GMT" : "Thu, 28 May 2026 20:26:40 GMT"
                return ModelS3.error(403, "RequestTimeTooSkewed", ["Date": date])
            }
            return server.answer(request, now: DropboxBench.start)
        }
        #expect(SignatureV4.timestamp(offset) == "20260528T212640Z")
        #expect(run.isSuccess && server.isComplete)
    }

    @Test func `a key that may write and not look is named when an answer was lost`() throws {
        var server = ModelS3()
        let first = try run(20 * mebibyte) { request in
            let answer = server.answer(request, now: DropboxBench.start)
            return isComplete(request) ? nil : answer
        }
        let second = try run(20 * mebibyte, memory: first.committed) { request in
            request.method == "HEAD" ? ModelS3.answer(403) : server.answer(request, now: DropboxBench.start)
        }
        #expect(second.failure?.code == .commitUncertain && second.failure?.detail.contains("s3:GetObject") == true)
        let third = try run(20 * mebibyte, memory: first.committed) { _ in ModelS3.error(403, "AccessDenied") }
        #expect(third.failure?.detail.contains("may not list the parts") == true)
    }

    @Test func `the parts of an upload that comes too late are removed`() throws {
        var server = ModelS3()
        server.object = .init(content: SymbolicContent(version: 7, 0..<5), marker: "another")
        let run = try run(20 * mebibyte, { $0.leavesExisting = true }) { server.answer($0, now: DropboxBench.start) }
        #expect(run.failure?.code == .destinationConflict && server.uploads.isEmpty)
        #expect(run.calls.suffix(2) == ["HEAD", "DELETE"])
        let unheard = try self.run(20 * mebibyte, { $0.leavesExisting = true }) { request in
            request.method == "DELETE" ? nil : server.answer(request, now: DropboxBench.start)
        }
        #expect(unheard.calls.last == "DELETE" && unheard.memory == nil)
    }

    // MARK: - Any course

    /// Kills, broken connections, lost answers, lost uploads, busy servers and expired keys in any order.
    @Test(arguments: 0..<12 as Range<UInt64>) func `whatever happens, the object is committed once and whole`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<12 {
            let size = Int64.random(in: 0...(90 << 20), using: &random)
            let leavesExisting = Bool.random(using: &random)
            let spec = try ModelS3.spec(size: size) {
                $0.leavesExisting = leavesExisting
                $0.connections = Int.random(in: 1...8, using: &random)
            }
            var server = ModelS3()
            server.forgetsCompleted = Bool.random(using: &random)
            var memory: [UInt8]?
            var run: S3Run?
            var picks = SeededGenerator(seed: seed &+ 1)
            for attempt in 0..<40 {
                let isCalm = attempt > 30
                run = S3Run(try make(spec, memory), pick: { Int.random(in: 0..<$0, using: &picks) }) { request in
                    guard !isCalm else { return server.answer(request, now: DropboxBench.start) }
                    return Self.faulty(&server, request, &random)
                }
                guard let run, !run.isSuccess else { break }
                if let failure = run.failure { #expect(failure.retryClass != .permanent, "\(failure)") }
                memory = Bool.random(using: &random) ? run.memory : run.committed
            }
            #expect(run?.isSuccess == true && server.isComplete, "size \(size)")
            #expect(server.object?.content == SymbolicContent(version: 1, 0..<size))
            if size > 8 << 20 { #expect(server.commits == 1) }
        }
    }

    private static func faulty(
        _ server: inout ModelS3,
        _ request: DialectRequest,
        _ random: inout SeededGenerator
    ) -> Answer? {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: return nil
        case 1:
            _ = server.answer(request, now: DropboxBench.start)
            return nil
        case 2: return ModelS3.error(503, "SlowDown")
        case 3:
            _ = server.answer(request, now: DropboxBench.start)
            return ModelS3.error(500, "InternalError")
        case 4:
            server.keys = server.keys == ["AKID"] ? ["AKID2"] : ["AKID", "AKID2"]
            return server.answer(request, now: DropboxBench.start)
        default: return server.answer(request, now: DropboxBench.start)
        }
    }

    // MARK: - Around it

    @Test func `the server forgets the parts of a cancelled upload`() throws {
        var server = ModelS3()
        let run = try run(20 * mebibyte) { request in
            ModelS3.query(of: request.url)["partNumber"] == "2" ? nil : server.answer(request, now: DropboxBench.start)
        }
        var dialect = try make(try ModelS3.spec(size: 20 * mebibyte), run.committed)
        #expect(dialect.farewell == nil && dialect.farewellSource == ModelS3.parameters().object.keys)
        dialect.authorized(ModelS3.key())
        let farewell = try #require(dialect.farewell)
        #expect(server.answer(farewell, now: DropboxBench.start).status == 204 && server.uploads.isEmpty)
    }

    @Test func `what is kept with the object is sent once, and nothing that the dialect sets`() throws {
        var spec = try ModelS3.spec(size: 20 << 20) {
            $0.metadata = [MetadataEntry("Title", "a film")]
            $0.storageClass = "STANDARD_IA"
            $0.sendsChecksums = true
        }
        spec.headers = [
            HeaderField(name: "Content-Type", value: "video/quicktime"),
            HeaderField(name: "x-amz-date", value: "never"),
            HeaderField(name: "X-Other", value: "1"), HeaderField(name: "x-amz-copy-source", value: "/b/other"),
            HeaderField(name: "x-amz-acl", value: "public-read"),
        ]
        var server = ModelS3()
        _ = S3Run(try make(spec)) { server.answer($0, now: DropboxBench.start) }
        let create = try #require(server.requests.first)
        #expect(
            create.headers["x-amz-meta-title"] == "a film" && create.headers["x-amz-storage-class"] == "STANDARD_IA"
        )
        #expect(create.headers["Content-Type"] == "video/quicktime" && create.headers["x-amz-acl"] == "public-read")
        #expect(create.headers["X-Other"] == nil && create.headers["x-amz-copy-source"] == nil)
        #expect(create.headers["x-amz-date"] != "never")
        #expect(create.headers["x-amz-checksum-algorithm"] == "SHA256")
        let part = try #require(server.requests.dropFirst().first)
        #expect(part.headers["x-amz-checksum-sha256"] != nil && part.headers["x-amz-acl"] == nil)
    }
}
