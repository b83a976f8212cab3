// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// How a plain upload that offers resumption handles each answer.
@Suite struct OfferedUploadTests {
    private static let size: Int64 = 8 << 20
    private static let now = DropboxBench.start

    private static func spec(_ change: (inout TransferSpec) -> Void = { _ in }) throws -> TransferSpec {
        var spec = try ModelResumable.spec(size: size)
        spec.dialect = nil
        spec.offersResumption = true
        change(&spec)
        return spec
    }

    /// The methods of an attempt, how it ended, and its findings.
    private struct Led {
        var run: DialectRun
        var finding: ResumptionBook.Finding?
        /// For each request with the whole file, whether it made the offer.
        var offers: [Bool] = []
        /// Bytes that the server has in the end; nil if unknown.
        var kept: Int64?
    }

    private func lead(
        _ spec: TransferSpec,
        memory: [UInt8]? = nil,
        known: ResumptionBook.Finding? = nil,
        sent: Int64 = 0,
        interim: (DialectRequest) -> [HeaderField]? = { _ in nil },
        answer: (DialectRequest) -> Answer?
    ) throws -> Led {
        var upload = try OfferedUpload(spec, memory: memory, now: Self.now)
        upload.known = known
        var offers: [Bool] = []
        let watched = Watched(upload)
        let run = DialectRun(watched, sent: sent, interim: interim) { request in
            if request.sourceOffset == 0, request.isOwners {
                offers.append(request.headers["Upload-Draft-Interop-Version"] != nil)
            }
            return answer(request)
        }
        let last = watched.last.withLock { $0 }
        return Led(
            run: run,
            finding: last.finding,
            offers: offers,
            kept: last.isResumable ? last.acknowledged : nil
        )
    }

    /// Makes the dialect accessible when the attempt is over.
    private struct Watched: UploadDialect {
        static let name = "watched"
        let last: Monitor<OfferedUpload>

        init(_ upload: OfferedUpload) { last = Monitor(upload) }

        init(_ spec: TransferSpec, memory: [UInt8]?, now: Moment) throws(RequestError) {
            last = Monitor(try OfferedUpload(spec, memory: memory, now: now))
        }

        func next(now: Moment) -> DialectStep { last.withLock { $0.next(now: now) } }
        func answered(_ answer: Answer, lane: Int, now: Moment) {
            last.withLock { $0.answered(answer, lane: lane, now: now) }
        }
        func receivedInterim(_ interim: [HeaderField], lane: Int) {
            last.withLock { $0.receivedInterim(interim, lane: lane) }
        }
        func broke(_ failure: TransferFailure, lane: Int, sent: Int64, now: Moment) -> TransferFailure {
            last.withLock { $0.broke(failure, lane: lane, sent: sent, now: now) }
        }
        var isResumable: Bool { last.withLock { $0.isResumable } }
        var memory: [UInt8]? { last.withLock { $0.memory } }
        var acknowledged: Int64 { last.withLock { $0.acknowledged } }
        var standing: String? { last.withLock { $0.standing } }
    }

    @Test func `a server that does not know the offer gets one request, and that is remembered`() throws {
        var server = ModelResumable()
        server.isKnown = false
        let led = try lead(try Self.spec()) { server.answer($0, now: Self.now) }
        #expect(led.run.calls == ["PUT+\(Self.size)"] && led.run.status == 201 && server.isComplete)
        #expect(led.offers == [true] && led.finding == .ignored && led.run.memory == nil)
    }

    @Test func `a server that takes the offer is resumed where it says`() throws {
        var server = ModelResumable()
        let first = try lead(try Self.spec(), sent: 3 << 20) {
            server.interim($0)
        } answer: { request in
            server.cutOff(request, after: 2 << 20)
            return nil
        }
        #expect(first.finding == .taken(version: 8) && first.run.memory != nil)
        let second = try lead(try Self.spec(), memory: first.run.memory) { server.answer($0, now: Self.now) }
        #expect(second.run.calls == ["HEAD", "PATCH@\(2 << 20)+\(6 << 20)"])
        #expect(second.run.status == 201 && server.isComplete && second.run.memory == nil)
    }

    @Test func `a refusal that may be due to the offer is answered once without it`() throws {
        for status in [400, 403, 406, 412, 417, 431, 501] {
            let led = try lead(try Self.spec()) { request in
                Answer(status: request.headers["Upload-Complete"] != nil ? status : 201)
            }
            #expect(led.offers == [true, false] && led.run.status == 201, "\(status)")
            #expect(led.finding == .refused, "\(status)")
        }
    }

