// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

extension FileStanding {
    /// Looks at the file at a path; at a link itself, not at its target. Nil with errno set.
    package init?(lookingAt path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status, path: path)
    }

    /// Looks at the file of a descriptor. Nil with errno set.
    package init?(of descriptor: Int32, path: String) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status, path: path)
    }

    private init(_ status: stat, path: String) {
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFDIR: .folder
            case S_IFREG: .file
            case S_IFLNK: .link
            default: .other
            }
        self.init(
            path: path,
            kind: kind,
            owner: status.st_uid,
            group: status.st_gid,
            permissions: status.st_mode & 0o7777
        )
    }
}
