// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// The tables of a store, for its writer.
struct StoreTables {
    let transfers: TransferTable
    let sessions: SessionTable
    let journals: JournalTable
    let apps: AppTable
    let tasks: TaskTable
    let accounts: AccountTable
    let spans: SpanTable

    init(_ connection: SQLiteConnection, _ coder: RecordCoder, _ chronicle: ChronicleRecorder) {
        sessions = SessionTable(connection)
        transfers = TransferTable(connection, sessions: sessions, coder: coder)
        journals = JournalTable(connection)
        apps = AppTable(connection)
        tasks = TaskTable(connection)
        accounts = AccountTable(connection)
        spans = SpanTable(connection, chronicle)
    }

    /// Applies one change.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - highest: the highest number of a transfer so far; raised by insertions.
    /// - Throws: `SQLiteError`.
    func apply(_ change: TransferChange, highest: inout Int64) throws(SQLiteError) {
        switch change {
        case .insert(let transfer, let encodedSpec):
            try transfers.insert(transfer, encodedSpec: encodedSpec)
            highest = max(highest, transfer.id.rawValue)
        case .update(let transfer): try transfers.update(transfer)
        case .updateWithSpec(let transfer): try transfers.updateWithSpec(transfer)
        case .delete(let id): try transfers.delete(id)
        case .fileTaken(let id, let owner): try transfers.recordFileTaken(id, owner: owner)
        case .acknowledge(let id, let owner): try transfers.acknowledge(id, owner: owner)
        case .insertJournal(let name, let owner): try journals.insert(name, owner: owner)
        case .advanceJournal(let name, let sequence): try journals.advance(name, to: sequence)
        case .deleteJournal(let name): try journals.delete(name)
        case .putApp(let app): try apps.put(app)
        case .deleteApp(let app): try apps.delete(app)
        case .appEntry(let app, let entry): try apps.append(entry, to: app)
        case .sessionAnnounced(let session): try apps.recordAnnounced(session)
        }
    }
}
