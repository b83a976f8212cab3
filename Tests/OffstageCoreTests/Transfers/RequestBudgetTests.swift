// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// How large a request, an answer and a disk's load may be.
@Suite struct RequestBudgetTests {
    private let now = Moment(wall: Date(timeIntervalSince1970: 1_700_000_000), bootID: "boot", uptime: 100)

    private func spec(headers count: Int = 0, bytes: Int = 1) throws -> TransferSpec {
        var spec = TransferSpec(
            direction: .download(.init(path: "/tmp/file")),
            url: try RequestURL("http://localhost/file"),
            owner: "command"
        )
        let value = String(repeating: "v", count: bytes)
        spec.headers = (0..<count).map { HeaderField(name: "X-\($0)", value: value) }
        return spec
    }

    private static func options(_ change: (inout ConnectionOptions) -> Void) -> ConnectionOptions {
        var options = ConnectionOptions()
        change(&options)
        return options
    }

    private func refusal(_ spec: TransferSpec) -> String? {
        do throws(RequestError) {
            try spec.validate()
            return nil
        } catch { return error.sentence }
    }

    @Test func `a thousand header fields are taken, and one more is not`() throws {
        #expect(refusal(try spec(headers: 1000)) == nil)
        let sentence = try #require(refusal(try spec(headers: 1001)))
        #expect(sentence.contains("1000 header fields"))
        #expect(refusal(try spec(headers: 450_000)) != nil)
    }

    @Test func `few long header fields are too many bytes as well`() throws {
        #expect(refusal(try spec(headers: 4, bytes: 60_000)) == nil)
        #expect(refusal(try spec(headers: 5, bytes: 60_000))?.contains("bytes") == true)
    }

    @Test func `no text of a request is without end`() throws {
        let long = String(repeating: "a", count: 70_000)
        let changes: [(inout TransferSpec) throws -> Void] = [
            { $0.url = try RequestURL("http://localhost/" + long) },
            { $0.direction = .download(.init(path: "/" + long)) },
            { $0.label = long }, { $0.owner = long }, { $0.proxy.http = long }, { $0.proxy.none = long },
            { $0.credentials = .init(user: long, password: "") }, { $0.certificateAuthorityPath = "/" + long },
            { $0.completionCommand = .init(command: long + long, workingDirectory: "/") },
            { $0.dialect = DialectSpec(name: "dropbox", parameters: long, destination: "") },
            { $0.sessionTask = SessionTaskKey(session: long, task: 1) },
            { $0.connection = Self.options { $0.certificatePath = "/" + long } },
            { $0.connection = Self.options { $0.keyPath = "/" + long } },
            { $0.connection = Self.options { $0.netrcPath = "/" + long } },
            { $0.resumePartial = PartialDownload(validator: nil, totalBytes: nil, coding: long, bootID: "b") },
        ]
        for (index, change) in changes.enumerated() {
            var spec = try spec()
            try change(&spec)
            #expect(refusal(spec) != nil, "change \(index)")
        }
    }

    @Test func `of header fields with one name the last is set, and in one pass`() throws {
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: try spec(headers: 2), now: now)
        let fields = [("A", "1"), ("x-0", "new"), ("a", "2")].map { HeaderField(name: $0.0, value: $0.1) }
        #expect(transfer.setHeaders(fields, now: now) != nil)
        #expect(transfer.spec.headers.map(\.name) == ["X-1", "x-0", "a"])
        #expect(transfer.spec.headers.map(\.value) == ["v", "new", "2"])
    }

    @Test func `an answer has its share, and all answers of an app theirs`() {
        let one = AnswerBudget.perAnswer
        let all = AnswerBudget.perOwner
        #expect(AnswerBudget.verdict(answer: one, owner: all) == .keep)
        #expect(AnswerBudget.verdict(answer: one + 1, owner: one + 1) == .tooLong)
        #expect(AnswerBudget.verdict(answer: 1, owner: all + 1) == .tooMuchKept)
        #expect(AnswerBudget.verdict(answer: .max, owner: .max) == .tooLong)
    }

    @Test func `of a large disk 64 MiB stay free, of a small one a sixteenth`() {
        #expect(DiskReserve.reserve(size: 1 << 40) == 64 << 20)
        #expect(DiskReserve.reserve(size: 16 << 20) == 1 << 20)
        #expect(DiskReserve.reserve(size: 0) == 0)
        #expect(DiskReserve.room(free: 100 << 20, size: 1 << 40) == 36 << 20)
        #expect(DiskReserve.room(free: 0, size: .max) == -(64 << 20))
        #expect(DiskReserve.room(free: .min, size: .min) == 0)
    }
}
