// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// The folder of a download, identified by the file system: many paths may lead to one folder.
package struct TargetFolder: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// Blocking. Nil for a folder that cannot be examined.
    ///
    /// - Parameter path: the path of a file in the folder.
    init?(of path: String) {
        let slash = path.lastSlash ?? path.startIndex
        var status = stat()
        // checked: an index of this very text
        guard stat(String(path[..<slash]) + "/", &status) == 0 else { return nil }
        (device, inode) = (UInt64(clamping: status.st_dev), UInt64(clamping: status.st_ino))
    }
}
