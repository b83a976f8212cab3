// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// The folder of the daemon's socket: only this user may put a socket there.
enum SocketFolder {
    /// Checks the folder. If other users may enter a folder that belongs to this user, makes it private, as a daemon
    /// does.
    ///
    /// - Throws: `.untrusted` if it belongs to another user or is not a folder. A missing folder is fine.
    static func check(socket: String) throws(OffstageError) {
        let path = String(socket[..<(socket.lastSlash ?? socket.startIndex)])
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else {
            guard errno != ENOENT, let standing = FileStanding(lookingAt: path) else { return }
            throw refusal(of: standing)
        }
        defer { close(folder) }
        guard let standing = FileStanding(of: folder, path: path) else { return }
        guard standing.owner == geteuid() else { throw refusal(of: standing) }
        guard standing.permissions & 0o077 != 0 else { return }
        guard fchmod(folder, 0o700) == 0 else {
            throw OffstageError(
                .untrusted,
                "The folder \(path) of the daemon's socket is accessible to others, and its mode cannot be changed: run 'chmod 700 \(path)'."
            )
        }
    }

    private static func refusal(of standing: FileStanding) -> OffstageError {
        let path = standing.path
        guard standing.owner == geteuid() else {
            return OffstageError(
                .untrusted,
                "The folder \(path) of the daemon's socket belongs to \(UserNames.description(of: standing.owner)): nothing was sent; unset XDG_RUNTIME_DIR, or set OFFSTAGE_HOME to a folder of your own."
            )
        }
        return OffstageError(
            .untrusted,
            "The daemon's socket should be in \(path), which is not a folder that can be opened: move it away."
        )
    }
}
