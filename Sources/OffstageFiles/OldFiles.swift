// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Files that have not been changed for long.
package enum OldFiles {
    /// The names of regular files in a folder that were last changed more than so many seconds ago.
    package static func names(in folder: String, olderThan age: Int) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard lstat(folder + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_mtim.tv_sec < time(nil) - age  // checked: an age of our own
            else { continue }
            names.append(name)
        }
        return names
    }
}
