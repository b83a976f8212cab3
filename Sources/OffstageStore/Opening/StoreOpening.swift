// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import Glibc
import OffstageCore

/// All steps from a path to two connections to a sound store of the current schema.
///
/// These files are checked completely before use: small ones, any file at the first start in a boot (power losses are
/// what damages files), and files with known damage. Other large files are checked while they are in use, because a
/// hundred thousand transfers would otherwise wait for the check.
struct StoreOpening {
    let writing: SQLiteConnection
    let reading: SQLiteConnection
    let highestID: Int64
    let token: String
    /// Greater than every number of a span.
    let nextSpan: Int64
    let notices: [String]
    let wantsBackgroundCheck: Bool

    /// Files up to this size, in bytes, are checked at every start, which takes up to about 40 ms.
    static let alwaysCheckedSize: Int64 = 16 << 20

    /// - Parameters:
    ///   - path: the file, absolute.
    ///   - coder: reads the records of a damaged store.
    /// - Throws: every case of `StoreError`.
    init(path: String, coder: RecordCoder) throws(StoreError) {
        let file = StoreFile(path: path)
        try file.makeFolder()
        try Self.finishSalvage(file)
        try file.makeFile(path)
        try file.checkOwner()
        var notices: [String] = []
        do throws(SQLiteError) {
            let sound: Sound
            do throws(SQLiteError) {
                sound = try Sound(file)
            } catch {
                guard error.isDamage else { throw error }
                notices.append(try Self.replace(file, coder))
                sound = try Sound(file)
            }
            writing = sound.connection
            token = sound.token
            highestID = sound.highestID
            wantsBackgroundCheck = !sound.isChecked
            nextSpan = sound.nextSpan
            reading = try Self.connect(path)
            try reading.execute("PRAGMA query_only = ON")
        } catch {
            throw Self.future(error, path: path) ?? error.storeError(path: path)
        }
        self.notices = notices
    }

    /// Opens a connection with the store's settings.
    ///
    /// The cache is small, because nothing is read twice, and there is no mapping: an idle daemon stays small.
    static func connect(_ path: String) throws(SQLiteError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path)
        try connection.harden()
        try connection.execute(
            """
            PRAGMA cell_size_check = ON;
            PRAGMA secure_delete = ON;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA cache_size = -256;
            PRAGMA mmap_size = 0;
            PRAGMA journal_size_limit = 4194304;
            """
        )
        return connection
    }

    /// Checks the whole file.
    ///
    /// - Throws: `SQLITE_CORRUPT` with the first finding.
    static func check(_ connection: SQLiteConnection) throws(SQLiteError) {
        let finding = try connection.text("PRAGMA quick_check(1)") ?? "ok"
        guard finding == "ok" else { throw SQLiteError(code: SQLITE_CORRUPT, message: finding) }
    }

    /// Whether a text is a valid store token, which becomes part of file names.
    static func isToken(_ text: String) -> Bool {
        text.utf8.count == 8
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (97...102).contains($0) }
    }

    /// A code outside SQLite's range, for a schema that this build does not know; the message is its number.
    fileprivate static let futureSchema: Int32 = 0xFF

    private static func future(_ error: SQLiteError, path: String) -> StoreError? {
        guard error.code == futureSchema else { return nil }
        return .fromTheFuture(path: path, version: Int(error.message) ?? 0, known: Migration.latest)
    }

    /// Continues an interrupted salvage.
    private static func finishSalvage(_ file: StoreFile) throws(StoreError) {
        file.remove(file.salvage)
        guard file.exists(file.salvaged) else { return }
        if file.exists(file.path) {
            // The damaged file has not been set aside yet, so it will be salvaged again.
            file.remove(file.salvaged)
        } else {
            // The companions of the missing file belonged to the damaged one.
            file.remove(file.path)
            try file.move(file.salvaged, to: file.path)
            file.syncFolder()
        }
    }

    /// Sets a damaged store aside and replaces it with a new one that contains all readable data.
    ///
    /// - Returns: the notice about it.
    private static func replace(_ file: StoreFile, _ coder: RecordCoder) throws(SQLiteError) -> String {
        do throws(StoreError) {
            try file.makeFile(file.salvage)
            let salvage = try StoreSalvage(from: file.path, to: file.salvage, coder: coder)
            try file.move(file.salvage, to: file.salvaged)
            let aside = file.damagedPath()
            for companion in StoreFile.companions where file.exists(file.path + companion) {
                try file.move(file.path + companion, to: aside + companion)
            }
            try file.move(file.salvaged, to: file.path)
            unlink(StoreHealth.markPath(file.path))
            file.syncFolder()
            return salvage.notice(path: file.path, aside: aside)
        } catch {
            throw SQLiteError(code: SQLITE_CANTOPEN, message: "it is damaged and cannot be replaced: \(error.sentence)")
        }
    }
}

