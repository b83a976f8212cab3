// SPDX-License-Identifier: Apache-2.0
import OffstagePage
import Testing

@Suite struct PageBacklogTests {
    private func read(_ backlog: inout PageBacklog, _ most: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = bytes.withUnsafeMutableBytes { backlog.read(into: $0) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @Test func `what is added comes out once and in order, in pieces of any size`() {
        var backlog = PageBacklog("ab")
        backlog.append("cdé")
        #expect(backlog.count == 6)
        var pieces = [read(&backlog, 3), read(&backlog, 0)]
        backlog.append("f")
        pieces.append(read(&backlog, 100))
        #expect(backlog.count == 0 && backlog.held == 0)
        pieces.append(read(&backlog, 10))
        #expect(pieces == ["abc", "", "déf", ""])
    }

    @Test func `what was sent is given back while a page is behind all the time`() {
        var backlog = PageBacklog()
        let piece = String(repeating: "x", count: 1000)
        backlog.append(piece)
        var most = 0
        for _ in 0..<5000 {
            backlog.append(piece)
            let sent = read(&backlog, 1000)
            #expect(sent == piece)
            most = max(most, backlog.held)
        }
        #expect(backlog.count == 1000)
        #expect(most <= PageBacklog.most + 4000)
    }
}
