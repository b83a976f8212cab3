// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import Testing

struct SessionTaskPageTests {
    static let page = ListSessionTasks.Reply(
        rows: [
            .init(id: TransferID(rawValue: 1), task: 1, kind: .queued, spec: "{}"),
            .init(id: TransferID(rawValue: .max), task: .max, kind: .paused, spec: "{\"label\":\"ä€😀\"}"),
            .init(id: TransferID(rawValue: 3), task: 70_000, kind: .running, spec: "", done: 5, total: 1 << 40),
            .init(id: TransferID(rawValue: 4), task: 70_001, kind: .running, spec: "", done: 1 << 41),
        ],
        hasMore: true
    )

    @Test func `a page comes back as it was sent`() throws {
        for page in [Self.page, .init(rows: [], hasMore: false)] {
            let bytes = try WireCoding.encode(page)
            #expect(try WireCoding.decode(ListSessionTasks.Reply.self, from: bytes) == page)
        }
    }

    @Test func `a page that was cut off anywhere is refused`() throws {
        let bytes = try WireCoding.encode(Self.page)
        // A page from an older daemon ends with the rows.
        let rows = bytes.count - 4 - 2 * 20
        #expect(throws: Never.self) {
            try WireCoding.decode(ListSessionTasks.Reply.self, from: Array(bytes[..<rows]))
        }
        for length in 0..<bytes.count where length != rows {
            #expect(throws: DecodingError.self, "\(length)") {
                try WireCoding.decode(ListSessionTasks.Reply.self, from: Array(bytes[..<length]))
            }
        }
    }

    @Test func `a page that promises more rows than it has is refused`() {
        let endless: [UInt8] = [1, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(throws: DecodingError.self) {
            try WireCoding.decode(ListSessionTasks.Reply.self, from: endless)
        }
        let unknown: [UInt8] = [0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 16) + [1, 0x78, 0, 0, 0, 0]
        #expect(throws: DecodingError.self) {
            try WireCoding.decode(ListSessionTasks.Reply.self, from: unknown)
        }
    }
}
