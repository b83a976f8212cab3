// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The regular files below a directory.
package enum DirectoryTree {
    /// What was found: paths relative to the directory, in order, and what is neither file nor directory.
    package struct Content: Equatable {
        package var files: [String] = []
        package var skipped: [String] = []
    }

    /// - Throws: `CommandFailure` for a directory that cannot be read or a name that is no UTF-8 text.
    package static func content(of directory: String) throws(CommandFailure) -> Content {
        var content = Content()
        try walk(directory, below: "", into: &content)
        return content
    }

    private static func walk(_ root: String, below prefix: String, into content: inout Content) throws(CommandFailure) {
        let here = prefix.isEmpty ? root : root + "/" + prefix
        guard let stream = opendir(here) else {
            throw CommandFailure("The directory \(here) cannot be read (\(String(cString: strerror(errno)))).")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name else {
                throw CommandFailure("The directory \(here) holds a name that is not UTF-8 text: rename that file.")
            }
            if name != ".", name != ".." { names.append(name) }
        }
        for name in names.sorted() {
            let relative = prefix.isEmpty ? name : prefix + "/" + name
            var status = stat()
            // Links are not followed: one could lead out of the directory, or in a circle.
            guard lstat(root + "/" + relative, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG: content.files.append(relative)
            case S_IFDIR: try walk(root, below: relative, into: &content)
            default: content.skipped.append(relative)
            }
        }
    }
}
