// SPDX-License-Identifier: Apache-2.0

/// The owners of this machine's sockets, from `/proc/net/tcp` and `/proc/net/tcp6` (proc_pid_net(5)).
package enum SocketTable {
    /// The user of the process at the far end of a connection over 127.0.0.1.
    ///
    /// - Parameters:
    ///   - table: the text of one of the two files.
    ///   - port: the far end's own.
    ///   - peer: the near end's port, which it is connected to.
    /// - Returns: nil if there is no such socket, or nobody has it open any more: the kernel then shows it as root's.
    package static func owner(in table: [UInt8], port: UInt16, peer: UInt16) -> UInt32? {
        for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: " ")).prefix(10)
                .map { String(decoding: $0, as: UTF8.self) }
            guard fields.count == 10, isLoopback(fields[1], port: port), isLoopback(fields[2], port: peer),
                let owner = UInt32(fields[7]), let inode = UInt64(fields[9]), inode != 0
            else { continue }
            return owner
        }
        return nil
    }

    /// 127.0.0.1 in the byte order of this machine, in IPv6 after `::ffff:`.
    private static let addresses = ["0100007F", "0000000000000000FFFF00000100007F"]

    private static func isLoopback(_ place: String, port: UInt16) -> Bool {
        let parts = place.split(separator: ":")
        return parts.count == 2 && addresses.contains(String(parts[0])) && UInt16(parts[1], radix: 16) == port
    }
}
