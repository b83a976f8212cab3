// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// Which users are trusted as the database's at a Unix socket.
///
/// Such connections are not encrypted, and anyone who may write to a folder such as /tmp can listen in it. So the
/// expected user is determined before libpq connects. libpq then asks the kernel (`requirepeer`), and sends a password
/// to no other user. The folder's own permissions then do not matter: Debian's folder belongs to `postgres`.
package enum DatabasePeer {
    /// The user of a PostgreSQL installed from a distribution's packages.
    private static let usualUser = "postgres"

    /// The user that must own an address's sockets. May look up names over the network: for a thread that may block.
    ///
    /// - Returns: a name for libpq; nil if the address has no socket, or if the address itself requires a user.
    /// - Throws: `DatabaseError` if another user owns a socket, or if the sockets belong to several users.
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
        // libpq reports why it finds no socket. A socket created at this moment is trusted only if it belongs to root.
        return expected ?? "root"
    }

    /// The name of a socket's owner, if that is this user, root or PostgreSQL's own.
    ///
    /// - Parameters:
    ///   - owner: the socket's owner.
    ///   - socket: its path.
    /// - Returns: the name, as libpq compares it.
    /// - Throws: `DatabaseError` for any other user.
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
