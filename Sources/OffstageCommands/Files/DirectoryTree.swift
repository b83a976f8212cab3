// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The regular files below a directory.
package enum DirectoryTree {
    /// The files found, as paths relative to the directory, in order.
    package struct Content: Equatable {
        package var files: [String] = []
        /// Links that are not followed, are broken, or form a cycle.
        package var links: [String] = []
        /// Pipes, sockets and devices.
        package var others: [String] = []
    }

    /// - Parameters:
    ///   - directory: the topmost directory.
    ///   - followsLinks: whether links are followed, wherever they lead.
    /// - Returns: the files found.
    /// - Throws: `CommandFailure` for a directory that cannot be read or a name that is not UTF-8.
    package static func content(of directory: String, followsLinks: Bool = false) throws(CommandFailure) -> Content {
        var content = Content()
        var status = stat()
        let root = stat(directory, &status) == 0 ? [Place(status)] : []
        try walk(directory, below: "", within: root, followsLinks, into: &content)
        return content
    }

    /// The identity of a directory, regardless of its name.
    private struct Place: Hashable {
        var device: UInt64
        var inode: UInt64

        init(_ status: stat) { (device, inode) = (UInt64(clamping: status.st_dev), UInt64(clamping: status.st_ino)) }
    }

    private static func walk(
        _ root: String,
        below prefix: String,
        within places: [Place],
        _ followsLinks: Bool,
        into content: inout Content
    ) throws(CommandFailure) {
        let here = prefix.isEmpty ? root : root + "/" + prefix
        for name in try names(in: here) {
            let relative = prefix.isEmpty ? name : prefix + "/" + name
            var status = stat()
            guard lstat(root + "/" + relative, &status) == 0 else {
                // It was removed after its name was read. Ignoring any other error would leave it out silently.
                if errno == ENOENT { continue }
                let reason = String(cString: strerror(errno))
                throw CommandFailure("\(root)/\(relative) cannot be read (\(reason)): nothing was handed over.")
            }
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            if isLink {
                guard followsLinks, stat(root + "/" + relative, &status) == 0 else {
                    content.links.append(relative)
                    continue
                }
            }
            switch status.st_mode & S_IFMT {
            case S_IFREG: content.files.append(relative)
            case S_IFDIR where isLink && places.contains(Place(status)): content.links.append(relative)
            case S_IFDIR:
                try walk(root, below: relative, within: places + [Place(status)], followsLinks, into: &content)
            default: content.others.append(relative)
            }
        }
    }

    private static func names(in directory: String) throws(CommandFailure) -> [String] {
        guard let stream = opendir(directory) else {
            throw unreadable(directory, errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // Only errno distinguishes the end of a directory from an error.
            errno = 0
            guard let entry = readdir(stream) else {
                let code = errno
                if code == 0 { break }
                throw unreadable(directory, code)
            }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard let name = String(validating: bytes, as: UTF8.self) else {
                let shown = String(decoding: bytes, as: UTF8.self).redactedControls
                throw CommandFailure(
                    "The name of '\(shown)' in the directory \(directory) is not UTF-8 text: rename that file; nothing was handed over."
                )
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func unreadable(_ directory: String, _ code: Int32) -> CommandFailure {
        CommandFailure("The directory \(directory) cannot be read (\(String(cString: strerror(code)))).")
    }
}