    @Test func `a refusal that is not due to the offer is asked for twice at most, and remembered as such`() throws {
        let led = try lead(try Self.spec()) { _ in Answer(status: 403) }
        #expect(led.offers == [true, false] && led.run.status == 403 && led.finding == .ignored)
        for known in [ResumptionBook.Finding.ignored, .taken(version: 8)] {
            let again = try lead(try Self.spec(), known: known) { _ in Answer(status: 403) }
            #expect(again.offers == [true] && again.run.status == 403)
        }
    }

    @Test func `other refusals are the end at once`() throws {
        for status in [401, 404, 405, 409, 413, 415, 422, 429, 500, 503, 507] {
            let led = try lead(try Self.spec()) { _ in Answer(status: status) }
            #expect(led.offers == [true] && led.run.status == status, "\(status)")
        }
        let conditional = try Self.spec { $0.headers = [HeaderField(name: "If-None-Match", value: "*")] }
        let led = try lead(conditional) { _ in Answer(status: 412) }
        #expect(led.offers == [true] && led.run.status == 412)
    }

    @Test func `a server that is known to refuse the offer does not get it`() throws {
        let led = try lead(try Self.spec(), known: .refused) { _ in Answer(status: 201) }
        #expect(led.offers == [false] && led.run.status == 201)
    }

    @Test(arguments: [3, 5, 6, 7]) func `a server gets the offer in its own version, the next time at once`(
        version: Int
    )
        throws
    {
        var server = ModelResumable()
        (server.version, server.refusesOthers) = (version, true)
        let led = try lead(try Self.spec()) {
            server.interim($0)
        } answer: {
            server.answer($0, now: Self.now)
        }
        #expect(led.offers == [true, true] && led.run.status == 201 && server.isComplete)
        #expect(led.finding == .taken(version: version))
        let again = try lead(try Self.spec(), known: led.finding) {
            server.interim($0)
        } answer: {
            server.answer($0, now: Self.now)
        }
        #expect(again.offers == [true] && again.run.status == 201)
    }

    @Test func `a server of tus that refuses the version is asked in the common one`() throws {
        let led = try lead(try Self.spec()) { request in
            request.headers["Upload-Draft-Interop-Version"] == "6"
                ? Answer(status: 201) : ModelTus.answer(412, ["Tus-Resumable": "1.0.0"])
        }
        #expect(led.offers == [true, true] && led.run.status == 201)
    }

    /// An upload that broke after 2 MiB, at a server that had accepted the offer.
    private func broken(_ server: inout ModelResumable) throws -> [UInt8]? {
        try lead(try Self.spec(), sent: Self.size) {
            server.interim($0)
        } answer: { request in
            server.cutOff(request, after: 2 << 20)
            return nil
        }.run.memory
    }

    @Test func `a lost last answer is asked for, and all bytes count`() throws {
        var server = ModelResumable()
        let first = try lead(try Self.spec(), sent: Self.size) {
            server.interim($0)
        } answer: { request in
            _ = server.answer(request, now: Self.now)
            return nil
        }
        let second = try lead(try Self.spec(), memory: first.run.memory) { server.answer($0, now: Self.now) }
        #expect(second.run.calls == ["HEAD"] && second.run.status == 204 && server.isComplete)
        #expect(second.kept == Self.size && second.run.memory == nil)
    }

    @Test func `a server that cannot resume after all gets the plain request`() throws {
        for status in [400, 403, 404, 405, 410, 501] {
            for method in ["HEAD", "PATCH"] {
                var server = ModelResumable()
                let memory = try broken(&server)
                let led = try lead(try Self.spec(), memory: memory) { request in
                    request.method == method ? Answer(status: status) : server.answer(request, now: Self.now)
                }
                #expect(led.run.status == 201 && led.run.calls.last == "PUT+\(Self.size)", "\(method) \(status)")
                let isForgotten = status == 404 || status == 410
                #expect(led.finding == (isForgotten ? nil : .refused) || isForgotten, "\(method) \(status)")
            }
        }
    }

    private static func once() throws -> TransferSpec {
        try spec {
            $0.method = "POST"
            $0.isSentOnce = true
        }
    }

    /// An upload that must be sent once and was sent whole; its answer is lost.
    private func unanswered() throws -> [UInt8]? {
        var server = ModelResumable()
        return try lead(try Self.once(), sent: Self.size) {
            server.interim($0)
        } answer: { request in
            _ = server.answer(request, now: Self.now)
            return nil
        }.run.memory
    }

