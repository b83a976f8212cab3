// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import Testing

@Suite struct PageLengthTests {
    private static func rows(_ count: Int, label: String) throws -> [TransferRow] {
        var spec = TransferSpec(
            direction: .download(.init(path: "/x")),
            url: try RequestURL("https://h/a/b"),
            owner: "o"
        )
        spec.label = label
        let now = Moment(wall: Date(timeIntervalSinceReferenceDate: 800_000_000), bootID: "b", uptime: 5)
        let row = TransferRow(
            transfer: Transfer(id: TransferID(rawValue: 7), spec: spec, now: now),
            reason: Reason(cause: .running, since: now.wall),
            bytesDone: 0,
            bytesTotal: nil,
            rate: 0
        )
        return Array(repeating: row, count: count)
    }

    @Test func `a page ends before it is too long, and has one row at least`() {
        #expect(PageLength.fitting([]) == 0)
        #expect(PageLength.fitting([1, 2, 3]) == 3)
        #expect(PageLength.fitting([PageLength.most - 1, 1, 1]) == 2)
        #expect(PageLength.fitting([PageLength.most * 2, 1]) == 1)
        #expect(PageLength.fitting(Array(repeating: 64 << 10, count: 1000)) == 32)
    }

    @Test(arguments: ["a", "\u{1}", "\""])
    func `a page of the longest labels fits a frame, whatever they consist of`(character: String) throws {
        let rows = try Self.rows(100, label: String(repeating: character, count: TransferSpec.Limits.textBytes))
        let count = PageLength.fitting(rows.map(\.length))
        let page = try PageLength.encode(upTo: count) { count in
            ListTransfers.Reply(rows: Array(rows.prefix(count)), hasMore: count < rows.count, counts: [:])
        }
        #expect(page.payload.count <= PageLength.longestAnswer)
        let reply = try WireCoding.decodeFromDaemon(ListTransfers.Reply.self, from: page.payload)
        #expect(!reply.rows.isEmpty)
        #expect(reply.hasMore)
    }
}
