// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageTestSupport
import Testing

/// Concurrent upload sessions: pieces on a grid of 4 MiB, in any order.
@Suite struct ConcurrentSessionTests {
    var bench = EmulatorBench()
    static let block = 4_194_304

    static func bytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return random.bytes(count)
    }

    @Test mutating func `pieces in any order make the file`() {
        let pieces = [Self.bytes(2 * Self.block, 1), Self.bytes(Self.block, 2), Self.bytes(5, 3)]
        let session = bench.startSession(kind: "concurrent")
        #expect(bench.append(session, Int64(2 * Self.block), pieces[1]).status == 200)
        #expect(bench.append(session, 0, pieces[0]).status == 200)
        #expect(bench.append(session, 0, pieces[0]).status == 200)
        #expect(bench.append(session, Int64(3 * Self.block), pieces[2], close: true).status == 200)
        let whole = pieces[0] + pieces[1] + pieces[2]
        let reply = bench.finish(session, Int64(whole.count))
        #expect(reply.json["content_hash"].string == ContentHasher.contentHash(of: whole))
        #expect(reply.json["size"].integer == Int64(whole.count))
        // The first piece arrived twice and is kept once.
        #expect(bench.segments.count == 3)
        #expect(bench.dropbox.record.bytesReceivedTwice == Int64(2 * Self.block))
        #expect(bench.dropbox.record.chunksReceivedTwice == 1)
    }

    @Test mutating func `neither data nor a close may come with the start`() {
        #expect(bench.call(.start, ["session_type": "concurrent"], "x").tag == "concurrent_session_data_not_allowed")
        let closed = bench.call(.start, ["session_type": [".tag": "concurrent"], "close": true])
        #expect(closed.tag == "concurrent_session_close_not_allowed")
        #expect(bench.segments.isEmpty)
    }

    @Test mutating func `the grid is kept`() {
        let session = bench.startSession(kind: "concurrent")
        #expect(bench.append(session, 1, Self.bytes(Self.block, 0)).tag == "concurrent_session_invalid_offset")
        #expect(bench.append(session, 0, "x").tag == "concurrent_session_invalid_data_size")
        #expect(bench.append(session, 5, "x", close: true).tag == "concurrent_session_invalid_offset")
        #expect(bench.append(session, 0, "x", close: true).status == 200)
        #expect(bench.append(session, 0, "x").tag == "closed")
    }

    @Test mutating func `a finish needs the close, all pieces, no data and the right end`() {
        let session = bench.startSession(kind: "concurrent")
        #expect(bench.finish(session, 0).tag == "concurrent_session_not_closed")
        #expect(bench.append(session, Int64(Self.block), "end", close: true).status == 200)
        #expect(bench.finish(session, Int64(Self.block + 3)).tag == "concurrent_session_missing_data")
        #expect(bench.finish(session, Int64(Self.block + 3), "x").tag == "concurrent_session_data_not_allowed")
        let other = bench.startSession(kind: "concurrent")
        #expect(bench.append(other, 0, "whole", close: true).status == 200)
        #expect(bench.finish(other, 4).lookup == [".tag": "incorrect_offset", "correct_offset": 5])
        #expect(bench.finish(other, 5).status == 200)
    }

    @Test mutating func `a file that is too large is refused here too`() {
        bench.dropbox.rules.maximumFile = Int64(Self.block)
        let session = bench.startSession(kind: "concurrent")
        #expect(bench.append(session, Int64(Self.block), "x", close: true).tag == "too_large")
    }

    @Test mutating func `a short piece in the middle is a hole`() {
        let session = bench.startSession(kind: "concurrent")
        #expect(bench.append(session, Int64(Self.block), Self.bytes(Self.block, 1)).status == 200)
        #expect(bench.append(session, 0, "short", close: true).status == 200)
        #expect(bench.finish(session, Int64(2 * Self.block)).tag == "concurrent_session_missing_data")
    }

    @Test mutating func `an empty session can be closed and finished`() {
        let session = bench.startSession(kind: "concurrent")
        #expect(bench.append(session, 0, "", close: true).status == 200)
        #expect(bench.finish(session, 0).json["size"] == 0)
    }
}
