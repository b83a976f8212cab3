// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// The file that a download is kept in until it is whole. Its name can be foreseen, and its folder may be anybody's: what
/// lies there already is gone on with only if nobody but us can have written it.
enum PartialFile {
    struct Opened {
        var descriptor: Int32
        var path: String
        /// What the name holds besides the usual; nil for nothing.
        var tag: String?
        var status: stat
    }

    /// A number of an error.
    struct SystemError: Error { var code: Int32 }

    /// Opens the partial file, or makes it.
    ///
    /// - Parameters:
    ///   - path: its name with a tag.
    ///   - tag: the tag that the transfer has had so far.
    ///   - known: the file that the transfer was written to before.
    /// - Returns: the open file.
    static func open(
        _ path: (_ tag: String?) -> String,
        tag: String?,
        known: FileIdentity?
    ) -> Result<Opened, SystemError> {
        var tag = tag
        // Somebody may take one name after the other, but not the one that is drawn next.
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

    /// - Returns: nil for a name that somebody else has.
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
            // Ours to remove where the folder says so; in a sticky one what others made stays.
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

    /// For this user alone until it is whole.
    private static func make(_ path: String) -> Int32 {
        Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    /// What lies where a partial file would be.
    enum Existing {
        /// Only we can have written it.
        case ours(descriptor: Int32, status: stat)
        case notOurs
        case failed(code: Int32)
    }

    /// Opens a partial file that is there, if it can only be ours.
    static func openExisting(_ path: String, known: FileIdentity?) -> Existing {
        // O_NONBLOCK: a pipe in its place must not hold the worker.
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return .failed(code: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            defer { close(descriptor) }
            return .failed(code: errno)
        }
        let isKnown = known?.isSameFile(as: FileIdentity(status)) ?? false
        if FileAccess(status).isOursAlone(user: geteuid(), isKnown: isKnown) || hasNoModes(descriptor, status, isKnown)
        {
            return .ours(descriptor: descriptor, status: status)
        }
        close(descriptor)
        return .notOurs
    }

    /// Whether the file is one of ours on a file system that keeps no permissions (FAT): there nobody can do better.
    private static func hasNoModes(_ descriptor: Int32, _ status: stat, _ isKnown: Bool) -> Bool {
        var access = FileAccess(status)
        guard access.permissions & FileAccess.writableByOthers != 0 else { return false }
        access.permissions = 0o600
        var after = stat()
        guard access.isOursAlone(user: geteuid(), isKnown: isKnown), fchmod(descriptor, 0o600) == 0 || errno == EPERM,
            fstat(descriptor, &after) == 0
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
