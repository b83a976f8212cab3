// SPDX-License-Identifier: Apache-2.0

/// The contents of `/proc/net/tcp` and `/proc/net/tcp6`: the owners of this machine's sockets (proc_pid_net(5)).
package enum SocketTable {
    /// One end of a connection over IPv4.
    package struct Place: Sendable, Equatable {
        /// In the byte order of this machine.
        package let address: UInt32
        package let port: UInt16

        /// - Parameters:
        ///   - address: by default, 127.0.0.1.
        ///   - port: its port.
        package init(address: UInt32 = 0x7F00_0001, port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    /// The user of the process at the far end of a connection within this machine.
    ///
    /// - Parameters:
    ///   - table: the text of one of the two files.
    ///   - far: the far end.
    ///   - near: the near end, which it is connected to.
    /// - Returns: nil if there is no such socket, or no process has it open any more: the kernel then reports root as
    ///   its owner.
    package static func owner(in table: [UInt8], of far: Place, connectedTo near: Place) -> UInt32? {
        let (local, remote) = (words(for: far.address), words(for: near.address))
        for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count >= 10, isPlace(fields[1], local, far.port), isPlace(fields[2], remote, near.port),
                let owner = UInt32(text(fields[7])), let inode = UInt64(text(fields[9])), inode != 0
            else { continue }
            return owner
        }
        return nil
    }

    /// An address in the form of the tables: words of four bytes in this machine's byte order; in IPv6 after `::ffff:`.
    private static func words(for address: UInt32) -> [ArraySlice<UInt8>] {
        let plain = hexadecimal(address)
        return [plain, hexadecimal(0) + hexadecimal(0) + hexadecimal(0xFFFF) + plain].map { Array($0.utf8)[...] }
    }

    private static func hexadecimal(_ word: UInt32) -> String {
        let digits = String(word.bigEndian, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
    }

    private static func isPlace(_ place: ArraySlice<UInt8>, _ addresses: [ArraySlice<UInt8>], _ port: UInt16) -> Bool {
        let parts = place.split(separator: UInt8(ascii: ":"))
        return parts.count == 2 && addresses.contains(parts[0]) && UInt16(text(parts[1]), radix: 16) == port
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
