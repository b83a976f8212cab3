// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// Who is believed to be the database at a socket of this machine.
///
/// Nothing is encrypted there, and whoever may write in a folder such as /tmp may listen in it. So the user of the
/// server is settled before libpq connects, which then asks the kernel (`requirepeer`), and sends a password to nobody
/// else. Who may write in the folder does not matter then: Debian's belongs to `postgres`.
package enum DatabasePeer {
    /// The user that PostgreSQL runs as where a distribution has installed it.
    private static let usualUser = "postgres"

    /// The user that must be at the sockets of an address. May ask the network for names: for a thread that may wait.
    ///
    /// - Returns: a name for libpq; nil if the address names no socket, or if the address itself says who must be there.
    /// - Throws: `DatabaseError` if somebody else has a socket, or if they belong to several users.
    static func expected(at address: DatabaseAddress) throws(DatabaseError) -> String? {
        guard !address.sockets.isEmpty, address.requiredPeer == nil else { return nil }
        var expected: String?
        for socket in address.sockets {
            guard socket.utf8.first != UInt8(ascii: "@") else {
                throw DatabaseError(
                    .connection,
                    "nobody owns the socket \(socket.redactedControls): add requirepeer=USER to the address"
                )
            }
            var status = stat()
            guard stat(socket, &status) == 0 else { continue }
            let name = try name(of: status.st_uid, at: socket)
            guard expected == nil || expected == name else {
                throw DatabaseError(
                    .connection,
                    "the sockets of its address belong to several users: leave one of them, or add requirepeer=USER"
                )
            }
            expected = name
        }
        // libpq says why it finds no socket. Whoever makes one in this moment is believed only if that is root.
        return expected ?? "root"
    }

    /// The name of a socket's owner, if that is this user, root or PostgreSQL's own.
    ///
    /// - Parameters:
    ///   - owner: who made the socket.
    ///   - socket: its path.
    /// - Returns: the name, as libpq compares it.
    /// - Throws: `DatabaseError` for anybody else.
    package static func name(of owner: UInt32, at socket: String) throws(DatabaseError) -> String {
        guard let name = UserNames.name(of: owner), owner == geteuid() || owner == 0 || name == usualUser else {
            let place = "the socket \(socket.redactedControls) belongs to \(UserNames.description(of: owner))"
            throw DatabaseError(
                .connection,
                "\(place), and not to this user, root or postgres: add requirepeer=USER to the address if that is right"
            )
        }
        return name
    }
}
