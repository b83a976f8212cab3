// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// What the dialect of the IETF's resumable uploads makes of each answer.
@Suite struct ResumableUploadTests {
    private static let mebibyte: Int64 = 1 << 20
    private static let now = DropboxBench.start

    /// Leads the upload until it ends, or `answer` gives nil: then the connection breaks after `sent` bytes.
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
        server.mostPerAppend = 8
        let run = try run(size: 20) { server.answer($0, now: Self.now) }
        #expect(run.calls == ["PUT+20", "PUT", "PATCH@0+8", "PATCH@8+8", "PATCH@16+4"])
        #expect(run.status == 201 && server.isComplete)
        #expect(
            server.requests[1].headers["Upload-Length"] == "20" && server.requests[1].headers["Upload-Complete"] == "?0"
        )
    }

    @Test func `a server that refuses what it says it takes is not asked for ever`() throws {
        for limit in ["max-append-size=900000000", "max-age=5", "max-append-size=x", ""] {
            var server = ModelResumable()
            let size = 50 * Self.mebibyte
            let first = try run(size: size) {
                server.interim($0)
            } answer: { _ in
                nil
            }
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
        // It is of the upload, and not of the file.
        guard case .finish(let answer) = second.end else { throw TestError("it has not ended") }
        #expect(answer.wasFetched == true)
        // A server that has forgotten it by then.
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
        // Without the protocol's words it may be an intermediary's.
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
            // It begins anew, or ends: nothing is sent from where the lie says.
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