    @Test(arguments: [400, 403, 404, 405, 410, 501])
    func `what must be sent once is not sent again if the server may have completed it`(status: Int) throws {
        let memory = try unanswered()
        #expect(memory != nil)
        let led = try lead(try Self.once(), memory: memory) { _ in Answer(status: status) }
        #expect(led.run.calls == ["HEAD"] && led.run.failure == .commitUncertain && led.run.memory == nil)
    }

    @Test func `what must be sent once and is always put off ends as unknown`() throws {
        var memory = try unanswered()
        var attempts = 0
        var failure: TransferFailure.Code?
        repeat {
            attempts += 1
            let led = try lead(try Self.once(), memory: memory) { _ in Answer(status: 500) }
            #expect(led.run.calls == ["HEAD"])
            (memory, failure) = (led.run.memory, led.run.failure)
        } while failure == .serverBusy && attempts < 20
        #expect(failure == .commitUncertain && attempts == 6)
    }

    @Test func `what must be sent once begins again if the server cannot have all of it`() throws {
        var server = ModelResumable()
        let first = try lead(try Self.once(), sent: 3 << 20) {
            server.interim($0)
        } answer: { request in
            server.cutOff(request, after: 2 << 20)
            return nil
        }
        let led = try lead(try Self.once(), memory: first.run.memory) { request in
            Answer(status: request.method == "HEAD" ? 404 : 201)
        }
        #expect(led.run.calls == ["HEAD", "POST+\(Self.size)"] && led.run.status == 201)
    }

    @Test func `a server that lies about what it has gets the plain request`() throws {
        for fields in [
            ["Upload-Offset": "99999999999"], ["Upload-Offset": "x"], [:],
            ["Upload-Offset": "0", "Upload-Length": "7"],
        ] {
            var server = ModelResumable()
            let memory = try broken(&server)
            let led = try lead(try Self.spec(), memory: memory) { request in
                request.method == "HEAD" ? ModelTus.answer(204, fields) : Answer(status: 201)
            }
            #expect(led.run.status == 201 && led.run.calls == ["HEAD", "PUT+\(Self.size)"], "\(fields)")
        }
    }

    @Test func `a server that always puts the rest off gets the plain request in the end`() throws {
        for (method, status) in [("PATCH", 503), ("HEAD", 500)] {
            var server = ModelResumable()
            var memory = try broken(&server)
            var attempts = 0
            while attempts < 20 {
                attempts += 1
                let led = try lead(try Self.spec(), memory: memory) { request in
                    if request.method == method { return Answer(status: status) }
                    return request.method == "HEAD" ? server.answer(request, now: Self.now) : Answer(status: 201)
                }
                memory = led.run.memory
                #expect(led.finding != .refused, "it was only busy")
                guard led.run.status == nil else { break }
                #expect(led.run.failure == .serverBusy)
            }
            #expect(attempts == 6, "\(method)")
        }
    }

    @Test func `a server that starts anew keeps what it has`() throws {
        var server = ModelResumable()
        let memory = try broken(&server)
        var kept = memory
        for status in [502, 503, 504, 429, 503, 503, 503, 503, 503, 503] {
            let led = try lead(try Self.spec(), memory: kept) { _ in Answer(status: status) }
            #expect(led.run.calls == ["HEAD"] && led.run.failure == .serverBusy && led.finding == nil)
            kept = led.run.memory
        }
        let led = try lead(try Self.spec(), memory: kept) { server.answer($0, now: Self.now) }
        #expect(led.run.status == 201 && led.run.calls.count == 2 && server.isComplete)
    }

    @Test func `a server that takes the rest and stores nothing of it gets the plain request in the end`() throws {
        var server = ModelResumable()
        let memory = try broken(&server)
        let led = try lead(try Self.spec(), memory: memory) { request in
            switch request.method {
            case "HEAD": server.answer(request, now: Self.now)
            case "PATCH":
                ModelTus.answer(
                    204,
                    ["Upload-Complete": "?0", "Upload-Offset": request.headers["Upload-Offset"] ?? ""]
                )
            default: Answer(status: 201)
            }
        }
        #expect(led.run.status == 201 && led.run.calls.last == "PUT+\(Self.size)" && led.run.calls.count < 20)
    }

    @Test func `connections that break before any answer are tried without the offer`() throws {
        var upload = try OfferedUpload(try Self.spec(), memory: nil, now: Self.now)
        upload.isSuspected = true
        guard case .send(let request) = upload.next(now: Self.now) else {
            Issue.record("nothing is sent")
            return
        }
        #expect(request.headers["Upload-Complete"] == nil)
        upload.answered(Answer(status: 201), lane: 0, now: Self.now)
        #expect(upload.finding == .refused, "it was the offer")
    }

