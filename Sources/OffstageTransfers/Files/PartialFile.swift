// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// The file that holds a download until it is complete. Its name is predictable, and its folder may be shared: an
/// existing file is continued only if no other user can have written it.
enum PartialFile {
    struct Opened {
        var descriptor: Int32
        var path: String
        /// The extra part of the name; nil if there is no extra part.
        var tag: String?
        var status: stat
    }

    /// An errno as an error.
    struct SystemError: Error { var code: Int32 }

    /// Opens the partial file, or creates it.
    ///
    /// - Parameters:
    ///   - path: makes the file's path from a tag.
    ///   - tag: the transfer's current tag.
    ///   - known: the file that the transfer was written to before.
    /// - Returns: the open file.
    static func open(
        _ path: (_ tag: String?) -> String,
        tag: String?,
        known: FileIdentity?
    ) -> Result<Opened, SystemError> {
        var tag = tag
        // Another user may take one name after another, but cannot guess the next random one.
        for _ in 0..<3 {
            switch openOne(path(tag), known: known) {
            case .success(let found?):
                return .success(Opened(descriptor: found.descriptor, path: path(tag), tag: tag, status: found.status))
            case .success(nil): tag = randomTag()
            case .failure(let error): return .failure(error)
            }
        }
        return .failure(SystemError(code: EEXIST))
    }

    /// - Returns: nil if another user has the name.
    private static func openOne(
        _ path: String,
        known: FileIdentity?
    ) -> Result<(descriptor: Int32, status: stat)?, SystemError> {
        var descriptor = make(path)
        if descriptor < 0, errno == EEXIST {
            switch openExisting(path, known: known) {
            case .ours(let descriptor, let status): return .success((descriptor, status))
            case .failed(let code) where FileTrouble(code) == .passing: return .failure(SystemError(code: code))
            case .failed, .notOurs: break
            }
            // This user may remove it if the folder permits; in a sticky folder other users' files stay.
            guard unlink(path) == 0 || errno == ENOENT else { return .success(nil) }
            descriptor = make(path)
            if descriptor < 0, errno == EEXIST { return .success(nil) }
        }
        guard descriptor >= 0 else { return .failure(SystemError(code: errno)) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            defer { close(descriptor) }
            return .failure(SystemError(code: errno))
        }
        return .success((descriptor, status))
    }

    /// Creates the file, accessible only to this user until it is complete.
    private static func make(_ path: String) -> Int32 {
        Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    /// What exists at the path of a partial file.
    enum Existing {
        /// Only this user can have written it.
        case ours(descriptor: Int32, status: stat)
        case notOurs
        case failed(code: Int32)
    }

    /// Opens an existing partial file, if only this user can have written it.
    static func openExisting(_ path: String, known: FileIdentity?) -> Existing {
        // O_NONBLOCK: a pipe in its place must not block the worker.
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return .failed(code: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            defer { close(descriptor) }
            return .failed(code: errno)
        }
        let isKnown = known?.isSameFile(as: FileIdentity(status)) ?? false
        // A file keeps its number, but its file system may get another one when it is mounted again.
        let isFolderShared = !isKnown && othersMayRename(in: FileSaver.directory(of: path))
        let isOursAlone: (FileAccess) -> Bool = {
            $0.isOursAlone(user: geteuid(), isKnown: isKnown, isFolderShared: isFolderShared)
        }
        if isOursAlone(FileAccess(status)) || hasNoModes(descriptor, status, isOursAlone) {
            return .ours(descriptor: descriptor, status: status)
        }
        close(descriptor)
        return .notOurs
    }

    /// Whether other users may rename our files in a folder.
    private static func othersMayRename(in folder: String) -> Bool {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_uid == geteuid() || status.st_uid == 0 else { return true }
        return status.st_mode & FileAccess.writableByOthers != 0 && status.st_mode & S_ISVTX == 0
    }

    /// Whether the file is this user's on a file system without permissions (FAT): no better check is possible there.
    private static func hasNoModes(_ descriptor: Int32, _ status: stat, _ isOursAlone: (FileAccess) -> Bool) -> Bool {
        var access = FileAccess(status)
        guard access.permissions != 0o600 else { return false }
        access.permissions = 0o600
        var after = stat()
        guard isOursAlone(access), fchmod(descriptor, 0o600) == 0 || errno == EPERM, fstat(descriptor, &after) == 0
        else { return false }
        return after.st_mode == status.st_mode
    }

    private static func randomTag() -> String {
        String(UInt64.random(in: .min ... .max), radix: 16)
    }
}

extension FileAccess {
    init(_ status: stat) {
        self.init(
            owner: status.st_uid,
            group: status.st_gid,
            permissions: status.st_mode & 0o777,
            links: UInt64(status.st_nlink),
            isRegular: status.st_mode & S_IFMT == S_IFREG
        )
    }
}
