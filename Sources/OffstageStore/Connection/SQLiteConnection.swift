// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import Glibc

/// One connection to a SQLite file with the statements prepared on it. Used by one thread at a time.
///
/// No pointer of SQLite's leaves this file.
final class SQLiteConnection {
    private var handle: OpaquePointer?
    private var statements: [String: SQLiteStatement] = [:]
    private let record = TroubleRecord()

    /// The first failure of this connection that says nothing about the file's contents; nil if there was none.
    var trouble: SQLiteError? { record.first }

    /// The limit for a text, a blob or a row, in bytes. A specification fits a frame, and no other value is as long.
    private static let longestValue: Int32 = 64 << 20

    /// Opens an existing file for reading and writing.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - patience: milliseconds to wait for another process's lock.
    /// - Throws: usually `SQLITE_CANTOPEN`. A file that is not a SQLite database is noticed only at the first read.
    init(path: String, patience: Int32 = usualPatience) throws(SQLiteError) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let result = sqlite3_open_v2(path, &handle, flags, nil)
        guard result == SQLITE_OK else {
            let error = lastError(result)
            sqlite3_close_v2(handle)
            handle = nil
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longestValue)
        sqlite3_busy_timeout(handle, patience)
    }

    deinit { close() }

    static let usualPatience: Int32 = 2000

    /// Milliseconds to wait for another process's lock from now on.
    func setPatience(_ milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

    /// Refuses views and other possible attacks by a foreign schema. Not defensive for a damaged file, because its
    /// schema could not be read then.
    func harden(isDefensive: Bool = true) throws(SQLiteError) {
        let result = offstage_sqlite3_harden(handle, isDefensive ? 1 : 0)
        guard result == SQLITE_OK else { throw lastError(result) }
    }

    /// Gives back the memory of pages that have been read.
    func releasePages() { sqlite3_db_release_memory(handle) }

    /// Finalizes the statements and closes the file. Must be the last call.
    func close() {
        for statement in statements.values { statement.finalize() }
        statements = [:]
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// Whether SQLite could open the file only for reading.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// The number of rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// The id of the last inserted row.
    var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// For other threads, and only while the connection is open.
    var interruption: SQLiteInterruption? { handle.map(SQLiteInterruption.init) }

    /// Runs statements that return nothing of interest.
    func execute(_ sql: String) throws(SQLiteError) {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw lastError(result) }
    }

    /// A statement that is prepared once and kept: only for constant texts.
    func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements[sql] {
            statement.reset()
            return statement
        }
        let statement = try prepare(sql)
        statements[sql] = statement
        return statement
    }

    /// A statement for one use; the caller finalizes it.
    func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        var pointer: OpaquePointer?
        let result = sqlite3_prepare_v2(handle, sql, -1, &pointer, nil)
        guard result == SQLITE_OK, let pointer else { throw lastError(result) }
        return SQLiteStatement(pointer, record)
    }

    /// Applies either all changes of `body` within the current transaction or none of them: the writes of a failed
    /// insertion must not stay.
    ///
    /// - Returns: false if the changes themselves are at fault, and were undone.
    /// - Throws: any other error, such as a full disk, which ends the transaction.
    func wholly(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) -> Bool {
        try statement("SAVEPOINT whole").run()
        do throws(SQLiteError) {
            try body()
        } catch {
            guard error.isRequestFault else { throw error }
            try statement("ROLLBACK TO whole").run()
            try statement("RELEASE whole").run()
            return false
        }
        try statement("RELEASE whole").run()
        return true
    }

    /// The first column of the first row; nil if there is no row.
    func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        defer { statement.finalize() }
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The first column of the first row as text; nil if there is no row.
    func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try prepare(sql)
        defer { statement.finalize() }
        return try statement.step() ? statement.text(0) : nil
    }

    private func lastError(_ result: Int32) -> SQLiteError {
        let error = SQLiteError(
            result: result,
            message: handle == nil ? "out of memory" : String(cString: sqlite3_errmsg(handle)),
            systemError: handle == nil ? 0 : sqlite3_system_errno(handle)
        )
        record.record(error)
        return error
    }
}

