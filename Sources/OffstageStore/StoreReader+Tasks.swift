// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

extension StoreReader {
    /// A page of the history ends after the entry that reaches this length, so it fits a frame.
    private static let historyBytes = 1 << 20

    func hasTask(app: String, identifier: String, nonce: UInt64) throws(SQLiteError) -> Bool {
        // In two halves, each of which has an index.
        let row = try connection.statement(
            """
            SELECT 1 FROM tasks WHERE app = ?1 AND identifier = ?2 AND nonce = ?3 AND phase = 0
            UNION ALL SELECT 1 FROM tasks WHERE app = ?1 AND identifier = ?2 AND nonce = ?3 AND phase <> 0
            """
        )
        row.bind(1, app)
        row.bind(2, identifier)
        row.bind(3, Int64(bitPattern: nonce))
        defer { row.reset() }
        return try row.step()
    }

    /// Newest first. Invalid entries are left out.
    func taskEntries(app: String?, identifier: String?, limit: Int) throws(SQLiteError) -> [TaskEntry] {
        let decoder = ForeignJSON.storeDecoder()
        let condition =
            switch (app, identifier) {
            case (nil, nil): ""
            case (_?, nil): "WHERE app = ?1"
            case (nil, _?): "WHERE identifier = ?2"
            case (_?, _?): "WHERE app = ?1 AND identifier = ?2"
            }
        let rows = try connection.statement("SELECT entry FROM task_entries \(condition) ORDER BY id DESC LIMIT ?3")
        rows.bind(1, app)
        rows.bind(2, identifier)
        rows.bind(3, Int64(min(max(0, limit), Self.maximumPage)))
        defer { rows.reset() }
        var entries: [TaskEntry] = []
        var bytes = 0
        while bytes < Self.historyBytes, try rows.step() {
            let data = rows.data(0)
            bytes += data.count
            if let entry = try? decoder.decode(TaskEntry.self, from: data) { entries.append(entry) }
        }
        return entries
    }
}
