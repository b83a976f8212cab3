// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

@Suite struct GCSUploadTests {
    private let mebibyte: Int64 = 1 << 20

    private func make(_ spec: TransferSpec, _ memory: [UInt8]? = nil) throws -> any UploadDialect {
        try Dialects.make(spec, memory: memory, now: DropboxBench.start)
    }

    private func run(
        _ size: Int64,
        memory: [UInt8]? = nil,
        sent: Int64 = 0,
        _ change: (inout GCSParameters) -> Void = { _ in },
        answer: (DialectRequest) -> Answer?
    ) throws -> DialectRun {
        DialectRun(try make(try ModelGCS.spec(size: size, change), memory), sent: sent, answer: answer)
    }

    /// A run that is answered by a server, except for the requests that `other` answers.
    private func meet(
        _ server: inout ModelGCS,
        _ size: Int64,
        memory: [UInt8]? = nil,
        leavesExisting: Bool = false,
        instead other: (DialectRequest) -> Answer? = { _ in nil }
    ) throws -> DialectRun {
        try run(size, memory: memory, { $0.leavesExisting = leavesExisting }) { request in
            other(request) ?? server.answer(request, now: DropboxBench.start)
        }
    }

    private static func isAppend(_ request: DialectRequest) -> Bool { request.body.sourceCount > 0 }
    private static func isQuestion(_ request: DialectRequest) -> Bool {
        request.headers["Content-Range"]?.hasPrefix("bytes */") == true
    }

    // MARK: - What is sent