/// The failures of a connection and its statements.
private final class TroubleRecord {
    private(set) var first: SQLiteError?

    func record(_ error: SQLiteError) {
        if first == nil, error.isTrouble { first = error }
    }
}

/// Interrupts the statement that is running on a connection, which then fails with `SQLITE_INTERRUPT`. Unchecked:
/// SQLite allows any thread to interrupt a connection while it is open.
struct SQLiteInterruption: @unchecked Sendable {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

    func interrupt() { sqlite3_interrupt(handle) }
}

/// One prepared statement of a connection. Columns and parameters are numbered as in SQLite: columns from 0, parameters
/// from 1.
final class SQLiteStatement {
    private var handle: OpaquePointer?
    private let record: TroubleRecord

    fileprivate init(_ handle: OpaquePointer, _ record: TroubleRecord) {
        self.handle = handle
        self.record = record
    }

    /// Finalizes the statement.
    func finalize() {
        sqlite3_finalize(handle)
        handle = nil
    }

    /// Makes the statement ready to be bound and run again.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

    func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

    func bind(_ index: Int32, _ value: Double?) {
        if let value { sqlite3_bind_double(handle, index, value) } else { sqlite3_bind_null(handle, index) }
    }

    func bind(_ index: Int32, _ value: String?) {
        guard var value else {
            sqlite3_bind_null(handle, index)
            return
        }
        value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                if let first = characters.baseAddress, !characters.isEmpty {
                    _ = offstage_sqlite3_bind_text(handle, index, first, Int32(clamping: characters.count))
                } else {
                    // A null pointer would bind NULL instead of an empty text.
                    _ = offstage_sqlite3_bind_text(handle, index, "", 0)
                }
            }
        }
    }

    func bind(_ index: Int32, _ value: [UInt8]) {
        value.withUnsafeBytes { bytes in
            if let first = bytes.baseAddress, !bytes.isEmpty {
                _ = offstage_sqlite3_bind_blob(handle, index, first, Int32(clamping: bytes.count))
            } else {
                sqlite3_bind_zeroblob(handle, index, 0)
            }
        }
    }

    /// Goes to the next row; false at the end.
    func step() throws(SQLiteError) -> Bool {
        let result = sqlite3_step(handle)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let connection = sqlite3_db_handle(handle)
            let error = SQLiteError(
                result: result,
                message: String(cString: sqlite3_errmsg(connection)),
                systemError: sqlite3_system_errno(connection)
            )
            record.record(error)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs a statement that returns no rows.
    func run() throws(SQLiteError) {
        while try step() {}
        sqlite3_reset(handle)
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// A date or a number of seconds, limited to values that are safe for arithmetic and calendars, whatever the file
    /// contains.
    func seconds(_ column: Int32) -> Double { min(max(double(column), -Self.longestTime), Self.longestTime) }

    /// About three thousand years, in seconds.
    private static let longestTime = 1e11

    func text(_ column: Int32) -> String {
        guard let characters = sqlite3_column_text(handle, column) else { return "" }
        let bytes = UnsafeBufferPointer(start: characters, count: Int(sqlite3_column_bytes(handle, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text, or nil if it is equal to `previous`: cheap if consecutive rows mostly have the same text.
    func text(_ column: Int32, unlike previous: String) -> String? {
        guard let characters = sqlite3_column_text(handle, column) else { return previous.isEmpty ? nil : "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        let isEqual = previous.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.count == count && bytes.baseAddress.map { memcmp($0, characters, count) == 0 } ?? true
        }
        return isEqual == true ? nil : text(column)
    }

    /// A blob that holds text.
    func blobText(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_blob(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func data(_ column: Int32) -> Data {
        guard let bytes = sqlite3_column_blob(handle, column) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
