// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The contents of a folder. Blocking: for a worker, never the loop.
package enum FolderNames {
    /// The names in a folder.
    ///
    /// - Parameters:
    ///   - folder: the folder's path.
    ///   - suffix: the suffix of the names.
    ///   - includesHidden: whether to include names that begin with a dot; `.` and `..` are never included.
    /// - Returns: the names, in no order; empty if the folder cannot be read.
    package static func all(in folder: String, suffix: String = "", includesHidden: Bool = false) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != "..", includesHidden || !name.hasPrefix("."), name.hasSuffix(suffix) else {
                continue
            }
            names.append(name)
        }
        return names
    }
}
