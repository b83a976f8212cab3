// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// How the dialect of the IETF's resumable uploads handles each answer.
@Suite struct ResumableUploadTests {
    private static let mebibyte: Int64 = 1 << 20
    private static let now = DropboxBench.start

    /// Drives the upload until it ends, or `answer` returns nil: then the connection breaks after `sent` bytes.
    private func run(
        size: Int64,
        memory: [UInt8]? = nil,
        sent: Int64 = 0,
        interim: (DialectRequest) -> [HeaderField]? = { _ in nil },
        answer: (DialectRequest) -> Answer?
    ) throws -> DialectRun {
        let upload = try ResumableUpload(try ModelResumable.spec(size: size), memory: memory, now: Self.now)
        return DialectRun(upload, sent: sent, interim: interim, answer: answer)
    }

    /// An upload whose connection breaks once the server has reported its location.
    private func known(size: Int64) throws -> DialectRun {
        var server = ModelResumable()
        return try run(size: size) {
            server.interim($0)
        } answer: { _ in
            nil
        }
    }

    @Test func `a server that does not know the protocol gets an ordinary upload, once`() throws {
        var plain = ModelResumable()
        plain.isKnown = false
        for status in [200, 201, 204, 400, 403, 404, 413, 500, 503] {
            plain.status = status
            let run = try run(size: 20) { plain.answer($0, now: Self.now) }
            #expect(run.calls == ["PUT+20"] && run.status == status && run.memory == nil, "\(status)")
        }
        #expect(plain.requests.first?.headers["Upload-Complete"] == "?1")
    }

    @Test func `a break is resumed at the byte that the server names`() throws {
        var server = ModelResumable()
        let size = 50 * Self.mebibyte
        let first = try run(size: size, sent: 9 * Self.mebibyte) {
            server.interim($0)
        } answer: { request in
            server.cutOff(request, after: 8 * Self.mebibyte + 5)
            return nil
        }
        #expect(first.calls == ["PUT+\(size)"] && first.standing == "the server says where to resume it")
        let rest = size - 8 * Self.mebibyte - 5
        let second = try run(size: size, memory: first.memory) { server.answer($0, now: Self.now) }
        #expect(second.calls == ["HEAD", "PATCH@\(8 * Self.mebibyte + 5)+\(rest)"])
        #expect(second.status == 201 && server.isComplete)
        #expect(second.memory.map { !String(decoding: $0, as: UTF8.self).contains("uploads") } ?? true)
    }

    @Test func `a break before the server has said anything begins again`() throws {
        var server = ModelResumable()
        let first = try run(size: 20) { _ in nil }
        #expect(first.memory == nil)
        let second = try run(size: 20, memory: first.memory) {
            server.interim($0)
        } answer: {
            server.answer($0, now: Self.now)
        }
        #expect(second.calls == ["PUT+20"] && second.status == 201 && server.isComplete)
    }

    private static func once() throws -> TransferSpec {
        var spec = try ModelResumable.spec(size: 20, method: "POST")
        spec.isSentOnce = true
        return spec
    }

    @Test func `what must be sent once is not sent again if nobody says what became of it`() throws {
        for (status, fields) in [
            (400, [:]), (403, [:]), (404, [:]), (405, [:]), (204, ["Upload-Length": "7", "Upload-Offset": "0"]),
            (204, ["Upload-Offset": "21"]), (204, ["Upload-Complete": "?1", "Upload-Offset": "3"]),
        ] as [(Int, [String: String])] {
            var server = ModelResumable()
            let upload = try ResumableUpload(try Self.once(), memory: nil, now: Self.now)
            let first = DialectRun(upload, sent: 20, interim: { server.interim($0) }, answer: { _ in nil })
            #expect(first.memory != nil)
            let again = try ResumableUpload(try Self.once(), memory: first.memory, now: Self.now)
            let second = DialectRun(again) { _ in ModelTus.answer(status, fields) }
            #expect(second.calls == ["HEAD"] && second.failure == .commitUncertain, "\(status) \(fields)")
        }
    }

    @Test func `before the server has said where to ask, what must be sent once leaves no memory`() throws {
        var server = ModelResumable()
        (server.version, server.refusesOthers) = (6, true)
        let upload = try ResumableUpload(try Self.once(), memory: nil, now: Self.now)
        let run = DialectRun(upload, sent: 20) { request in
            request.headers["Upload-Draft-Interop-Version"] == "8" ? server.answer(request, now: Self.now) : nil
        }
        #expect(run.calls == ["POST+20", "POST+20"] && run.memory == nil)
    }

