// SPDX-License-Identifier: Apache-2.0

/// What `/proc/net/tcp` and `/proc/net/tcp6` say: whose the sockets of this machine are (proc_pid_net(5)).
package enum SocketTable {
    /// The user of the process at the far end of a connection over 127.0.0.1.
    ///
    /// - Parameters:
    ///   - table: the text of one of the two files.
    ///   - port: the far end's own.
    ///   - peer: the near end's, which it is connected to.
    /// - Returns: nil when there is no such socket, or nobody has it open any more: the kernel then shows it as root's.
    package static func owner(in table: [UInt8], port: UInt16, peer: UInt16) -> UInt32? {
        for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count >= 10, isLoopback(fields[1], port: port), isLoopback(fields[2], port: peer),
                let owner = UInt32(text(fields[7])), let inode = UInt64(text(fields[9])), inode != 0
            else { continue }
            return owner
        }
        return nil
    }

    /// 127.0.0.1 in the byte order of this machine, in IPv6 behind `::ffff:`.
    private static let addresses = ["0100007F", "0000000000000000FFFF00000100007F"].map { Array($0.utf8)[...] }

    private static func isLoopback(_ place: ArraySlice<UInt8>, port: UInt16) -> Bool {
        let parts = place.split(separator: UInt8(ascii: ":"))
        return parts.count == 2 && addresses.contains(parts[0]) && UInt16(text(parts[1]), radix: 16) == port
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