    @Test func `an answer that may pass leaves what has arrived`() throws {
        var server = ModelResumable()
        let first = try lead(try Self.spec()) {
            server.interim($0)
        } answer: { request in
            server.cutOff(request, after: 2 << 20)
            return Answer(status: 502)
        }
        #expect(first.run.failure == .serverBusy)
        let second = try lead(try Self.spec(), memory: first.run.memory) { server.answer($0, now: Self.now) }
        #expect(second.run.calls.first == "HEAD" && second.run.status == 201 && server.isComplete)
    }

    @Test func `a file that was missing before counts as missing once the server keeps a part of it`() throws {
        let spec = try Self.spec { $0.skipsExisting = true }
        var server = ModelResumable()
        let first = try lead(spec) {
            server.interim($0)
        } answer: { request in
            request.method == "HEAD" ? Answer(status: 404) : nil
        }
        #expect(first.run.calls == ["HEAD", "PUT+\(Self.size)"])
        server.uploads = [:]
        let second = try lead(spec, memory: first.run.memory) {
            server.interim($0)
        } answer: {
            server.answer($0, now: Self.now)
        }
        #expect(second.run.calls == ["HEAD", "PUT+\(Self.size)"] && second.run.status == 201)
    }

    @Test func `what a redirect leads to is not resumed`() throws {
        var isFirst = true
        let led = try lead(try Self.spec()) { _ in
            defer { isFirst = false }
            guard isFirst else { return Answer(status: 201) }
            var answer = ModelTus.answer(201, ["Upload-Complete": "?0", "Location": "/u/1"])
            answer.redirectCount = 1
            return answer
        }
        #expect(led.offers == [true, false] && led.run.status == 201)
    }

    @Test func `a file that was not sent whole has not arrived, whatever the server says`() throws {
        var server = ModelResumable()
        let first = try lead(try Self.spec(), sent: 3 << 20) {
            server.interim($0)
        } answer: { _ in
            nil
        }
        let second = try lead(try Self.spec(), memory: first.run.memory) { request in
            let complete = ["Upload-Complete": "?1", "Upload-Offset": "\(Self.size)", "Upload-Length": "\(Self.size)"]
            return request.method == "HEAD" ? ModelTus.answer(204, complete) : Answer(status: 201)
        }
        #expect(second.run.calls == ["HEAD", "PUT+\(Self.size)"] && second.run.status == 201)
    }

    @Test func `the URL of the upload is in no answer that is shown`() throws {
        let secret = "AbPnR7s3cr3tUpl0adIdZyXwVu98TsRqPo"
        let version = HeaderField(name: "Upload-Draft-Interop-Version", value: "8")
        for fields in [["Upload-Complete": "?1"], [:]] as [[String: String]] {
            let led = try lead(try Self.spec()) { _ in
                [version, HeaderField(name: "Location", value: "/r/1?sig=\(secret)")]
            } answer: { _ in
                var answer = ModelTus.answer(201, fields.merging(["ETag": "\"\(secret)\""]) { $1 })
                answer.bodyStart = Array("it is at /r/1?sig=\(secret)".utf8)
                return answer
            }
            guard case .finish(let answer) = led.run.end else { throw TestError("it has not ended") }
            let text = String(decoding: answer.bodyStart, as: UTF8.self) + answer.headers.map(\.value).joined()
            #expect(text.contains("it is at /r/1?sig=(hidden)") && !text.contains("s3cr3t"), "\(text)")
        }
    }

    @Test func `a server that takes next to nothing at once gets the plain request`() throws {
        var server = ModelResumable()
        server.mostPerAppend = 1
        let led = try lead(try Self.spec()) { request in
            request.headers["Upload-Draft-Interop-Version"] == nil
                ? Answer(status: 201) : server.answer(request, now: Self.now)
        }
        #expect(led.offers == [true, false] && led.run.status == 201 && led.finding == .refused)
        #expect(led.run.calls == ["PUT+\(Self.size)", "PUT+\(Self.size)"])
    }

    @Test func `a server with a limit for a request gets shorter ones`() throws {
        var server = ModelResumable()
        server.mostPerAppend = 3 << 20
        let led = try lead(try Self.spec()) { server.answer($0, now: Self.now) }
        #expect(led.run.status == 201 && server.isComplete && led.offers == [true])
    }
}
