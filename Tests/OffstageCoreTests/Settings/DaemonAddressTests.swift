// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct DaemonAddressTests {
    @Test func `what a daemon writes is read`() {
        let address = DaemonAddress(process: 4711, socket: "/run/user/1000/offstage/daemon.sock")
        #expect(address.text == Array("4711\n/run/user/1000/offstage/daemon.sock\n".utf8))
        #expect(DaemonAddress(address.text) == address)
        #expect(address.text.count <= DaemonAddress.longestText)
    }

    @Test(
        arguments: [
            "", "\n", "1", "1\n", "1\n/a", "1\na\n", "1\n/a\n\n", "1\n/a\nb\n", "0\n/a\n", "-1\n/a\n", "+1\n/a\n",
            "01\n/a\n", "2147483648\n/a\n", "99999999999999999999\n/a\n", "one\n/a\n", "1\n/a\u{1b}[2J\n", "1\n/a\0b\n",
            "1\n/\(String(repeating: "x", count: 107))\n", "1 \n/a\n", "\u{661}\n/a\n",
        ]
    )
    func `anything else is nobody's address`(text: String) {
        #expect(DaemonAddress(Array(text.utf8)) == nil)
    }

    @Test func `bytes that are no text are nobody's address`() {
        #expect(DaemonAddress([0x31, 0x0a, 0x2f, 0xff, 0x0a]) == nil)
        #expect(DaemonAddress([UInt8](repeating: 0x31, count: 1 << 16)) == nil)
    }
}