    @Test func `an interim response of another version says nothing`() throws {
        var server = ModelResumable()
        let first = try run(size: 20) { request in
            server.interim(request)?.map { $0.name.hasSuffix("Version") ? HeaderField(name: $0.name, value: "99") : $0 }
        } answer: { _ in
            nil
        }
        #expect(first.memory == nil)
    }

    @Test(arguments: [3, 5, 6, 7]) func `a server that refuses the version is spoken to in its own`(version: Int) throws
    {
        var server = ModelResumable()
        (server.version, server.refusesOthers) = (version, true)
        let first = try run(size: 20) {
            server.interim($0)
        } answer: { request in
            guard server.interim(request) != nil || request.headers["Upload-Draft-Interop-Version"] == "8" else {
                return server.answer(request, now: Self.now)
            }
            if request.headers["Upload-Draft-Interop-Version"] == "8" { return server.answer(request, now: Self.now) }
            server.cutOff(request, after: 7)
            return nil
        }
        #expect(first.calls == ["PUT+20", "PUT+20"])
        let second = try run(size: 20, memory: first.memory) { server.answer($0, now: Self.now) }
        #expect(second.status == 201 && server.isComplete, "\(second)")
        let append = try #require(server.requests.last)
        #expect(
            append.headers["Content-Type"] == (version >= 6 ? "application/partial-upload" : "application/octet-stream")
        )
        #expect(append.headers[version == 3 ? "Upload-Incomplete" : "Upload-Complete"] == (version == 3 ? "?0" : "?1"))
    }

    @Test func `a server that takes only short requests gets them`() throws {
        var server = ModelResumable()
        server.mostPerAppend = 80_000
        let run = try run(size: 200_000) { server.answer($0, now: Self.now) }
        #expect(
            run.calls == ["PUT+200000", "PUT", "PATCH@0+80000", "PATCH@80000+80000", "PATCH@160000+40000"]
        )
        #expect(run.status == 201 && server.isComplete)
        let reservation = server.requests[1].headers
        #expect(reservation["Upload-Length"] == "200000" && reservation["Upload-Complete"] == "?0")
    }

    @Test func `a server that takes next to nothing at once is given up, unless that is all that is left`() throws {
        for most: Int64 in [1, 65_535] {
            var server = ModelResumable()
            server.mostPerAppend = most
            let run = try run(size: 200_000) { server.answer($0, now: Self.now) }
            #expect(run.failure == .badServerResponse && run.calls == ["PUT+200000"], "\(most): \(run.calls)")
            #expect(run.detail.contains("takes only \(most) bytes at once") && run.detail.contains("--protocol plain"))
        }
        var server = ModelResumable()
        let first = try run(size: 20, sent: 20) {
            server.interim($0)
        } answer: { request in
            server.cutOff(request, after: 12)
            return nil
        }
        for (most, calls) in [(8, ["HEAD", "PATCH@12+8"]), (7, ["HEAD"])] {
            var server = server
            let run = try run(size: 20, memory: first.memory) { request in
                var answer = server.answer(request, now: Self.now)
                answer.headers.append(HeaderField(name: "Upload-Limit", value: "max-append-size=\(most)"))
                return answer
            }
            #expect(run.calls == calls && run.status == (most == 8 ? 201 : nil))
        }
    }

    @Test func `a server that stores a byte of each request is given up`() throws {
        let size = 50 * Self.mebibyte
        var server = ModelResumable()
        let first = try run(size: size, sent: 9 * Self.mebibyte) {
            server.interim($0)
        } answer: { _ in
            nil
        }
        for status in [204, 409] {
            var stored: Int64 = 0
            let run = try run(size: size, memory: first.memory) { request in
                let isAsked = request.method == "HEAD"
                if !isAsked { stored += 1 }
                let fields = ["Upload-Complete": "?0", "Upload-Offset": "\(stored)"]
                return ModelTus.answer(isAsked ? 204 : status, fields)
            }
            #expect(run.failure == .serverMisbehaves && run.calls.count == 10, "\(status): \(run.calls)")
        }
    }

    @Test func `a server that lowers its limit by a byte each time is given up`() throws {
        let size = 50 * Self.mebibyte
        let first = try known(size: size)
        let run = try run(size: size, memory: first.memory) { request in
            let limit = "max-append-size=\(max(1, request.body.count) - 1)"
            let fields = ["Upload-Offset": "0", "Upload-Complete": "?0"]
            return request.method == "HEAD"
                ? ModelTus.answer(204, fields) : ModelTus.answer(413, ["Upload-Limit": limit])
        }
        #expect(run.failure == .serverMisbehaves && run.calls.count < 25, "\(run.calls.count)")
    }

    // MARK: - What was not sent

    private static func complete(_ size: Int64) -> Answer {
        ModelTus.answer(204, ["Upload-Complete": "?1", "Upload-Offset": "\(size)", "Upload-Length": "\(size)"])
    }

    /// The memory of a 20-byte upload whose server has reported where it is resumed, after applying `change`.
    private func resumable(_ change: (inout ResumableUpload) -> Void) throws -> [UInt8]? {
        var dialect = try ResumableUpload(try ModelResumable.spec(size: 20), memory: nil, now: Self.now)
        _ = try Self.request(of: dialect.next(now: Self.now))
        let version = HeaderField(name: "Upload-Draft-Interop-Version", value: "8")
        dialect.receivedInterim([version, HeaderField(name: "Location", value: "/uploads/1")], lane: 0)
        change(&dialect)
        return dialect.memory
    }

    /// Whether the next attempt believes a server that reports the upload as complete.
    private func believes(_ memory: [UInt8]?) throws -> Bool {
        let run = try run(size: 20, memory: memory) { request in
            request.method == "HEAD" ? Self.complete(20) : ModelTus.answer(201)
        }
        #expect(run.calls == ["HEAD"] && run.status == 204 || run.calls == ["HEAD", "PUT+20"] && run.status == 201)
        return run.status == 204
    }

    @Test func `an upload that was not sent whole is not complete, whatever the server says`() throws {
        let lost = TransferFailure(.connectionLost, "")
        for sent: Int64 in [0, 12, 19, 20] {
            let broken = try resumable { _ = $0.broke(lost, lane: 0, sent: sent, now: Self.now) }
            #expect(try believes(broken) == (sent == 20), "\(sent) bytes before it broke")
            let refused = try resumable {
                $0.sentBody(sent, lane: 0)
                $0.answered(ModelTus.answer(503), lane: 0, now: Self.now)
            }
            #expect(try believes(refused) == (sent == 20), "\(sent) bytes before it was refused")
            // It confirms bytes that it cannot have.
            let promised = try resumable {
                let version = HeaderField(name: "Upload-Draft-Interop-Version", value: "8")
                $0.receivedInterim([version, HeaderField(name: "Upload-Offset", value: "20")], lane: 0)
                _ = $0.broke(lost, lane: 0, sent: sent, now: Self.now)
            }
            #expect(try believes(promised) == (sent == 20), "\(sent) bytes, with a promise")
        }
    }

    @Test func `after a kill nobody knows how much was sent, and the server is believed`() throws {
        #expect(try believes(resumable { _ in }))
    }

    @Test func `a part that is answered as if it were the whole is not the end, unless it is refused`() throws {
        for status in [204, 422] {
            let run = try run(size: 200_000) { request in
                guard request.method == "PUT" else {
                    return ModelTus.answer(status, ["Upload-Complete": "?1", "Upload-Offset": "80000"])
                }
                let isWhole = request.body.count > 0
                let fields = ["Upload-Complete": "?0", "Upload-Limit": "max-append-size=80000", "Location": "/u/1"]
                return ModelTus.answer(isWhole ? 413 : 201, fields)
            }
            let again = [[String]](repeating: ["PUT", "PATCH@0+80000"], count: status == 204 ? 4 : 1)
            #expect(run.calls == ["PUT+200000"] + again.flatMap { $0 })
            if status == 204 { #expect(run.failure == .serverMisbehaves) } else { #expect(run.status == status) }
        }
    }

    @Test func `an empty upload that is answered as if it were the whole is not the end`() throws {
        let run = try run(size: 200_000) { request in
            let isWhole = request.body.count > 0
            var fields = ["Upload-Limit": "max-append-size=80000", "Location": "/u/1"]
            fields["Upload-Complete"] = isWhole ? "?0" : "?1"
            return ModelTus.answer(isWhole ? 413 : 201, fields)
        }
        #expect(run.failure == .serverMisbehaves && run.calls == ["PUT+200000", "PUT", "PUT", "PUT", "PUT"])
    }

    @Test func `the URL of the upload is in no answer that is shown`() throws {
        let secret = "AbPnR7s3cr3tUpl0adIdZyXwVu98TsRqPo"
        let version = HeaderField(name: "Upload-Draft-Interop-Version", value: "8")
        for location in ["/r/1?sig=\(secret)", "/r/\(secret)"] {
            var dialect = try ResumableUpload(try ModelResumable.spec(size: 20), memory: nil, now: Self.now)
            _ = try Self.request(of: dialect.next(now: Self.now))
            dialect.receivedInterim([version, HeaderField(name: "Location", value: location)], lane: 0)
            _ = dialect.broke(TransferFailure(.connectionLost, ""), lane: 0, sent: 3, now: Self.now)
            let run = try run(size: 20, memory: dialect.memory) { request in
                guard request.method == "PATCH" else {
                    return ModelTus.answer(204, ["Upload-Offset": "3", "Upload-Complete": "?0"])
                }
                var answer = ModelTus.answer(418, ["ETag": "\"\(location)\"", "Server": location])
                answer.bodyStart = Array("cannot serve \(location)".utf8)
                return answer
            }
            guard case .finish(let answer) = run.end else { throw TestError("it has not ended") }
            let text = String(decoding: answer.bodyStart, as: UTF8.self) + answer.headers.map(\.value).joined()
            #expect(answer.status == 418 && text.contains("cannot serve /r/") && !text.contains("s3cr3t"), "\(text)")
        }
    }

    @Test func `a server that refuses what it says it takes is not asked for ever`() throws {
        for limit in ["max-append-size=900000000", "max-age=5", "max-append-size=x", ""] {
            let size = 50 * Self.mebibyte
            let first = try known(size: size)
            let run = try run(size: size, memory: first.memory) { request in
                let fields = ["Upload-Offset": "0", "Upload-Complete": "?0", "Upload-Limit": limit]
                return ModelTus.answer(request.method == "HEAD" ? 204 : 413, fields)
            }
            #expect(run.failure == .badServerResponse && run.calls.count < 40, "\(limit): \(run.calls.count)")
        }
    }

    @Test func `the target's own refusal ends it, and nothing is sent again`() throws {
        for status in [400, 409, 422, 500, 503] {
            var server = ModelResumable()
            server.status = status
            let run = try run(size: 20) {
                server.interim($0)
            } answer: {
                server.answer($0, now: Self.now)
            }
            #expect(run.status == status && run.calls.count == 1, "\(status)")
            #expect(
                try ResumableUpload(try ModelResumable.spec(size: 20), memory: run.memory, now: Self.now).farewell
                    == nil
            )
        }
    }

    @Test func `an answer that passes leaves what has arrived`() throws {
        for status in [408, 423, 429, 500, 502, 503, 504] {
            var server = ModelResumable()
            let first = try run(size: 20) {
                server.interim($0)
            } answer: { request in
                server.cutOff(request, after: 12)
                return ModelTus.answer(status, ["Retry-After": "3"])
            }
            guard case .fail(let failure) = first.end else {
                Issue.record("\(status) is no end")
                continue
            }
            #expect(failure.code == .serverBusy && failure.retryAfter == 3)
            let second = try run(size: 20, memory: first.memory) { server.answer($0, now: Self.now) }
            #expect(second.calls == ["HEAD", "PATCH@12+8"] && second.status == 201, "\(status)")
        }
    }

    @Test func `a lost last answer is asked for, and not sent for again`() throws {
        var server = ModelResumable()
        let first = try run(size: 20, sent: 20) {
            server.interim($0)
        } answer: { request in
            _ = server.answer(request, now: Self.now)
            return nil
        }
        let second = try run(size: 20, memory: first.memory) { server.answer($0, now: Self.now) }
        #expect(second.calls == ["HEAD"] && second.status == 204 && server.isComplete)
        // The answer is about the upload, not about the file.
        guard case .finish(let answer) = second.end else { throw TestError("it has not ended") }
        #expect(answer.wasFetched == true)
        // A server that has forgotten the upload by then.
        server.uploads = [:]
        let third = try run(size: 20, memory: first.memory) { server.answer($0, now: Self.now) }
        #expect(third.failure == .commitUncertain && server.isComplete)
    }

    @Test func `an upload that the server lost on the way begins again`() throws {
        var server = ModelResumable()
        let first = try run(size: 50, sent: 30) {
            server.interim($0)
        } answer: { request in
            server.cutOff(request, after: 20)
            return nil
        }
        server.uploads = [:]
        let second = try run(size: 50, memory: first.memory) {
            server.interim($0)
        } answer: {
            server.answer($0, now: Self.now)
        }
        #expect(second.calls == ["HEAD", "PUT+50"] && second.status == 201 && server.isComplete)
    }

    @Test func `all bytes without the end are followed by an empty append`() throws {
        var server = ModelResumable()
        let first = try run(size: 20, sent: 20) {
            server.interim($0)
        } answer: { request in
            server.cutOff(request, after: 20)
            return nil
        }
        let second = try run(size: 20, memory: first.memory) { server.answer($0, now: Self.now) }
        #expect(second.calls == ["HEAD", "PATCH@20"] && second.status == 201 && server.isComplete)
    }

    @Test func `another offset is taken from a server that says so, and from nobody else`() throws {
        var server = ModelResumable()
        let first = try run(size: 20, sent: 20) {
            server.interim($0)
        } answer: { request in
            server.cutOff(request, after: 10)
            return nil
        }
        // Without the protocol's fields it may come from an intermediary.
        let other = try run(size: 20, memory: first.memory) { request in
            request.method == "PATCH" ? ModelTus.answer(409) : server.answer(request, now: Self.now)
        }
        #expect(other.status == 409 && other.calls == ["HEAD", "PATCH@10+10"])
        var isFirst = true
        let second = try run(size: 20, memory: first.memory) { request in
            guard request.method == "PATCH", isFirst else { return server.answer(request, now: Self.now) }
            isFirst = false
            return ModelTus.answer(409, ["Upload-Complete": "?0", "Upload-Offset": "10"])
        }
        #expect(second.calls == ["HEAD", "PATCH@10+10", "PATCH@10+10"] && second.status == 201)
    }

    @Test func `a server that lies about its offset gets no file from it`() throws {
        for lie in ["Upload-Offset: 99", "Upload-Offset: -1", "Upload-Offset: 9223372036854775807", "Upload-Length: 7"]
        {
            var server = ModelResumable()
            let first = try run(size: 20) {
                server.interim($0)
            } answer: { _ in
                nil
            }
            let field = try HeaderField(parsing: lie)
            let run = try run(size: 20, memory: first.memory) {
                server.interim($0)
            } answer: { request in
                guard request.method == "HEAD" else { return nil }
                var answer = server.answer(request, now: Self.now)
                answer.headers.removeAll { $0.name == field.name }
                answer.headers.append(field)
                return answer
            }
            // It starts over, or ends: nothing is sent from the false offset.
            #expect(run.calls == ["HEAD", "PUT+20"] || run.failure == .badServerResponse, "\(lie): \(run)")
        }
    }

    private static func request(of step: DialectStep) throws -> DialectRequest {
        guard case .send(let request) = step else { throw TestError("Nothing is sent, but \(step).") }
        return request
    }

    @Test func `what the owner sends stays with the owner's server`() throws {
        var spec = try ModelResumable.spec(size: 20, method: "POST")
        spec.headers = [
            HeaderField(name: "Authorization", value: "Bearer secret"),
            HeaderField(name: "Content-Type", value: "video/mp4"),
            HeaderField(name: "Accept-Language", value: "ko"),
        ]
        spec.idempotencyKey = "key"
        var dialect = try ResumableUpload(spec, memory: nil, now: Self.now)
        let create = try Self.request(of: dialect.next(now: Self.now))
        #expect(create.method == "POST" && create.usesCredentials && create.headers["Idempotency-Key"] == "key")
        #expect(create.headers["Content-Type"] == "video/mp4" && create.headers["Authorization"] == "Bearer secret")
        dialect.receivedInterim(
            [
                HeaderField(name: "Upload-Draft-Interop-Version", value: "8"),
                HeaderField(name: "Location", value: "https://storage.example/u?sig=x"),
            ],
            lane: 0
        )
        _ = dialect.broke(TransferFailure(.connectionLost, ""), lane: 0, sent: 3, now: Self.now)
        var next = try ResumableUpload(spec, memory: dialect.memory, now: Self.now)
        let head = try Self.request(of: next.next(now: Self.now))
        #expect(head.method == "HEAD" && head.url.host == "storage.example" && !head.usesCredentials)
        #expect(head.headers["Authorization"] == nil && head.headers["Content-Type"] == nil)
        #expect(head.headers["Accept-Language"] == "ko" && head.headers["Idempotency-Key"] == nil)
    }
}
