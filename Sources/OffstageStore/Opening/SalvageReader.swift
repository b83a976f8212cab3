// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Reads a damaged store of any schema, row by row. Unreadable rows count as missing.
struct SalvageReader {
    private let old: SQLiteConnection
    private let coder: RecordCoder
    /// Whether specifications are stored beside their records, as they have been since schema 2.
    private let hasSpecs: Bool
    /// The kinds of rows, other than transfers, of which some could not be read.
    private(set) var unread: [String] = []

    init(_ old: SQLiteConnection, _ coder: RecordCoder) {
        self.old = old
        self.coder = coder
        hasSpecs = (try? old.integer("SELECT COUNT(spec) FROM records WHERE id < 0")) != nil
    }

    /// The result of reading the next record.
    enum Finding {
        /// With its specification as originally written; nil if it has to be encoded again.
        case transfer(Transfer, encodedSpec: [UInt8]?)
        /// There is a record, but its content is unusable or must not be read any more.
        case useless(id: Int64)
        /// The page where the next record would be is damaged.
        case unreadable
        /// No records follow.
        case end
    }

    /// Reads the first record with an id of at least `start`.
    func read(from start: Int64) -> Finding {
        do throws(SQLiteError) {
            let first = try old.statement("SELECT id FROM records WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1")
            first.bind(1, start)
            first.bind(2, TransferID.greatest)
            defer { first.reset() }
            guard try first.step() else { return .end }
            let id = first.integer(0)
            do throws(SQLiteError) {
                return try transfer(id) ?? .useless(id: id)
            } catch {
                return .useless(id: id)
            }
        } catch {
            return .unreadable
        }
    }

    private func transfer(_ id: Int64) throws(SQLiteError) -> Finding? {
        let row = try old.statement("SELECT record\(hasSpecs ? ", spec" : "") FROM records WHERE id = ?1")
        row.bind(1, id)
        defer { row.reset() }
        guard try row.step() else { return nil }
        if !hasSpecs {
            return coder.transfer(id, wholeRecord: row.data(0)).map { .transfer($0, encodedSpec: nil) }
        }
        return coder.transfer(id, record: row.data(0), spec: row.data(1))
            .map { .transfer($0, encodedSpec: row.bytes(1)) }
    }

    /// Whether there was a transfer with this id, as far as its row can be read.
    func isKnown(_ id: Int64) -> Bool {
        guard let row = try? old.statement("SELECT 1 FROM transfers WHERE id = ?1") else { return false }
        row.bind(1, id)
        defer { row.reset() }
        return (try? row.step()) ?? false
    }

    /// What an app has received about a task's end.
    struct Event {
        var isPending: Bool
        var isFileTaken: Bool
    }

    /// Nil if unknown.
    func event(of id: TransferID) -> Event? {
        guard let row = try? old.statement("SELECT event_pending, file_taken FROM transfers WHERE id = ?1") else {
            return nil
        }
        row.bind(1, id.rawValue)
        defer { row.reset() }
        guard (try? row.step()) == true else { return nil }
        return Event(isPending: row.integer(0) != 0, isFileTaken: row.integer(1) != 0)
    }

    mutating func sessions() -> [(owner: String, identifier: String, highestTask: Int64)] {
        rows("SELECT owner, identifier, highest_task FROM sessions NOT INDEXED", "sessions") { row in
            (owner: row.text(0), identifier: row.text(1), highestTask: row.integer(2))
        }
    }

    /// The sessions whose apps have received all ends.
    mutating func announcedSessions() -> [SessionName] {
        rows("SELECT owner, identifier FROM sessions NOT INDEXED WHERE announced = 1", "sessions") { row in
            SessionName(app: row.text(0), identifier: row.text(1))
        }
    }

    mutating func apps() -> [AppRegistration] {
        let coder = coder
        return rows("SELECT registration, id FROM apps", "apps") { row in
            coder.app(row.text(1), registration: row.data(0))
        }
    }

    /// The apps' stories, oldest first.
    mutating func appEntries() -> [(app: String, entry: AppEntry)] {
        let decoder = ForeignJSON.storeDecoder()
        return rows("SELECT app, entry FROM app_entries ORDER BY number", "stories of apps") { row in
            (try? decoder.decode(AppEntry.self, from: row.data(1))).map { (app: row.text(0), entry: $0) }
        }
    }

    mutating func journals() -> [StoredJournal] {
        rows("SELECT name, owner, sequence FROM journals", "journals") { row in
            StoredJournal(name: row.text(0), owner: row.text(1), sequence: UInt64(clamping: row.integer(2)))
        }
    }

    mutating func accounts() -> [StoredAccount] {
        let decoder = ForeignJSON.storeDecoder()
        return rows("SELECT \(AccountScan.columns) FROM accounts", "accounts") { row in
            AccountScan.account(from: row, decoder)
        }
    }

    mutating func notifications() -> (standings: [NotificationStanding], records: [NotificationRecord]) {
        let decoder = ForeignJSON.storeDecoder()
        let standings = rows(NotificationScan.standings, "notifications") { row in
            NotificationScan.standing(from: row, decoder)
        }
        let records = rows(NotificationScan.records, "notifications") { row in
            NotificationScan.record(from: row, decoder)
        }
        return (standings, records)
    }

    /// The rows up to the first that SQLite cannot read, except those with unusable content.
    private mutating func rows<Value>(
        _ sql: String,
        _ kind: String,
        _ value: (SQLiteStatement) -> Value?
    ) -> [Value] {
        var values: [Value] = []
        var isWhole = true
        do throws(SQLiteError) {
            let statement = try old.statement(sql)
            defer { statement.reset() }
            while try statement.step() {
                if let known = value(statement) { values.append(known) } else { isWhole = false }
            }
        } catch {
            // A store of an older schema has no such table, so nothing is lost.
            if error.isDamage { isWhole = false }
        }
        if !isWhole, !unread.contains(kind) { unread.append(kind) }
        return values
    }
}
