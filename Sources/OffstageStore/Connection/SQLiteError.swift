// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Glibc
import OffstageCore

/// A refusal by SQLite or by a rule of the store. It stays inside the module: callers receive a `StoreError`.
struct SQLiteError: Error {
    /// The primary result code (`SQLITE_CORRUPT` …).
    var code: Int32
    /// SQLite's own words, for the detail of an error.
    var message: String
    /// `errno` of the system call that failed; 0 if there was none.
    var systemError: Int32 = 0
    /// The error for callers, if a rule of the store is more specific than SQLite's code.
    var meaning: StoreError?

    /// The file is not a whole SQLite database.
    var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

    /// The machine refused something, temporarily or permanently; this says nothing about the file's contents.
    var isTrouble: Bool {
        [
            SQLITE_IOERR, SQLITE_NOMEM, SQLITE_CANTOPEN, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PERM, SQLITE_READONLY,
            SQLITE_FULL, SQLITE_PROTOCOL,
        ].contains(code)
    }

    /// The request itself is at fault; other requests in the same transaction may still succeed.
    var isRequestFault: Bool {
        [SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_NOTFOUND].contains(code)
    }

    /// Whether a row violated a unique index with this column.
    func isViolation(of column: String) -> Bool {
        code == SQLITE_CONSTRAINT && message.hasPrefix("UNIQUE") && message.hasSuffix(column)
    }

    /// The same error with a different error for callers.
    func meaning(_ meaning: StoreError) -> SQLiteError {
        var error = self
        error.meaning = meaning
        return error
    }

    /// The error for callers.
    func storeError(path: String) -> StoreError {
        if let meaning { return meaning }
        return switch code {
        case _ where systemError == EDQUOT: .overQuota(path: path)
        case _ where systemError == EMFILE || systemError == ENFILE: .tooManyFiles(path: path)
        case SQLITE_NOMEM: .outOfMemory(path: path)
        case SQLITE_FULL: .full(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED: .locked(path: path)
        case SQLITE_READONLY: .readOnly(path: path)
        case _ where systemError == ENOSPC: .full(path: path)
        case _ where systemError == EROFS: .readOnly(path: path)
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen(path: path, detail: detail)
        case SQLITE_IOERR: .ioFailed(path: path, detail: detail)
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            .failed(path: path, detail: "\(detail); the daemon repairs it when it starts the next time")
        default: .failed(path: path, detail: detail)
        }
    }

    /// The error for callers whose own change has failed.
    func changeError(path: String) -> StoreError {
        meaning == nil && isRequestFault ? .refused(path: path, detail: detail) : storeError(path: path)
    }

    private var detail: String {
        systemError == 0 ? message : "\(message): \(String(cString: strerror(systemError)))"
    }
}

extension SQLiteError {
    /// The meaning of an extended result code.
    init(result: Int32, message: String, systemError: Int32) {
        // A truncated file, or a broken file system, is damage rather than a failure to read.
        let isDamage = result == Self.shortRead || result == Self.corruptFileSystem
        self.init(code: isDamage ? SQLITE_CORRUPT : result & 0xFF, message: message, systemError: systemError)
    }

    /// `SQLITE_IOERR_SHORT_READ`, a macro that Swift does not see.
    private static let shortRead = SQLITE_IOERR | 2 << 8
    /// `SQLITE_IOERR_CORRUPTFS`.
    private static let corruptFileSystem = SQLITE_IOERR | 33 << 8
}
