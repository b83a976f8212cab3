// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// The folder that a download goes to, as the file system knows it: many paths may lead to one.
package struct TargetFolder: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// Blocking. Nil for a folder that cannot be looked at.
    ///
    /// - Parameter path: of a file in it.
    init?(of path: String) {
        let slash = path.lastSlash ?? path.startIndex
        var status = stat()
        // checked: an index of this very text
        guard stat(String(path[..<slash]) + "/", &status) == 0 else { return nil }
        (device, inode) = (UInt64(clamping: status.st_dev), UInt64(clamping: status.st_ino))
    }
}
