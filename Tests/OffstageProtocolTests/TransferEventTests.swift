// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Usual events are encoded directly: this must make no difference to followers.
@Suite struct TransferEventTests {
    private static let date = Date(timeIntervalSinceReferenceDate: 817_400_250.987_703_1)

    private static let changes: [@Sendable (inout TransferRow) throws -> Void] = [
        { _ in }, { $0.isUpload = true }, { $0.url = "https://h/\"ä\\\n" }, { $0.dialect = "s3" },
        { $0.standing = "committing it" }, { $0.path = "/a b/\u{1}" }, { $0.owner = "\u{2028}" }, { $0.label = "" },
        { $0.priority = 0.1 }, { $0.kind = .finished }, { $0.bytesDone = .max }, { $0.bytesTotal = 0 },
        { $0.rate = 1e300 }, { $0.attempts = .max }, { $0.createdAt = date }, { $0.finishedAt = date },
        { $0.status = 204 },
        { $0.reason.since = date }, { $0.reason.nextLook = date }, { $0.reason.cause = .saving },
        { $0.reason.cause = .completed(status: 206) }, { $0.reason.cause = .cancelled },
        { $0.reason.cause = .inLine(ahead: 3) },
        { $0.reason.cause = .failed(.init(.httpStatus, "the server answered 404 Not Found")) },
        { $0.form = .init(files: 1, fields: 2) }, { $0.keeper = .init(fleet: "f", row: .max, fence: 7) },
    ]

    private static func row() throws -> TransferRow {
        let spec = TransferSpec(
            direction: .download(.init(path: "/x")),
            url: try RequestURL("https://h/a/b"),
            owner: "o"
        )
        let now = Moment(wall: Date(timeIntervalSinceReferenceDate: 800_000_000), bootID: "b", uptime: 5)
        return TransferRow(
            transfer: Transfer(id: TransferID(rawValue: 7), spec: spec, now: now),
            reason: Reason(cause: .running, since: now.wall),
            bytesDone: 1,
            bytesTotal: nil,
            rate: 0
        )
    }

    @Test(arguments: changes.indices)
    func `both ways of writing an event say the same`(index: Int) throws {
        var row = try Self.row()
        try Self.changes[index](&row)
        for event in [TransferEvent.changed(row), .finished(row)] {
            let direct = try WireCoding.encode(event)
            #expect(try WireCoding.decodeFromDaemon(TransferEvent.self, from: direct) == event)
            let usual = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(event))
            #expect(try JSONDecoder().decode(JSONValue.self, from: Data(direct)) == usual)
        }
    }

    @Test func `events without a row are written as well`() throws {
        let progress = TransferEvent.Progress(id: TransferID(rawValue: 1), bytesDone: 2, bytesTotal: nil, rate: 0.5)
        for event in [TransferEvent.removed(TransferID(rawValue: .max)), .progress([progress]), .progress([])] {
            #expect(try WireCoding.decodeFromDaemon(TransferEvent.self, from: WireCoding.encode(event)) == event)
        }
    }

    @Test(arguments: [Double.nan, .infinity])
    func `a number that is none in JSON is refused`(number: Double) throws {
        var row = try Self.row()
        row.rate = number
        #expect(throws: EncodingError.self) { try WireCoding.encode(TransferEvent.changed(row)) }
        row = try Self.row()
        row.finishedAt = Date(timeIntervalSinceReferenceDate: number)
        #expect(throws: EncodingError.self) { try WireCoding.encode(TransferEvent.finished(row)) }
    }

    /// A new property would be missing in the direct encoding, and in `changes`.
    @Test func `every property of a row is written`() throws {
        #expect(Mirror(reflecting: try Self.row()).children.count == 20)
        #expect(Mirror(reflecting: try Self.row().reason).children.count == 3)
    }
}
