// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Where a download goes: checked before it is handed over.
package enum TargetFile {
    /// Names of files are at most so many bytes long on Linux.
    private static let longestName = 255

    /// Makes the directory of a target, and those above it, with the caller's umask.
    package static func makeDirectory(of path: String) throws(CommandFailure) {
        var partial = ""
        for part in path.pathParts.dropLast() {
            partial += "/" + part
            guard mkdir(partial, 0o777) == 0 || errno == EEXIST || access(partial, F_OK) == 0 else {
                throw CommandFailure(
                    "The directory \(partial) cannot be made (\(String(cString: strerror(errno)))): choose another with --output-dir."
                )
            }
        }
    }

    /// Whether a file, a link or anything else has this path.
    package static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether there is something where the directory of a target would be.
    package static func hasDirectory(_ path: String) -> Bool {
        isThere(path.pathParts.dropLast().reduce("") { "\($0)/\($1)" } + "/")
    }

    /// - Throws: `CommandFailure`, one sentence, for a target that cannot or may not be written.
    package static func check(_ path: String, overwrites: Bool) throws(CommandFailure) {
        try checkDirectory(try directory(of: path))
        try checkName(path, overwrites: overwrites)
    }

    /// The directory of a target, whose path is looked at and nothing else.
    ///
    /// - Throws: `CommandFailure`, one sentence, for a path that can be no file's.
    static func directory(of path: String) throws(CommandFailure) -> String {
        guard let slash = path.lastSlash else { throw CommandFailure("\(path) is not an absolute path.") }
        let name = path.part(after: slash)
        guard !name.isEmpty, name != ".", name != ".." else {
            throw CommandFailure("'\(path)' names no file: give -o a file name, or --output-dir a directory.", .usage)
        }
        guard name.utf8.count <= longestName else {
            throw CommandFailure(
                "The file name '\(name.prefix(40))…' has \(name.utf8.count) bytes, but a file's name may have \(longestName): choose a shorter one with -o."
            )
        }
        guard path.utf8.count < Int(PATH_MAX) else {
            throw CommandFailure("The path \(path.prefix(80))… is too long for a file.")
        }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether files can be made in a directory.
    ///
    /// - Throws: `CommandFailure`, one sentence, where they cannot.
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

    /// Looks at what has the name.
    ///
    /// - Throws: `CommandFailure`, one sentence.
    static func checkName(_ path: String, overwrites: Bool) throws(CommandFailure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            throw CommandFailure("\(path) is a directory: use --output-dir \(path) to put the file into it.")
        }
        guard overwrites else {
            throw CommandFailure("\(path) is there already: choose another name with -o, or replace it with --force.")
        }
        guard status.st_mode & S_IFMT == S_IFREG || status.st_mode & S_IFMT == S_IFLNK else {
            throw CommandFailure("\(path) is not a regular file: it will not be replaced; choose another name with -o.")
        }
    }
}