/// The writing connection to a store that has passed its checks, and the values read during them.
private struct Sound {
    let connection: SQLiteConnection
    let highestID: Int64
    let token: String
    /// Greater than every number of a span.
    let nextSpan: Int64
    /// Whether the whole file was checked.
    let isChecked: Bool

    init(_ file: StoreFile) throws(SQLiteError) {
        // SQLite treats a file shorter than its header as a new one.
        if let size = file.size, (1..<512).contains(size) {
            throw SQLiteError(code: SQLITE_NOTADB, message: "it is too short")
        }
        let connection = try StoreOpening.connect(file.path)
        let version = Int(try connection.integer("PRAGMA user_version") ?? 0)
        guard version >= 0 else { throw SQLiteError(code: SQLITE_CORRUPT, message: "its version makes no sense") }
        guard version <= Migration.latest else {
            throw SQLiteError(code: StoreOpening.futureSchema, message: String(version))
        }
        if connection.isReadOnly { throw SQLiteError(code: SQLITE_READONLY, message: "it is read-only") }
        _ = try connection.text("PRAGMA journal_mode = WAL")
        // Reports immediately, rather than at the first transfer, that another process holds the file or that it is not
        // writable.
        try connection.execute("BEGIN IMMEDIATE; ROLLBACK")

        let boot = Self.bootID()
        let mark = StoreHealth.markPath(file.path)
        let isSuspect = version == 0 ? false : try boot != Self.meta("checked_boot", connection)
        isChecked =
            version == 0 || isSuspect || file.exists(mark) || (file.size ?? 0) <= StoreOpening.alwaysCheckedSize
        if isChecked {
            try StoreOpening.check(connection)
            unlink(mark)
        }
        try SchemaCheck.run(connection)
        try Migration.migrate(connection)
        try Self.resetCounters(connection)
        if isChecked { try Tallies.correct(connection) }
        if version == 0 || isSuspect { try Self.remember(boot, connection) }

        guard let token = try Self.meta("store_token", connection), StoreOpening.isToken(token),
            let highest = try Self.meta("highest_id", connection).flatMap({ Int64($0) })
        else { throw SQLiteError(code: SQLITE_CORRUPT, message: "the store's own notes are missing") }
        self.token = token
        // Numbers that can only come from a damaged store would end the numbering.
        try connection.execute("DELETE FROM spans WHERE number > \(TransferID.greatest)")
        nextSpan = max(0, try connection.integer("SELECT MAX(number) FROM spans") ?? 0).addingClamped(1)
        let seen = try Self.highestID(connection)
        // An invalid note counts as missing.
        highestID = (0...TransferID.greatest - Self.room).contains(highest) ? max(highest, seen) : seen
        // The checks have read every table; later reads use few.
        connection.releasePages()
        self.connection = connection
    }

    /// The highest id, limited so that counting on from it never reaches the greatest possible id.
    private static func highestID(_ connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
        var limit = TransferID.greatest
        while limit > room {
            let seen = try connection.integer("SELECT MAX(id) FROM transfers WHERE id <= \(limit)") ?? 0
            if seen <= limit - room { return seen }
            limit /= 2
        }
        return 0
    }

    private static let room: Int64 = 1_000_000

    /// After the greatest number SQLite runs out of numbers, and insertions would fail.
    private static func resetCounters(_ connection: SQLiteConnection) throws(SQLiteError) {
        let greatest = TransferID.greatest
        let worn = try connection.integer("SELECT 1 FROM sqlite_sequence WHERE seq > \(greatest) LIMIT 1")
        guard worn != nil else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            for (table, key) in [("app_entries", "number"), ("task_entries", "id"), ("tasks", "number")] {
                try connection.execute(
                    """
                    DELETE FROM \(table) WHERE \(key) > \(greatest);
                    UPDATE sqlite_sequence SET seq = (SELECT IFNULL(MAX(\(key)), 0) FROM \(table))
                        WHERE name = '\(table)' AND seq > \(greatest);
                    """
                )
            }
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    private static func meta(_ key: String, _ connection: SQLiteConnection) throws(SQLiteError) -> String? {
        try connection.text("SELECT value FROM meta WHERE key = '\(key)'")
    }

    /// Records that the file passed the check in this boot. A full disk does not prevent the start.
    private static func remember(_ boot: String, _ connection: SQLiteConnection) throws(SQLiteError) {
        do throws(SQLiteError) {
            let meta = try connection.statement("INSERT OR REPLACE INTO meta VALUES ('checked_boot', ?1)")
            meta.bind(1, boot)
            try meta.run()
        } catch {
            guard error.code == SQLITE_FULL else { throw error }
        }
    }

    private static func bootID() -> String {
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "re") else { return "" }
        defer { fclose(file) }
        var line = [UInt8](repeating: 0, count: 64)
        let count = fread(&line, 1, line.count, file)
        return String(decoding: line[..<count].prefix(36), as: UTF8.self)
    }
}
