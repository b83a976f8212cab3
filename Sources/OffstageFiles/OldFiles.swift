// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Files that have not changed for a long time.
package enum OldFiles {
    /// The names of regular files in a folder that were last changed more than that many seconds ago.
    package static func names(in folder: String, olderThan age: Int) -> [String] {
        FolderNames.all(in: folder, includesHidden: true).filter { name in
            var status = stat()
            return lstat(folder + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
                && status.st_mtim.tv_sec < time(nil) - age  // checked: an age of our own
        }
    }
}
