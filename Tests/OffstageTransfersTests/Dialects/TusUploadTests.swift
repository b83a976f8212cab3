// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// How the tus dialect handles each answer.
@Suite struct TusUploadTests {
    private static let mebibyte: Int64 = 1 << 20
    private static let now = DropboxBench.start

    /// Drives the upload until it ends, or `answer` returns nil: then the connection breaks, after all bytes were sent.
    private func run(
        size: Int64,
        memory: [UInt8]? = nil,
        _ change: (inout TusParameters) -> Void = { _ in },
        answer: (DialectRequest) -> Answer?
    ) throws -> DialectRun {
        let upload = try TusUpload(try ModelTus.spec(size: size, change), memory: memory, now: Self.now)
        return DialectRun(upload, sent: size, answer: answer)
    }

    @Test func `a file goes in chunks that grow, each with its checksum`() throws {
        var tus = ModelTus()
        let run = try run(size: 100 * Self.mebibyte) { tus.answer($0, now: Self.now) }
        #expect(run.status == 204 && tus.isComplete)
        let mebibyte = Self.mebibyte
        #expect(
            run.calls == [
                "OPTIONS", "POST", "PATCH@0+\(8 * mebibyte)", "PATCH@\(8 * mebibyte)+\(8 * mebibyte)",
                "PATCH@\(16 * mebibyte)+\(32 * mebibyte)", "PATCH@\(48 * mebibyte)+\(32 * mebibyte)",
                "PATCH@\(80 * mebibyte)+\(20 * mebibyte)",
            ]
        )
        let patches = tus.requests.filter { $0.method == "PATCH" }
        #expect(patches.allSatisfy { $0.headers["Upload-Checksum"]?.hasPrefix("sha1 ") == true && $0.provesBody })
        #expect(tus.uploads["1"]?.metadata == "filename ZmlsbS5tb3Y=")
    }

    @Test func `a server without checksums gets none, and its word decides about what it has`() throws {
        var tus = ModelTus()
        tus.extensions = "creation"
        let run = try run(size: 20) { tus.answer($0, now: Self.now) }
        #expect(run.calls == ["OPTIONS", "POST", "PATCH@0+20"] && run.status == 204)
        #expect(tus.requests.allSatisfy { $0.headers["Upload-Checksum"] == nil })
        #expect(tus.requests.last?.provesBody == false, "the source is looked at once it is sent")
    }

    @Test func `a server that knows no OPTIONS is taken at its other words`() throws {
        for status in [404, 405, 400, 500, 501] {
            var tus = ModelTus()
            let run = try run(size: 20) {
                $0.method == "OPTIONS" ? ModelTus.answer(status) : tus.answer($0, now: Self.now)
            }
            #expect(run.status == 204 && tus.isComplete, "\(status)")
        }
    }

    @Test func `a chunk that broke goes on at the byte that the server names`() throws {
        var tus = ModelTus()
        tus.extensions = "creation"
        let first = try run(size: 50 * Self.mebibyte) { request in
            guard request.headers["Upload-Offset"] == "\(8 * Self.mebibyte)" else {
                return tus.answer(request, now: Self.now)
            }
            tus.cutOff(request, after: 12_345)
            return nil
        }
        let second = try run(size: 50 * Self.mebibyte, memory: first.memory) { tus.answer($0, now: Self.now) }
        #expect(second.calls.first == "HEAD", "nobody asks again what the server can do")
        #expect(second.calls[1].hasPrefix("PATCH@\(8 * Self.mebibyte + 12_345)+"))
        #expect(second.status == 204 && tus.isComplete)
    }

    @Test func `an upload that was acknowledged to its end is done without a question`() throws {
        var tus = ModelTus()
        tus.afterCompletion = .isRemoved
        let first = try run(size: 20) { tus.answer($0, now: Self.now) }
        let again = try run(size: 20, memory: first.memory) { _ in ModelTus.answer(404) }
        #expect(again.calls.isEmpty && again.status == 204)
    }

    @Test func `an upload that vanished with its last chunk is not sent a second time`() throws {
        var tus = ModelTus()
        tus.afterCompletion = .isRemoved
        let first = try run(size: 20) { request in
            let answer = tus.answer(request, now: Self.now)
            return request.method == "PATCH" ? nil : answer
        }
        let second = try run(size: 20, memory: first.memory) { tus.answer($0, now: Self.now) }
        #expect(second.failure == .commitUncertain && second.calls == ["HEAD"] && tus.isComplete)
        // A person who says "retry" has looked.
        let third = try run(size: 20, memory: second.memory) { tus.answer($0, now: Self.now) }
        #expect(third.calls == ["POST", "PATCH@0+20"] && third.status == 204)
    }

    @Test func `a chunk that is refused because the upload is gone has not arrived`() throws {
        var tus = ModelTus()
        var isFirst = true
        let run = try run(size: 20) { request in
            if request.method == "PATCH", isFirst {
                isFirst = false
                tus.uploads = [:]
            }
            return tus.answer(request, now: Self.now)
        }
        #expect(run.calls == ["OPTIONS", "POST", "PATCH@0+20", "POST", "PATCH@0+20"] && run.status == 204)
    }

    @Test func `what a server has stored of a cancelled upload can be deleted where it knows that`() throws {
        for (extensions, isKnown) in [("creation,termination", true), ("creation", false)] {
            var tus = ModelTus()
            tus.extensions = extensions
            let spec = try ModelTus.spec(size: 20)
            let broken = try run(size: 20) { $0.method == "PATCH" ? nil : tus.answer($0, now: Self.now) }
            let left = try TusUpload(spec, memory: broken.memory, now: Self.now).farewell
            #expect((left?.method == "DELETE") == isKnown)
            #expect(left.map { $0.url.unredacted == "https://tus.example/files/1" } ?? !isKnown)
            let done = try run(size: 20, memory: broken.memory) { tus.answer($0, now: Self.now) }
            #expect(try TusUpload(spec, memory: done.memory, now: Self.now).farewell == nil, "a file stays")
        }
    }

    @Test func `an upload that expired on the way begins again`() throws {
        var tus = ModelTus()
        let first = try run(size: 50 * Self.mebibyte) { request in
            request.headers["Upload-Offset"] == "\(8 * Self.mebibyte)" ? nil : tus.answer(request, now: Self.now)
        }
        tus.uploads = [:]
        for gone in [404, 410] {
            var tus = tus
            let second = try run(size: 50 * Self.mebibyte, memory: first.memory) { request in
                let answer = tus.answer(request, now: Self.now)
                return answer.status == 404 ? ModelTus.answer(gone) : answer
            }
            #expect(second.calls.prefix(2) == ["HEAD", "POST"] && second.status == 204 && tus.isComplete)
        }
    }

    @Test func `a server that lies about its offset gets no file from it`() throws {
        // More than was ever sent, a length of another file, and bytes that come and go.
        for lie in [
            "Upload-Offset: 999", "Upload-Offset: -1", "Upload-Offset: 9223372036854775807", "Upload-Length: 3",
        ] {
            var tus = ModelTus()
            let field = try HeaderField(parsing: lie)
            let run = try run(size: 20) { request in
                var answer = tus.answer(request, now: Self.now)
                guard request.method == "HEAD" || field.name == "Upload-Offset", request.method != "OPTIONS" else {
                    return request.method == "PATCH" ? ModelTus.answer(409) : answer
                }
                answer.headers.removeAll { $0.name == field.name }
                answer.headers.append(field)
                return answer
            }
            #expect(run.failure == .serverMisbehaves || run.failure == .badServerResponse, "\(lie): \(run)")
        }
        var tus = ModelTus()
        tus.extensions = "creation"
        let forgetful = try run(size: 50 * Self.mebibyte) {
            $0.largestChunk = 8 << 20
        } answer: { request in
            let answer = tus.answer(request, now: Self.now)
            if tus.uploads["1"]?.content.count ?? 0 > 20 * Self.mebibyte {
                tus.uploads["1"]?.content = SymbolicContent()
            }
            return answer
        }
        #expect(forgetful.failure == .serverMisbehaves && !tus.isComplete)
    }

    @Test func `a chunk that is too long is halved, down to what a server takes`() throws {
        var tus = ModelTus()
        tus.maximumBody = 300_000
        let run = try run(size: 900_000) { tus.answer($0, now: Self.now) }
        #expect(run.status == 204 && tus.isComplete)
        #expect(
            run.calls.filter { $0.hasPrefix("PATCH@0+") } == ["PATCH@0+900000", "PATCH@0+393216", "PATCH@0+196608"]
        )
        var none = ModelTus()
        none.maximumBody = 10
        let hopeless = try self.run(size: 900_000) { none.answer($0, now: Self.now) }
        #expect(hopeless.failure == .badServerResponse)
        let limited = try self.run(size: 900_000) {
            $0.largestChunk = 300_000
        } answer: {
            tus.answer($0, now: Self.now)
        }
        #expect(limited.calls.contains("PATCH@0+262144"))
    }

    @Test func `a proxy that knows no PATCH gets POST`() throws {
        var tus = ModelTus()
        tus.knowsPatch = false
        let run = try run(size: 20) { tus.answer($0, now: Self.now) }
        #expect(run.calls == ["OPTIONS", "POST", "PATCH@0+20", "HEAD", "POST@0+20"] && run.status == 204)
    }

    @Test func `a refusal after the end is looked into`() throws {
        // resumable-upload answers 403 to anything after the last byte.
        var tus = ModelTus()
        let first = try run(size: 20) { request in
            let answer = tus.answer(request, now: Self.now)
            return request.method == "PATCH" ? ModelTus.answer(403) : answer
        }
        #expect(first.status == 200 && tus.isComplete, "HEAD says that all is there")
        let refused = try run(size: 20) { request in
            request.method == "PATCH" ? ModelTus.answer(403) : tus.answer(request, now: Self.now)
        }
        #expect(refused.status == 403)
    }

    @Test func `what passes is waited for, and the upload stays`() throws {
        for status in [408, 423, 429, 500, 502, 503, 504] {
            for method in ["POST", "HEAD", "PATCH"] {
                var tus = ModelTus()
                let broken = try run(size: 20) { $0.method == "PATCH" ? nil : tus.answer($0, now: Self.now) }
                let run = try run(size: 20, memory: method == "HEAD" ? broken.memory : nil) { request in
                    request.method == method
                        ? ModelTus.answer(status, ["Retry-After": "7"]) : tus.answer(request, now: Self.now)
                }
                guard case .fail(let failure) = run.end else {
                    Issue.record("\(status) to \(method) is no end")
                    continue
                }
                #expect(failure.code == .serverBusy && failure.retryAfter == 7)
                let next = try self.run(size: 20, memory: run.memory) { tus.answer($0, now: Self.now) }
                #expect(next.status == 204 && tus.completions == 1, "\(status) to \(method)")
            }
        }
    }

    @Test func `a digest that does not fit is computed anew, but not for ever`() throws {
        var tus = ModelTus()
        var bad = 0
        let once = try run(size: 20) { request in
            guard request.method == "PATCH", bad == 0 else { return tus.answer(request, now: Self.now) }
            bad += 1
            return ModelTus.answer(460)
        }
        #expect(once.calls == ["OPTIONS", "POST", "PATCH@0+20", "HEAD", "PATCH@0+20"] && once.status == 204)
        let always = try run(size: 20) { $0.method == "PATCH" ? ModelTus.answer(460) : tus.answer($0, now: Self.now) }
        #expect(always.failure == .serverMisbehaves)
    }

    @Test func `what is no tus endpoint is said in a sentence`() throws {
        let answers: [(Answer, TransferFailure.Code, String)] = [
            (ModelTus.answer(404), .httpStatus, "is not a tus endpoint"),
            (ModelTus.answer(200), .badServerResponse, "no Location"),
            (ModelTus.answer(301, ["Location": "/files/"]), .httpStatus, "use the URL that it redirects to"),
            (ModelTus.answer(412), .badServerResponse, "does not speak tus 1.0.0"),
            (ModelTus.answer(413), .destinationRefused, "accepts no file of 20 bytes"),
            (ModelTus.answer(201, ["Location": "ftp://other/"]), .badServerResponse, "Location that cannot be used"),
            (ModelTus.answer(201, ["Location": "http://tus.example/1"]), .badServerResponse, "Location that cannot"),
        ]
        for (answer, code, words) in answers {
            let run = try run(size: 20) { $0.method == "POST" ? answer : ModelTus.answer(404) }
            #expect(run.failure == code && run.detail.contains(words), "\(run.detail)")
        }
        var small = ModelTus()
        small.maximum = 19
        let tooLarge = try run(size: 20) { small.answer($0, now: Self.now) }
        #expect(tooLarge.detail.contains("accepts no file of more than 19 bytes") && small.uploads.isEmpty)
        var closed = ModelTus()
        closed.extensions = "checksum"
        #expect(try run(size: 20) { closed.answer($0, now: Self.now) }.detail.contains("does not let clients create"))
        let old = try run(size: 20) { _ in ModelTus.answer(204, ["Tus-Version": "0.2.2"]) }
        #expect(old.detail.contains("speaks tus 0.2.2, not 1.0.0"))
    }

    @Test func `what the owner sends stays with the owner's server`() throws {
        var spec = try ModelTus.spec(size: 20)
        spec.headers = [
            HeaderField(name: "Authorization", value: "Bearer secret"),
            HeaderField(name: "Content-Type", value: "video/mp4"),
            HeaderField(name: "X-Note", value: "n"),
            HeaderField(name: "Accept-Language", value: "ko"),
            HeaderField(name: "Tus-Resumable", value: "0.1"),
            HeaderField(name: "Upload-Metadata", value: "name Zg=="),
        ]
        var dialect = try TusUpload(spec, memory: nil, now: Self.now)
        var requests: [DialectRequest] = []
        for _ in 0..<3 {
            guard case .send(let request) = dialect.next(now: Self.now) else { break }
            requests.append(request)
            if request.method == "PATCH" { break }
            let answer =
                request.method == "POST"
                ? ModelTus.answer(201, ["Location": "https://storage.example/u/1?sig=x"]) : ModelTus.answer(404)
            dialect.answered(answer, lane: 0, now: Self.now)
        }
        try #require(requests.map(\.method) == ["OPTIONS", "POST", "PATCH"])
        #expect(requests[1].headers["Authorization"] == "Bearer secret" && requests[1].usesCredentials)
        #expect(requests[1].headers["Upload-Metadata"] == "name Zg==" && requests[1].headers["X-Note"] == "n")
        #expect(requests[1].headers["Content-Type"] == nil)
        #expect(requests[1].headers.filter { $0.name == "Tus-Resumable" }.map(\.value) == ["1.0.0"])
        #expect(requests[2].headers["Authorization"] == nil && !requests[2].usesCredentials)
        #expect(requests[2].headers["X-Note"] == nil && requests[2].headers["Accept-Language"] == "ko")
        #expect(requests[2].headers["Content-Type"] == "application/offset+octet-stream")
        // Until the upload is complete, anyone who knows its location could change it.
        #expect(dialect.destination == nil)
        dialect.answered(ModelTus.answer(204, ["Upload-Offset": "20"]), lane: 0, now: Self.now)
        #expect(dialect.destination == "https://storage.example/u/1")
    }

    /// An upload of 20 bytes whose chunk is in transit to this location.
    private func sending(to location: String = "/files/1") throws -> TusUpload {
        var dialect = try TusUpload(try ModelTus.spec(size: 20), memory: nil, now: Self.now)
        for answer in [ModelTus.answer(404), ModelTus.answer(201, ["Location": location])] {
            _ = dialect.next(now: Self.now)
            dialect.answered(answer, lane: 0, now: Self.now)
        }
        guard case .send(let request) = dialect.next(now: Self.now), request.method == "PATCH" else {
            throw TestError("no chunk is sent")
        }
        return dialect
    }

    @Test func `the place of an upload that failed is in nothing that is shown`() throws {
        let secret = "AbPnR7s3cr3tUpl0adIdZyXwVu98TsRqPo"
        let place = "/files/\(secret)?sig=\(secret)"
        var dialect = try sending(to: place)
        var answer = ModelTus.answer(418, ["ETag": "\"\(place)\"", "Server": place])
        answer.bodyStart = Array("cannot serve \(place)".utf8)
        dialect.answered(answer, lane: 0, now: Self.now)
        guard case .finish(let shown) = dialect.next(now: Self.now) else { throw TestError("it has not ended") }
        let text = String(decoding: shown.bodyStart, as: UTF8.self) + shown.headers.map(\.value).joined()
        #expect(text.contains("cannot serve /files/(hidden)") && !text.contains("s3cr3t"), "\(text)")
        #expect(shown.status == 418 && dialect.destination == nil)
        // Nor in the time when the upload expires.
        var waiting = try sending(to: place)
        let expires = ["Upload-Offset": "5", "Upload-Expires": String(secret.prefix(30))]
        waiting.answered(ModelTus.answer(204, expires), lane: 0, now: Self.now)
        #expect(waiting.standing?.contains("s3cr3t") == false, "\(waiting.standing ?? "")")
    }

    @Test func `bytes that a server refused before they were sent have not arrived`() throws {
        for sent: Int64 in [5, 20] {
            var dialect = try sending()
            dialect.sentBody(sent, lane: 0)
            dialect.answered(ModelTus.answer(503), lane: 0, now: Self.now)
            let run = try run(size: 20, memory: dialect.memory) { request in
                request.method == "HEAD" ? ModelTus.answer(200, ["Upload-Offset": "20"]) : nil
            }
            #expect(run.calls == (sent == 20 ? ["HEAD"] : ["HEAD", "POST"]) && run.status == (sent == 20 ? 200 : nil))
        }
    }

    @Test func `a server that stores a byte of each chunk is given up`() throws {
        var tus = ModelTus()
        tus.extensions = "creation"
        var stored = 0
        let run = try run(size: 50 * Self.mebibyte) { request in
            guard request.method == "PATCH" else { return tus.answer(request, now: Self.now) }
            stored += 1
            return ModelTus.answer(204, ["Upload-Offset": "\(stored)"])
        }
        #expect(run.failure == .serverMisbehaves && run.calls.count == 11, "\(run.calls)")
    }

    @Test func `metadata that no header can carry is refused`() throws {
        for entries in [
            [MetadataEntry("a b", "1")], [MetadataEntry("", "1")], [MetadataEntry("a,b", "1")],
            [MetadataEntry("a", "1"), MetadataEntry("a", "2")],
            [MetadataEntry("a", String(repeating: "x", count: 5000))],
        ] {
            #expect(throws: RequestError.self) { try ModelTus.spec(size: 1) { $0.metadata = entries } }
        }
    }
}
