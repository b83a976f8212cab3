// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore

/// The file at a path, reached step by step so that every folder and link on the way has been checked.
///
/// A later `open` of its name in `folder` gets the file that was checked, or another file of this user or the system:
/// no other user can have replaced it.
package final class TrustedPath: Sendable {
    package enum Failure: Error, Sendable, Equatable {
        case doubt(PathDoubt)
        /// The error of a system call, such as that there is no such file.
        case system(Int32)
    }

    /// Opened with `O_PATH`, only as a location; closed with this object.
    package let folder: Int32
    /// The last component, a name in `folder` that is not a link.
    package let name: String
    /// The absolute path, with links resolved.
    package let path: String

    /// The kernel's limit.
    private static let mostLinks = 40

    /// Walks from the root folder to the file at a path.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - trust: whose trust counts.
    /// - Throws: the first reason for distrust, or the error of a system call.
    package init(_ path: String, trust: PathTrust = .ofThisUser) throws(Failure) {
        let walk = try Walk(trust)
        try walk.follow(path)
        folder = fcntl(walk.folder, F_DUPFD_CLOEXEC, 10)
        guard folder >= 0 else { throw .system(errno) }
        name = walk.names.last ?? "."
        self.path = "/" + walk.names.joined(separator: "/")
    }

    deinit { if folder >= 0 { close(folder) } }

    /// Checks whether a path may be trusted, without keeping anything open.
    package static func check(_ path: String) throws(Failure) { _ = try TrustedPath(path) }

    /// The folders entered so far, and the names that led there.
    private final class Walk {
        private let trust: PathTrust
        private var folders: [Int32]
        private(set) var names: [String] = []
        private var links = 0

        /// The folder of the last name.
        var folder: Int32 { folders[max(0, names.count - 1)] }

        init(_ trust: PathTrust) throws(Failure) {
            self.trust = trust
            let root = open("/", offstage_open_path | O_DIRECTORY | O_CLOEXEC)
            guard root >= 0 else { throw .system(errno) }
            folders = [root]
            if let doubt = FileStanding(of: root, path: "/").flatMap(trust.doubt) { throw .doubt(doubt) }
        }

        deinit { for folder in folders { close(folder) } }

        func follow(_ path: String) throws(Failure) {
            if path.hasPrefix("/") { climb(to: 0) }
            for part in path.pathParts {
                switch part {
                case ".": break
                case "..":
                    guard isInFolder else { throw .system(ENOTDIR) }
                    climb(to: max(0, names.count - 1))
                default: try enter(String(part))
                }
            }
        }

        private var isInFolder: Bool { folders.count == names.count + 1 }

        private func climb(to depth: Int) {
            while names.count > depth { names.removeLast() }
            while folders.count > depth + 1 { close(folders.removeLast()) }
        }

        private func enter(_ name: String) throws(Failure) {
            // A path cannot lead through a file.
            guard isInFolder else { throw .system(ENOTDIR) }
            let entry = openat(folders[folders.count - 1], name, offstage_open_path | O_NOFOLLOW | O_CLOEXEC)
            guard entry >= 0 else { throw .system(errno) }
            let path = "/" + (names + [name]).joined(separator: "/")
            guard let standing = FileStanding(of: entry, path: path) else {
                let code = errno
                close(entry)
                throw .system(code)
            }
            if let doubt = trust.doubt(standing) {
                close(entry)
                throw .doubt(doubt)
            }
            switch standing.kind {
            case .folder:
                folders.append(entry)
                names.append(name)
            case .link:
                let target = Self.target(of: entry)
                close(entry)
                links += 1
                guard let target, links <= TrustedPath.mostLinks else { throw .system(ELOOP) }
                try follow(target)
            case .file, .other:
                close(entry)
                names.append(name)
            }
        }

        private static func target(of link: Int32) -> String? {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlinkat(link, "", &buffer, buffer.count)
            guard count > 0 else { return nil }
            return String(validating: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