    @Test func `a file goes in growing chunks, and the last one carries its checksum`() throws {
        var server = ModelGCS()
        let run = try meet(&server, 50 * mebibyte)
        #expect(run.status == 200 && server.isComplete && server.commits == 1)
        #expect(
            run.calls == [
                "POST+63", "PUTbytes 0-8388607/52428800+8388608", "PUTbytes 8388608-41943039/52428800+33554432",
                "PUTbytes 41943040-52428799/52428800+10485760",
            ]
        )
        #expect(server.requests.dropLast().allSatisfy { $0.headers["X-Goog-Hash"] == nil })
        #expect(server.requests.last?.headers["X-Goog-Hash"]?.hasPrefix("crc32c=") == true)
        #expect(run.tokens == [nil] && run.acknowledged == 50 * mebibyte)
    }

    @Test func `an empty file is an object, too`() throws {
        var server = ModelGCS()
        let run = try meet(&server, 0)
        #expect(run.status == 200 && run.calls == ["POST+63", "PUTbytes */0"] && server.object?.content.count == 0)
    }

    @Test func `what is kept with the object is in the first request`() throws {
        var spec = try ModelGCS.spec(size: 5) {
            $0.metadata = [MetadataEntry("Title", "ein Film ü")]
            $0.storageClass = "NEARLINE"
            $0.leavesExisting = true
        }
        spec.headers = [
            HeaderField(name: "Content-Type", value: "video/quicktime"),
            HeaderField(name: "Cache-Control", value: "no-store"), HeaderField(name: "X-Other", value: "1"),
            HeaderField(name: "x-goog-user-project", value: "payer"),
        ]
        var server = ModelGCS()
        _ = DialectRun(try make(spec)) { server.answer($0, now: DropboxBench.start) }
        let first = try #require(server.requests.first)
        guard case .bytes(let bytes)? = first.body.segments.first else { throw Missing() }
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"cacheControl":"no-store","contentType":"video/quicktime","metadata":{"Title":"ein Film ü","offstage-id":"\#(ModelGCS.marker)"},"storageClass":"NEARLINE"}"#
        )
        #expect(first.url.unredacted.hasSuffix("name=2026%2Fa%20film.mov&ifGenerationMatch=0"))
        #expect(first.headers["x-goog-user-project"] == "payer" && first.headers["X-Other"] == nil)
        #expect(first.headers["X-Upload-Content-Type"] == "video/quicktime")
        let second = try #require(server.requests.last)
        #expect(second.headers["Authorization"] == nil && second.headers["x-goog-user-project"] == nil)
    }

    private struct Missing: Error {}

    // MARK: - Lost answers

    @Test func `after a break the server says where to continue, and nothing is hashed again`() throws {
        var server = ModelGCS()
        var count = 0
        let first = try run(50 * mebibyte, sent: 5 * mebibyte) { request in
            guard Self.isAppend(request) else { return server.answer(request, now: DropboxBench.start) }
            count += 1
            if count < 2 { return server.answer(request, now: DropboxBench.start) }
            server.cutOff(request, after: 5 * mebibyte + 7)
            return nil
        }
        #expect(first.standing == "8.00 MiB of 50.0 MiB are stored at the server")
        let second = try meet(&server, 50 * mebibyte, memory: first.memory)
        #expect(second.status == 200 && server.isComplete && server.commits == 1)
        #expect(second.calls.first == "PUTbytes */52428800")
        #expect(second.calls.dropFirst().first?.hasPrefix("PUTbytes 13631488-") == true)
        #expect(second.tokens.isEmpty, "an upload that goes on needs no token")
    }

    @Test(arguments: [false, true])
    func `a lost last answer is asked for, or found by the object`(forgets: Bool) throws {
        var server = ModelGCS()
        server.forgetsMade = forgets
        let first = try run(9 * mebibyte) { request in
            let answer = server.answer(request, now: DropboxBench.start)
            return server.object == nil ? answer : nil
        }
        #expect(first.end == nil && server.commits == 1)
        let second = try meet(&server, 9 * mebibyte, memory: first.committed)
        #expect(second.status == 200 && server.commits == 1)
        #expect(second.calls == (forgets ? ["PUTbytes */9437184", "GET"] : ["PUTbytes */9437184"]))
    }

    @Test func `an object that another upload has made is not taken for one's own`() throws {
        var server = ModelGCS()
        server.forgetsMade = true
        let first = try run(9 * mebibyte) { request in
            let answer = server.answer(request, now: DropboxBench.start)
            return server.object == nil ? answer : nil
        }
        server.object?.marker = nil
        let second = try meet(&server, 9 * mebibyte, memory: first.committed)
        #expect(second.failure == .commitUncertain && second.detail.contains("it may have replaced this one"))
        let third = try meet(&server, 9 * mebibyte, memory: first.committed, leavesExisting: true)
        #expect(third.failure == .destinationConflict)
        server.object = nil
        let fourth = try meet(&server, 9 * mebibyte, memory: first.committed)
        #expect(fourth.status == 200 && server.isComplete, "nothing is there: it is sent again")
        let fifth = try meet(&server, 9 * mebibyte, memory: first.committed) {
            $0.method == "GET" ? ModelGCS.error(403, "forbidden") : nil
        }
        #expect(fifth.failure == .commitUncertain && fifth.detail.contains("may not check"))
    }

    @Test func `nothing is written over an object that is there already`() throws {
        var server = ModelGCS()
        server.object = .init(content: SymbolicContent(version: 7, 0..<5), marker: "another", generation: 1)
        let early = try meet(&server, 9 * mebibyte, leavesExisting: true)
        #expect(early.failure == .destinationConflict && early.calls == ["POST+63", "GET"])
        // It appears while the file is being sent.
        let kept = server.object
        server.object = nil
        let late = try run(9 * mebibyte) {
            $0.leavesExisting = true
        } answer: { request in
            if Self.isAppend(request) { server.object = kept }
            return server.answer(request, now: DropboxBench.start)
        }
        #expect(
            late.failure == .destinationConflict
                && late.detail == "another object is already at gs://films/2026/a film.mov"
        )
        #expect(server.object == kept && server.commits == 0)
    }

    // MARK: - Servers

    @Test(arguments: [(404, "gone"), (410, "gone"), (410, "backendError"), (499, "gone")])
    func `an upload that is gone is begun anew, and not for ever`(status: Int, reason: String) throws {
        var server = ModelGCS()
        var isFirst = true
        let run = try meet(&server, 20 * mebibyte) { request in
            guard Self.isAppend(request), isFirst else { return nil }
            isFirst = false
            return ModelGCS.error(status, reason)
        }
        #expect(run.status == 200 && server.isComplete && run.calls.count { $0.hasPrefix("POST") } == 2)
        let never = try meet(&server, 20 * mebibyte) {
            Self.isAppend($0) ? ModelGCS.error(status, reason) : nil
        }
        #expect(never.failure == .serverMisbehaves && never.detail.contains("repeatedly lost"))
    }

    @Test func `a server that keeps less of a chunk gets the rest, and one that keeps nothing is given up`() throws {
        var server = ModelGCS()
        server.mostOfChunk = 3 * mebibyte
        let run = try meet(&server, 10 * mebibyte)
        #expect(run.status == 200 && server.isComplete)
        server.mostOfChunk = 0
        let never = try meet(&server, 10 * mebibyte)
        #expect(never.failure == .serverMisbehaves && never.detail.contains("does not store the data it receives"))
    }

    @Test func `a server that says less than before, or more than was sent, is not believed for ever`() throws {
        var server = ModelGCS()
        var count = 0
        let less = try meet(&server, 20 * mebibyte) { request in
            guard Self.isAppend(request) else { return nil }
            count += 1
            return count == 1 ? nil : ModelGCS.answer(308)
        }
        #expect(less.failure == .serverMisbehaves)
        let more = try meet(&server, 20 * mebibyte) {
            Self.isAppend($0) ? ModelGCS.answer(308, "", ["Range": "bytes=0-19999999"]) : nil
        }
        #expect(more.failure == .serverMisbehaves)
        for text in ["bytes=5-9", "bytes=0-99999999999999999999", "bytes=0-9223372036854775807", "0-5", "bytes=0--1"] {
            let nonsense = try meet(&server, 20 * mebibyte) {
                Self.isAppend($0) ? ModelGCS.answer(308, "", ["Range": text]) : nil
            }
            #expect(nonsense.failure == .badServerResponse, "\(text)")
        }
    }

    @Test func `all bytes and no object yet is waited for`() throws {
        var server = ModelGCS()
        let all = ModelGCS.answer(308, "", ["Range": "bytes=0-9437183"])
        let run = try meet(&server, 9 * mebibyte) {
            $0.headers["X-Goog-Hash"] != nil || Self.isQuestion($0) ? all : nil
        }
        #expect(run.failure == .serverBusy && run.detail.contains("has not made an object of them yet"))
        #expect(run.calls.suffix(2) == ["PUTbytes */9437184", "PUTbytes */9437184"])
    }

    @Test func `an object with another checksum is removed, and the upload fails`() throws {
        var server = ModelGCS()
        server.comparesChecksum = false
        let run = try run(9 * mebibyte) { request in
            server.version = Self.isAppend(request) && request.sourceOffset == 0 ? 2 : 1
            return server.answer(request, now: DropboxBench.start)
        }
        #expect(run.failure == .contentMismatch && server.object == nil)
        #expect(run.detail.hasSuffix("has another checksum (CRC32C) than the file, and was removed again"))
        #expect(run.calls.last == "DELETE")
        let kept = try self.run(9 * mebibyte) { request in
            server.version = Self.isAppend(request) && request.sourceOffset == 0 ? 2 : 1
            if request.method == "DELETE" { return ModelGCS.error(403, "forbidden") }
            return server.answer(request, now: DropboxBench.start)
        }
        #expect(kept.failure == .contentMismatch && kept.detail.hasSuffix("than the file"))
    }

    @Test func `an object that cannot be removed for want of a token is still said to be wrong`() throws {
        var server = ModelGCS()
        server.comparesChecksum = false
        server.version = 2
        // All bytes arrive, and the answer is lost.
        let lost = try run(5 * mebibyte, sent: 5 * mebibyte) { request in
            let answer = server.answer(request, now: DropboxBench.start)
            return Self.isAppend(request) ? nil : answer
        }
        let dialect = try make(try ModelGCS.spec(size: 5 * mebibyte), lost.memory)
        let run = DialectRun(dialect, grants: false) { server.answer($0, now: DropboxBench.start) }
        #expect(run.tokens == [nil] && run.failure == .contentMismatch && run.detail.hasSuffix("than the file"))
    }

    @Test func `an object that is described without this upload's number is not removed`() throws {
        var server = ModelGCS()
        let other = ModelGCS.Object(content: SymbolicContent(version: 7, 0..<9 * mebibyte), marker: nil, generation: 5)
        let run = try meet(&server, 9 * mebibyte) {
            $0.headers["X-Goog-Hash"] != nil ? ModelGCS.describe(other) : nil
        }
        #expect(run.failure == .contentMismatch && run.detail.hasSuffix("than the file"))
        #expect(!run.calls.contains("DELETE"))
    }

    @Test func `a server that finds another checksum makes no object, and gets the file once more`() throws {
        var server = ModelGCS()
        var isFirst = true
        let run = try run(9 * mebibyte) { request in
            server.version = Self.isAppend(request) && request.sourceOffset == 0 && isFirst ? 2 : 1
            if request.headers["X-Goog-Hash"] != nil { isFirst = false }
            return server.answer(request, now: DropboxBench.start)
        }
        #expect(run.status == 200 && server.isComplete && server.commits == 1)
        #expect(run.calls.count { $0.hasPrefix("POST") } == 2)
    }

    @Test func `200 without an object is not taken for the end`() throws {
        var server = ModelGCS()
        let portal = try meet(&server, 9 * mebibyte) {
            $0.headers["Content-Range"] != nil ? ModelGCS.answer(200, "<html>") : nil
        }
        #expect(portal.failure == .badServerResponse && portal.detail.contains("does not describe the object"))
        let unreadable = try meet(&server, 9 * mebibyte) {
            $0.headers["Content-Range"] != nil ? ModelGCS.answer(200, #"{"size":"9437184","crc32c":"AAAA"}"#) : nil
        }
        #expect(unreadable.failure == .badServerResponse)
        let shorter = try meet(&server, 9 * mebibyte) {
            Self.isAppend($0) ? ModelGCS.answer(200, #"{"size":"5"}"#) : nil
        }
        #expect(shorter.failure == .contentMismatch && shorter.detail.contains("5 bytes, not 9437184"))
    }

    /// Describes the file by its size alone.
    private func unproven(_ size: Int64, _ marker: String? = nil) -> Answer {
        let metadata = marker.map { #","metadata":{"offstage-id":"\#($0)"}"# } ?? ""
        return ModelGCS.answer(200, #"{"size":"\#(size)","generation":"7"\#(metadata)}"#)
    }

    @Test func `an object without a checksum counts only if all of the file was sent`() throws {
        var server = ModelGCS()
        let early = try meet(&server, 20 * mebibyte) { Self.isAppend($0) ? unproven(20 * mebibyte) : nil }
        #expect(early.failure == .contentMismatch && early.detail.hasSuffix("not all of the file was sent"))
        #expect(early.calls == ["POST+63", "PUTbytes 0-8388607/20971520+8388608"])
        // The object is this upload's own, but not the file.
        server.object = .init(content: SymbolicContent(version: 1, 0..<5), marker: nil, generation: 7)
        let removed = try meet(&server, 20 * mebibyte) {
            Self.isAppend($0) ? unproven(20 * mebibyte, ModelGCS.marker) : nil
        }
        #expect(removed.failure == .contentMismatch && removed.detail.hasSuffix("and was removed again"))
        let last = try meet(&server, 20 * mebibyte) {
            $0.headers["X-Goog-Hash"] != nil ? unproven(20 * mebibyte) : nil
        }
        #expect(last.status == 200)
        // The daemon was killed while the last chunk was in transit, or knows that the connection broke before its end.
        let lost = try run(9 * mebibyte, sent: 500) {
            $0.headers["X-Goog-Hash"] != nil ? nil : server.answer($0, now: DropboxBench.start)
        }
        for (memory, status) in [(lost.committed, 200), (lost.memory, nil)] as [([UInt8]?, Int?)] {
            let again = try meet(&server, 9 * mebibyte, memory: memory) {
                Self.isQuestion($0) ? unproven(9 * mebibyte) : nil
            }
            #expect(again.calls == ["PUTbytes */9437184"] && again.status == status)
        }
    }

    @Test func `bytes that a server refused before they were sent have not arrived`() throws {
        for sent: Int64 in [5, 5 * mebibyte] {
            var server = ModelGCS()
            var dialect = try make(try ModelGCS.spec(size: 5 * mebibyte))
            var isSending = false
            for _ in 0..<10 where !isSending {
                switch dialect.next(now: DropboxBench.start) {
                case .authorize: dialect.authorized(GrantedToken(DialectConformance.secret))
                case .hash(let digest): dialect.hashed(SymbolicContent.digest(digest), digest)
                case .send(let request) where Self.isAppend(request): isSending = true
                case .send(let request):
                    dialect.answered(server.answer(request, now: DropboxBench.start), lane: 0, now: DropboxBench.start)
                case .digest, .wait, .finish, .fail: throw Missing()
                }
            }
            dialect.sentBody(sent, lane: 0)
            dialect.answered(ModelGCS.error(503, "backendError"), lane: 0, now: DropboxBench.start)
            let again = try meet(&server, 5 * mebibyte, memory: dialect.memory) {
                Self.isQuestion($0) ? unproven(5 * mebibyte) : nil
            }
            #expect(again.status == (sent == 5 ? nil : 200) && again.calls == ["PUTbytes */5242880"])
        }
    }

    @Test func `a 412 in the middle proves nothing, and what is there counts by its checksum`() throws {
        var server = ModelGCS()
        let whole = ModelGCS.Object(
            content: SymbolicContent(version: 1, 0..<20 * mebibyte),
            marker: ModelGCS.marker,
            generation: 9
        )
        for (answer, status) in [
            (ModelGCS.describe(whole), 200), (unproven(20 * mebibyte, ModelGCS.marker), nil),
        ] as [(Answer, Int?)] {
            let run = try meet(&server, 20 * mebibyte) { request in
                if request.method == "GET" { return answer }
                return Self.isAppend(request) ? ModelGCS.error(412, "conditionNotMet") : nil
            }
            #expect(run.status == status && run.calls.last == "GET", "\(run.calls)")
            if status == nil { #expect(run.failure == .commitUncertain && run.detail.contains("states no checksum")) }
        }
    }

    @Test func `the URL of the upload is in no sentence and no answer that is shown`() throws {
        let secret = "AbPnR7s3cr3tUpl0adIdZyXwVu98TsRqPo"
        let query = "uploadType=resumable&name=2026%2Fa%20film.mov&upload_id=\(secret)"
        let place = "\(ModelGCS.base)/upload/storage/v1/b/films/o?\(query)"
        let body = #"{"size":"5","generation":"1234567","note":"\#(place)"}"#
        for (status, text) in [(418, #"{"error":{"message":"cannot serve \#(place)"}}"#), (200, body)] {
            let run = try run(5) { request in
                request.method == "POST"
                    ? ModelGCS.answer(200, "", ["Location": place])
                    : ModelGCS.answer(status, text, ["ETag": "\"\(secret)\"", "Server": place])
            }
            var told = run.detail
            if case .finish(let answer) = run.end {
                told = String(decoding: answer.bodyStart, as: UTF8.self) + answer.headers.map(\.value).joined()
            }
            // Parameters of the original request are not the answer's secrets.
            #expect(told.contains("name=2026%2Fa%20film.mov&upload_id=(hidden)"), "\(told)")
            #expect(!told.contains("s3cr3t") && (run.status == 200) == (status == 200), "\(told)")
        }
    }

    @Test func `an upload at another server gets nothing`() throws {
        for location in ["https://evil.example/u?upload_id=1", "http://storage.googleapis.com/u", ""] {
            let run = try run(9 * mebibyte) { _ in
                ModelGCS.answer(200, "", location.isEmpty ? [:] : ["Location": location])
            }
            #expect(run.failure == .badServerResponse && run.calls.count == 1, "\(location)")
        }
    }

    @Test func `a busy server is waited for as long as it says`() throws {
        var server = ModelGCS()
        for (status, reason) in [(408, ""), (429, "rateLimitExceeded"), (403, "userRateLimitExceeded"), (503, "")] {
            let run = try meet(&server, 9 * mebibyte) { request in
                guard Self.isAppend(request) else { return nil }
                var answer = ModelGCS.error(status, reason)
                answer.headers.append(HeaderField(name: "Retry-After", value: "7"))
                return answer
            }
            guard case .fail(let failure) = run.end else { throw Missing() }
            #expect(failure.code == .serverBusy && failure.retryAfter == 7, "\(status)")
        }
    }

    // MARK: - Tokens

    @Test func `a token that has expired is replaced once`() throws {
        var server = ModelGCS()
        server.tokens = [DialectConformance.secret + "2"]
        let run = try meet(&server, 5)
        #expect(run.status == 200 && run.tokens == [nil, DialectConformance.secret])
        server.tokens = []
        let never = try meet(&server, 5)
        #expect(never.failure == .accessKeyRefused)
        let expected = "storage.googleapis.com:443 does not accept the token from the key file /home/a/key.json"
        #expect(never.detail == expected)
    }

    @Test func `refusals are sentences, without what is secret`() throws {
        var server = ModelGCS()
        for (status, code, words) in [
            (403, .accessKeyRefused, "the key file /home/a/key.json may not write to gs://films/2026/a film.mov"),
            (404, .destinationRefused, "there is no bucket 'films'"),
            (400, .httpStatus, "400 Bad Request (why) to the upload: No."),
            (302, .badServerResponse, "--endpoint-url"),
        ] as [(Int, TransferFailure.Code, String)] {
            let run = try meet(&server, 5) { $0.method == "POST" ? ModelGCS.error(status, "why") : nil }
            #expect(run.failure == code && run.detail.contains(words), "\(run.detail)")
        }
        let echo = try meet(&server, 5) { request in
            guard request.method == "POST" else { return nil }
            let secret = DialectConformance.secret
            return ModelGCS.answer(400, #"{"error":{"message":"bad \#(secret) here"}}"#)
        }
        #expect(!echo.detail.contains(DialectConformance.secret) && echo.detail.contains("bad"))
        let done = try meet(&server, 5)
        guard case .finish(let answer) = done.end else { throw Missing() }
        #expect(
            answer.headers["X-GUploader-UploadID"] == nil
                && answer.finalURL == "\(ModelGCS.base)/films/2026/a%20film.mov"
        )
    }

    @Test func `a cancelled upload is cancelled at the server`() throws {
        var server = ModelGCS()
        let run = try run(20 * mebibyte) { Self.isAppend($0) ? nil : server.answer($0, now: DropboxBench.start) }
        let dialect = try make(try ModelGCS.spec(size: 20 * mebibyte), run.committed)
        #expect(dialect.farewellSource == nil)
        let farewell = try #require(dialect.farewell)
        #expect(server.answer(farewell, now: DropboxBench.start).status == 499 && server.uploads.isEmpty)
    }

    // MARK: - Any course

    /// Kills, broken connections, lost answers, lost uploads, busy servers and expired tokens in any order.
    @Test(arguments: 0..<12 as Range<UInt64>) func `whatever happens, the object is made once and whole`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let size = Bool.random(using: &random) ? Int64.random(in: 0...(90 << 20), using: &random) : 0
            let leavesExisting = Bool.random(using: &random)
            let spec = try ModelGCS.spec(size: size) { $0.leavesExisting = leavesExisting }
            var server = ModelGCS()
            server.forgetsMade = Bool.random(using: &random)
            var memory: [UInt8]?
            var run: DialectRun?
            for attempt in 0..<60 {
                let isCalm = attempt > 45
                var sent: Int64 = 0
                run = DialectRun(try make(spec, memory), sent: sent) { request in
                    sent = request.body.count
                    guard !isCalm else { return server.answer(request, now: DropboxBench.start) }
                    return Self.faulty(&server, request, &sent, &random)
                }
                guard let run, run.status == nil else { break }
                if case .fail(let failure) = run.end { #expect(failure.retryClass != .permanent, "\(failure)") }
                memory = Bool.random(using: &random) ? run.memory : run.committed
            }
            #expect(run?.status == 200 && server.isComplete, "size \(size)")
            #expect(server.object?.content == SymbolicContent(version: 1, 0..<size))
            #expect(server.commits == 1 && server.mistakes == 0)
        }
    }

    private static func faulty(
        _ server: inout ModelGCS,
        _ request: DialectRequest,
        _ sent: inout Int64,
        _ random: inout SeededGenerator
    ) -> Answer? {
        switch Int.random(in: 0..<30, using: &random) {
        case 0:
            sent = Int64.random(in: 0...request.body.count, using: &random)
            server.cutOff(request, after: sent)
            return nil
        case 1:
            _ = server.answer(request, now: DropboxBench.start)
            return nil
        case 2: return ModelGCS.error(503, "backendError")
        case 3:
            _ = server.answer(request, now: DropboxBench.start)
            return ModelGCS.error(500, "internalError")
        case 4:
            let (one, other) = (DialectConformance.secret, DialectConformance.secret + "2")
            server.tokens = server.tokens == [one] ? [other] : [one, other]
            return server.answer(request, now: DropboxBench.start)
        case 5:
            // Uploads that have not become objects are lost.
            for (id, upload) in server.uploads where upload.made == nil { server.uploads[id] = nil }
            return server.answer(request, now: DropboxBench.start)
        default: return server.answer(request, now: DropboxBench.start)
        }
    }
}
