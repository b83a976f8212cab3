// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The contents of a folder, except hidden files. Blocking: for a worker, never the loop.
enum FolderNames {
    /// - Returns: the names with this ending; empty if the folder cannot be read.
    static func all(in folder: String, suffix: String = "") -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix("."), name.hasSuffix(suffix) { names.append(name) }
        }
        return names
    }
}
