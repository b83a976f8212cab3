// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Testing

struct NetlinkLengthTests {
    /// `RTM_NEWLINK` and similar messages, by the kernel's number for them.
    @Test(arguments: [16, 17, 20, 21, 24, 25] as [UInt8])
    func `a message that is too short for its type says nothing, and nothing behind it is read`(type: UInt8) {
        let length: UInt8 = 20
        var message = [UInt8](repeating: 0xFF, count: 64)
        message.replaceSubrange(0..<16, with: [length, 0, 0, 0, type, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
        var item = offstage_netlink_item()
        #expect(offstage_netlink_parse(message, message.count, &item) == Int(length))
        #expect(item.kind == 0)
    }
}
