// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore

/// The names of the store's file and its companions.
struct StoreFile {
    let path: String

    /// The suffixes of the file itself and of SQLite's files beside it.
    static let companions = ["", "-wal", "-shm"]

    private var folder: String {
        guard let slash = path.lastSlash, slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// A new store that receives the contents of a damaged one; not usable until it is complete.
    var salvage: String { path + ".salvage" }

    /// A complete salvaged store that only needs to be renamed.
    var salvaged: String { path + ".salvaged" }

    /// The size of the file in bytes; nil if there is none.
    var size: Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Makes the folder and its parents, accessible only to this user.
    func makeFolder() throws(StoreError) {
        var made = ""
        for part in folder.pathParts {
            made += "/" + part
            if mkdir(made, 0o700) == 0 || errno == EEXIST { continue }
            // An existing folder may be in a place where this user may not make one.
            let failure = errno
            if !exists(made) { throw error(failure, doing: "the folder \(made) cannot be created") }
        }
    }

    /// Makes an empty file, accessible only to this user, if there is none; SQLite gives its companions the same mode.
    func makeFile(_ path: String) throws(StoreError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
            Glibc.close(file)
            syncFolder()
        } else if errno != EEXIST {
            throw error(errno, doing: "it cannot be created")
        }
    }

    /// Refuses anything except a regular file of this user: SQLite would wait for a pipe, or change another user's
    /// file.
    func checkOwner() throws(StoreError) {
        for name in Self.companions.map({ path + $0 }) {
            var status = stat()
            guard stat(name, &status) == 0 else { continue }
            guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: name) }
            guard status.st_uid == geteuid() else { throw .notOurs(path: name) }
        }
    }

    /// Makes renames durable.
    func syncFolder() {
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        Glibc.close(directory)
    }

    /// Removes an unusable store, with its companions.
    func remove(_ path: String) {
        for companion in Self.companions { unlink(path + companion) }
    }

    /// Renames a file.
    func move(_ from: String, to: String) throws(StoreError) {
        guard rename(from, to) == 0 else { throw error(errno, doing: "\(from) cannot be renamed") }
    }

    /// The new name of a damaged file: `store.sqlite.damaged-20260131-235959`, followed by a number if that is taken.
    func damagedPath() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        func padded(_ number: Int32, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = padded(parts.tm_year + 1900, 4) + padded(parts.tm_mon + 1) + padded(parts.tm_mday)
        let clock = padded(parts.tm_hour) + padded(parts.tm_min) + padded(parts.tm_sec)
        let name = "\(path).damaged-\(date)-\(clock)"
        var candidate = name
        var number = 2
        while exists(candidate) {
            candidate = "\(name)-\(number)"
            number += 1
        }
        return candidate
    }

    /// The error of a system call, for callers.
    private func error(_ code: Int32, doing what: String) -> StoreError {
        switch code {
        case EROFS: .readOnly(path: path)
        // The folder exists, but this user cannot write in it.
        case EACCES, EPERM: exists(folder) ? .readOnly(path: path) : .cannotOpen(path: path, detail: detail(code, what))
        case ENOSPC: .full(path: path)
        case EDQUOT: .overQuota(path: path)
        case EMFILE, ENFILE: .tooManyFiles(path: path)
        case EIO: .ioFailed(path: path, detail: detail(code, what))
        default: .cannotOpen(path: path, detail: detail(code, what))
        }
    }

    private func detail(_ code: Int32, _ what: String) -> String {
        "\(what): \(String(cString: strerror(code)))"
    }
}
