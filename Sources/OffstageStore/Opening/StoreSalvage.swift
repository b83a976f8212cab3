// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import OffstageCore

/// Carries over to a new store, transfer by transfer, what can still be read of a damaged one.
///
/// Only records are read: each holds its whole transfer, so that damage to the other table and to indexes costs nothing.
struct StoreSalvage {
    /// Transfers that were carried over.
    private(set) var saved = 0
    /// Transfers that were there and could not be read, as far as that can be told.
    private(set) var lost = 0

    /// How many ids in a row are tried past the last that could be read, where a damaged page hides how many it held.
    private static let reach: Int64 = 100_000
    /// How far ids are moved on when the highest there ever was is not known any more.
    private static let gap: Int64 = 1000

    /// Makes the new store and closes it, whole and synced, with no log beside it.
    ///
    /// - Parameters:
    ///   - path: the damaged file; its log is read too, and neither is changed on purpose.
    ///   - newPath: an empty file.
    /// - Throws: the error of writing the new store; what cannot be read of the old one is none.
    init(from path: String, to newPath: String) throws(StoreError) {
        do throws(SQLiteError) {
            let new = try StoreOpening.connect(newPath)
            defer { new.close() }
            _ = try new.text("PRAGMA journal_mode = WAL")
            try Migration.migrate(new)
            // What is damaged beyond opening leaves an empty store.
            if let old = try? Self.openDamaged(path) {
                defer { old.close() }
                try carry(from: old, to: new)
            }
            try new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            throw error.storeError(path: newPath)
        }
    }

    /// The sentence about what has been done.
    func notice(path: String, aside: String) -> String {
        let what =
            switch (saved, lost) {
            case (0, 0): "no transfer could be read from it, so the store begins empty"
            case (_, 0): "all \(saved) transfers that it held could be read and go on"
            default: "\(saved) transfers could be read and go on, \(lost) could not and have to be handed over again"
            }
        return "The store \(path) was damaged: \(what). The damaged file was kept as \(aside)."
    }

    private static func openDamaged(_ path: String) throws(SQLiteError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path)
        do throws(SQLiteError) {
            // Reads a file that is shorter than it says, and a schema with errors in it.
            try connection.execute("PRAGMA writable_schema = ON; PRAGMA cell_size_check = ON; PRAGMA cache_size = -256")
            _ = try connection.integer("SELECT MAX(id) FROM records WHERE id < 0")
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    private mutating func carry(from old: SQLiteConnection, to new: SQLiteConnection) throws(SQLiteError) {
        let table = TransferTable(new)
        let decoder = JSONDecoder()
        let known = Self.highestKnown(old)
        var next: Int64 = 1
        var lastFound: Int64 = 0
        try new.execute("BEGIN IMMEDIATE")
        while next <= max(known.id, lastFound + (known.isCertain ? 0 : Self.reach)) {
            switch Self.read(from: next, old, decoder: decoder) {
            case .end: next = .max
            case .transfer(let transfer):
                lastFound = transfer.id.rawValue
                next = lastFound + 1
                do throws(SQLiteError) {
                    try table.insert(transfer)
                    saved += 1
                } catch {
                    // One that contradicts itself is lost; a full disk ends the salvage.
                    guard error.isRequestFault else { throw error }
                    lost += 1
                }
            case .useless(let id):
                lastFound = id
                next = id + 1
                lost += 1
            case .unreadable:
                // Whether there was a transfer with this id, the other table may know.
                if Self.isKnown(next, old) { lost += 1 }
                next += 1
            }
        }
        if let token = try? old.text("SELECT value FROM meta WHERE key = 'store_token'"), token.utf8.count == 8 {
            let meta = try new.statement("UPDATE meta SET value = ?1 WHERE key = 'store_token'")
            meta.bind(1, token)
            try meta.run()
        }
        try table.setHighestID(known.isCertain ? max(known.id, lastFound) : max(known.id, lastFound) + Self.gap)
        try new.execute("COMMIT")
    }

    /// What an attempt to read the next record came to.
    private enum Finding {
        case transfer(Transfer)
        /// A record is there, and its content is no use.
        case useless(id: Int64)
        /// The page that the next record would be on is damaged.
        case unreadable
        /// No records follow.
        case end
    }

    /// Reads the first record with an id of at least `start`.
    private static func read(from start: Int64, _ old: SQLiteConnection, decoder: JSONDecoder) -> Finding {
        do throws(SQLiteError) {
            let first = try old.statement("SELECT id FROM records WHERE id >= ?1 ORDER BY id LIMIT 1")
            first.bind(1, start)
            defer { first.reset() }
            guard try first.step() else { return .end }
            let id = first.integer(0)
            do throws(SQLiteError) {
                guard let transfer = try old.transfer(id, decoder: decoder) else { return .useless(id: id) }
                return .transfer(transfer)
            } catch {
                return .useless(id: id)
            }
        } catch {
            return .unreadable
        }
    }

    private static func isKnown(_ id: Int64, _ old: SQLiteConnection) -> Bool {
        guard let row = try? old.statement("SELECT 1 FROM transfers WHERE id = ?1") else { return false }
        row.bind(1, id)
        defer { row.reset() }
        return (try? row.step()) ?? false
    }

    /// The highest id that the store's notes or any of its tables and indexes still tell.
    private static func highestKnown(_ old: SQLiteConnection) -> (id: Int64, isCertain: Bool) {
        let note = (try? old.text("SELECT value FROM meta WHERE key = 'highest_id'")) ?? nil
        let noted = note.flatMap { Int64($0) }
        let seen = ["SELECT MAX(id) FROM records", "SELECT MAX(id) FROM transfers NOT INDEXED"]
            .compactMap { (try? old.integer($0)) ?? nil }
        return (max(noted ?? 0, seen.max() ?? 0), noted != nil)
    }
}
