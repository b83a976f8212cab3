// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The target of a download, which is checked before it is handed over.
package enum TargetFile {
    /// The longest file name on Linux, in bytes.
    private static let longestName = 255

    /// Creates the directory of a target, and its parents, with the caller's umask.
    package static func makeDirectory(of path: String) throws(CommandFailure) {
        var partial = ""
        for part in path.pathParts.dropLast() {
            partial += "/" + part
            guard mkdir(partial, 0o777) == 0 || errno == EEXIST || access(partial, F_OK) == 0 else {
                throw CommandFailure(
                    "The directory \(partial) cannot be created (\(String(cString: strerror(errno)))): choose another with --output-dir."
                )
            }
        }
    }

    /// Whether a file, a link or anything else exists at this path.
    package static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether something exists at the path of a target's directory.
    package static func hasDirectory(_ path: String) -> Bool {
        isThere(path.pathParts.dropLast().reduce("") { "\($0)/\($1)" } + "/")
    }

    /// - Throws: `CommandFailure`, one sentence, for a target that cannot or may not be written.
    package static func check(_ path: String, overwrites: Bool) throws(CommandFailure) {
        try checkDirectory(try directory(of: path))
        try checkName(path, overwrites: overwrites)
    }

    /// The directory of a target. Examines only the path.
    ///
    /// - Throws: `CommandFailure`, one sentence, for a path that no file can have.
    static func directory(of path: String) throws(CommandFailure) -> String {
        guard let slash = path.lastSlash else { throw CommandFailure("\(path) is not an absolute path.") }
        let name = path.part(after: slash)
        guard !name.isEmpty, name != ".", name != ".." else {
            throw CommandFailure("'\(path)' names no file: give -o a file name, or --output-dir a directory.", .usage)
        }
        guard name.utf8.count <= longestName else {
            throw CommandFailure(
                "The file name '\(name.prefix(40))…' has \(name.utf8.count) bytes, but \(longestName) are allowed: choose a shorter one with -o."
            )
        }
        guard path.utf8.count < Int(PATH_MAX) else {
            throw CommandFailure("The path \(path.prefix(80))… is too long for a file.")
        }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Checks that files can be created in a directory.
    ///
    /// - Throws: `CommandFailure`, one sentence, if they cannot.
    static func checkDirectory(_ directory: String) throws(CommandFailure) {
        var status = stat()
        guard stat(directory, &status) == 0 else {
            throw CommandFailure(
                "There is no directory \(directory): create it, use --create-dirs, or choose another with --output-dir."
            )
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandFailure("\(directory) is not a directory: choose another target.")
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            let why = errno == EROFS ? "is on a read-only file system" : "cannot be written by this user"
            throw CommandFailure("The directory \(directory) \(why): choose another with --output-dir.")
        }
    }

    /// Checks an existing file of that name.
    ///
    /// - Throws: `CommandFailure`, one sentence.
    static func checkName(_ path: String, overwrites: Bool) throws(CommandFailure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            throw CommandFailure("\(path) is a directory: use --output-dir \(path) to put the file into it.")
        }
        guard overwrites else {
            throw CommandFailure("\(path) already exists: choose another name with -o, or replace it with --force.")
        }
        guard status.st_mode & S_IFMT == S_IFREG || status.st_mode & S_IFMT == S_IFLNK else {
            throw CommandFailure("\(path) is not a regular file and is not replaced: choose another name with -o.")
        }
    }
}
