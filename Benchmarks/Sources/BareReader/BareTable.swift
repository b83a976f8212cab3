// SPDX-License-Identifier: Apache-2.0
import CBareSQLite
import FoundationEssentials

/// The daemon's tables, written with the settings that the daemon uses and nothing around them.
final class BareTable {
    struct Failure: Error { var message: String }

    private var connection: OpaquePointer?
    private var transfer: OpaquePointer?
    private var record: OpaquePointer?
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ path: String) throws {
        guard sqlite3_open(path, &connection) == SQLITE_OK else { throw Failure(message: "\(path) cannot be opened") }
        try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
        try execute("PRAGMA cache_size = -256")
        // By name: the daemon's tables get further columns, which have defaults.
        try execute("INSERT INTO sessions (id, owner, identifier, highest_task) VALUES (1, 'owner', 'session', 1)")
        transfer = try prepare(
            """
            INSERT INTO transfers (id, kind, priority, host_key, url, path, owner, session, task)
            VALUES (?1, 'queued', ?2, ?3, ?4, ?5, ?6, 1, ?7)
            """
        )
        record = try prepare("INSERT INTO records (id, record, spec) VALUES (?1, ?2, ?3)")
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    func insert(_ task: BareTask, id: Int64, json: Data) throws {
        sqlite3_bind_int64(transfer, 1, id)
        sqlite3_bind_double(transfer, 2, task.priority ?? 0.5)
        bind(task.url, to: transfer, 3)
        bind(task.url, to: transfer, 4)
        bind(task.upload.path, to: transfer, 5)
        bind(task.owner, to: transfer, 6)
        sqlite3_bind_int64(transfer, 7, Int64(task.sessionTask.task))
        try run(transfer)
        sqlite3_bind_int64(record, 1, id)
        bind(Data(#"{"createdAt":{}}"#.utf8), to: record, 2)
        bind(json, to: record, 3)
        try run(record)
    }

    private func prepare(_ sql: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw failure() }
        return statement
    }

    private func bind(_ text: String, to statement: OpaquePointer?, _ index: Int32) {
        sqlite3_bind_text(statement, index, text, -1, Self.transient)
    }

    private func bind(_ data: Data, to statement: OpaquePointer?, _ index: Int32) {
        _ = data.withUnsafeBytes {
            sqlite3_bind_blob(statement, index, $0.baseAddress, Int32($0.count), Self.transient)
        }
    }

    private func run(_ statement: OpaquePointer?) throws {
        guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
        sqlite3_reset(statement)
    }

    private func failure() -> Failure { Failure(message: String(cString: sqlite3_errmsg(connection))) }
}
