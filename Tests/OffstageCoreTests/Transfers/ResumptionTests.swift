// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct ResumptionTests {
    private static func upload(_ change: (inout TransferSpec) -> Void = { _ in }) throws -> TransferSpec {
        var spec = try Fixture.upload()
        guard case .upload(var source) = spec.direction else { return spec }
        source.identity.size = ResumptionOffer.smallest
        spec.direction = .upload(source)
        spec.offersResumption = true
        change(&spec)
        return spec
    }

    @Test func `a large file in an upload of the owner's makes the offer`() throws {
        #expect(ResumptionOffer.isMade(by: try Self.upload()))
        for method in ["POST", "PATCH"] { #expect(ResumptionOffer.isMade(by: try Self.upload { $0.method = method })) }
    }

    @Test func `anything else makes none`() throws {
        let others: [(inout TransferSpec) -> Void] = [
            { $0.offersResumption = nil },
            { $0.method = "GET" },
            { $0.dialect = ResumableParameters.dialectSpec(at: $0.url) },
            { spec in
                guard case .upload(var source) = spec.direction else { return }
                source.identity.size = ResumptionOffer.smallest - 1
                spec.direction = .upload(source)
            },
        ]
        for change in others { #expect(!ResumptionOffer.isMade(by: try Self.upload(change))) }
        for name in ["Upload-Offset", "tus-resumable", "Content-Range", "X-Goog-Upload-Command", "X-Update-Range"] {
            let spec = try Self.upload { $0.headers = [HeaderField(name: name, value: "1")] }
            #expect(!ResumptionOffer.isMade(by: spec), "\(name)")
        }
    }

    @Test func `what a server made of the offer is known for a day, and for that server`() throws {
        var book = ResumptionBook()
        let url = try RequestURL("https://files.example/a")
        #expect(book.finding(for: url, now: Fixture.moment(0)) == nil)
        book.record(.refused, for: url, now: Fixture.moment(0))
        book.record(.taken(version: 6), for: try RequestURL("https://files.example:444/a"), now: Fixture.moment(0))
        #expect(book.finding(for: try RequestURL("https://files.example/b"), now: Fixture.moment(86_399)) == .refused)
        #expect(book.finding(for: url, now: Fixture.moment(86_400)) == nil)
        #expect(book.finding(for: try RequestURL("http://files.example/a"), now: Fixture.moment(1)) == nil)
        book.record(.ignored, for: url, now: Fixture.moment(5))
        #expect(book.finding(for: url, now: Fixture.moment(6)) == .ignored && book.count == 2)
    }

    @Test func `only so many servers are remembered, and the oldest is forgotten first`() throws {
        var book = ResumptionBook()
        func url(_ number: Int) throws -> RequestURL { try RequestURL("https://host-\(number).example/") }
        for number in 0...ResumptionBook.most {
            book.record(.ignored, for: try url(number), now: Fixture.moment(Double(number)))
        }
        #expect(book.count == ResumptionBook.most)
        let now = Fixture.moment(Double(ResumptionBook.most))
        #expect(book.finding(for: try url(0), now: now) == nil)
        #expect(book.finding(for: try url(1), now: now) == .ignored)
    }

    /// A running session upload of which the server keeps a part.
    private func kept(isSnapshot: Bool = false) throws -> Transfer {
        var spec = try Self.upload {
            $0.sessionTask = SessionTaskKey(session: "s", task: 1)
            guard case .upload(var source) = $0.direction else { return }
            source.isSnapshot = isSnapshot
            $0.direction = .upload(source)
        }
        spec.headers = [HeaderField(name: "Content-Type", value: "video/mp4")]
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: spec, now: Fixture.moment(0))
        _ = transfer.started(now: Fixture.moment(0), offset: 0)
        transfer.remembered(Array(#"{"v":1}"#.utf8))
        return transfer
    }

    @Test func `resume data of an upload is what the server keeps, and another task takes it`() throws {
        var transfer = try kept()
        let actions = transfer.cancelProducingResumeData(now: Fixture.moment(1))
        #expect(actions != nil)
        guard case .upload(let data) = transfer.resumeData else { throw TestError("There is no resume data.") }
        #expect(data.path == transfer.spec.path && data.url == transfer.spec.url && data.method == "PUT")
        #expect(data.headers.first?.value == "video/mp4" && data.kept.bytes == Array(#"{"v":1}"#.utf8))
        let json = try JSONEncoder().encode(SessionTaskResumeData.upload(data))
        #expect(try JSONDecoder().decode(SessionTaskResumeData.self, from: json) == .upload(data))
        #expect(try JSONDecoder().decode(UploadResumeData.self, from: json) == data)
        var spec = transfer.spec
        spec.keptUpload = data.kept
        #expect(Transfer(id: TransferID(rawValue: 2), spec: spec, now: Fixture.moment(2)).isKeptByServer)
        spec.dialect = DialectSpec(name: "dropbox", parameters: "{}", destination: "")
        #expect(Transfer(id: TransferID(rawValue: 3), spec: spec, now: Fixture.moment(2)).dialectMemory == nil)
    }

    @Test func `there is none without a server that keeps something, or for a file that goes with the task`() throws {
        var nothing = try kept()
        nothing.remembered([1])
        _ = nothing.cancelProducingResumeData(now: Fixture.moment(1))
        var copied = try kept(isSnapshot: true)
        _ = copied.cancelProducingResumeData(now: Fixture.moment(1))
        var cancelled = try kept()
        _ = cancelled.cancel(now: Fixture.moment(1))
        for transfer in [nothing, copied, cancelled] { #expect(transfer.isFinished && transfer.resumeData == nil) }
    }

    @Test func `a failure and the end of its app leave resume data too`() throws {
        var failed = try kept()
        _ = failed.attemptEnded(
            attempt: 1,
            .failed(TransferFailure(.sourceUnreadable, "it cannot be read")),
            reached: 5,
            now: Fixture.moment(1),
            policy: RetryPolicy(baseDelay: 1, maximumDelay: 1),
            jitter: 0
        )
        #expect(failed.isFinished && failed.resumeData != nil && failed.bytesDone == 5)
        var quit = try kept()
        _ = quit.cancelForQuit(now: Fixture.moment(1))
        #expect(quit.resumeData != nil)
    }

    @Test func `only what the server keeps counts after a break`() throws {
        var transfer = try kept()
        _ = transfer.networkLost(reached: 7, now: Fixture.moment(1))
        #expect(transfer.bytesDone == 7)
        var plain = try kept()
        plain.remembered(nil)
        _ = plain.networkLost(reached: 7, now: Fixture.moment(1))
        #expect(plain.bytesDone == 0)
    }
}
