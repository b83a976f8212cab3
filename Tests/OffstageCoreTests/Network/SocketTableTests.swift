// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct SocketTableTests {
    private func table(_ lines: String...) -> [UInt8] {
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"
        return Array((([head] + lines).joined(separator: "\n") + "\n").utf8)
    }

    private func line(
        _ local: String,
        _ remote: String,
        user: String = "1000",
        inode: String = "4711"
    ) -> String {
        "   0: \(local) \(remote) 01 00000000:00000000 00:00000000 00000000  \(user)        0 \(inode) 1 0 20 4 30"
    }

    private let near = "0100007F:1F90"
    private let far = "0100007F:D431"
    private let nearEnd = SocketTable.Place(port: 0x1F90)
    private let farEnd = SocketTable.Place(port: 0xD431)

    @Test func `the far end's user is found, whichever way its socket speaks`() {
        #expect(SocketTable.owner(in: table(line(far, near)), of: farEnd, connectedTo: nearEnd) == 1000)
        let six = "0000000000000000FFFF00000100007F"
        #expect(
            SocketTable.owner(in: table(line(six + ":D431", six + ":1F90")), of: farEnd, connectedTo: nearEnd) == 1000
        )
    }

    @Test func `the near end, other ports and other addresses are not taken for it`() {
        for other in [
            line(near, far), line("0100007F:D432", near), line(far, "0100007F:1F91"), line("0200007F:D431", near),
            line(far, "00000000:0000"),
        ] { #expect(SocketTable.owner(in: table(other), of: farEnd, connectedTo: nearEnd) == nil) }
        #expect(
            SocketTable.owner(
                in: table(line(near, far, user: "7"), line(far, near, user: "8")),
                of: farEnd,
                connectedTo: nearEnd
            ) == 8
        )
    }

    @Test func `an address of the loopback network is looked for as it is`() {
        let page = SocketTable.Place(address: 0x7F51_07CA, port: 0x1F90)
        let near = "CA07517F:1F90"
        #expect(SocketTable.owner(in: table(line(far, near)), of: farEnd, connectedTo: page) == 1000)
        let six = "0000000000000000FFFF0000"
        #expect(
            SocketTable.owner(in: table(line(six + far, six + near)), of: farEnd, connectedTo: page) == 1000
        )
        #expect(SocketTable.owner(in: table(line(far, self.near)), of: farEnd, connectedTo: page) == nil)
        #expect(SocketTable.owner(in: table(line(far, near)), of: farEnd, connectedTo: nearEnd) == nil)
    }

    @Test func `a socket that nobody has open any more is nobody's, and not root's`() {
        let orphan = line(far, near, user: "0", inode: "0")
        #expect(SocketTable.owner(in: table(orphan), of: farEnd, connectedTo: nearEnd) == nil)
    }

    @Test func `damaged tables say nothing`() {
        for text in [
            "", "\n", "head", "head\n   0: 0100007F:D431", line(far, near, user: "-1"),
            "h\n" + line(far, near, user: "4294967296"), "h\n" + line(far, near, inode: "x"),
            "h\n" + line(far + "0", near), "h\n" + line("0100007F", near),
        ] { #expect(SocketTable.owner(in: Array(text.utf8), of: farEnd, connectedTo: nearEnd) == nil, "\(text)") }
        var random = SeededGenerator(seed: 3)
        let whole = table(line(far, near))
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0..<4 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = SocketTable.owner(in: bytes, of: farEnd, connectedTo: nearEnd)
        }
    }
}
