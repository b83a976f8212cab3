// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Glibc
import OffstageCore

/// Copies everything still readable in a damaged store to a new one, transfer by transfer.
///
/// Transfers are read only from `records`: each row holds a whole transfer, so damage to the other table and to indexes
/// costs none. The other table records what an app has received; if it is unreadable, the app receives it again.
struct StoreSalvage {
    /// The number of copied transfers.
    private(set) var saved = 0
    /// The number of unreadable transfers, as far as known.
    private(set) var lost = 0
    /// Requests for deferred work: the copied and the lost ones.
    private(set) var tasks = (saved: 0, lost: 0)
    /// The other kinds of rows of which some could not be read.
    private(set) var unread: [String] = []

    /// Consecutive ids to try after the last readable one, because a damaged page hides how many it held.
    private static let reach: Int64 = 100_000
    /// The most consecutive ids to try, whatever the store's own records say.
    private static let longestGap: Int64 = 1_000_000
    /// How far ids are moved on if the highest id ever used is unknown.
    private static let gap: Int64 = 1000

    /// Makes the new store and closes it, complete and synced, without a log file.
    ///
    /// - Parameters:
    ///   - path: the damaged file; its log is read too, and neither is changed on purpose.
    ///   - newPath: an empty file.
    ///   - coder: reads the records; an unreadable record counts as lost.
    /// - Throws: the error of writing the new store, or of the machine while the old one was read: its contents are
    ///   unknown then, and the next start tries again. Damage is no error.
    init(from path: String, to newPath: String, coder: RecordCoder) throws(StoreError) {
        do throws(SQLiteError) {
            let new = try StoreOpening.connect(newPath)
            defer { new.close() }
            _ = try new.text("PRAGMA journal_mode = WAL")
            try Migration.migrate(new)
            if let old = try Self.openDamaged(path) {
                defer { old.close() }
                try carry(from: old, to: new, coder)
                if let trouble = old.trouble { throw trouble.meaning(trouble.storeError(path: path)) }
            }
            try new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            throw error.storeError(path: newPath)
        }
    }

    /// The notice about the salvage.
    func notice(path: String, aside: String) -> String {
        let what =
            switch (saved, lost) {
            case (0, 0): "no transfer could be read from it, so the store begins empty"
            case (_, 0): "all \(saved) transfers in it could be read and continue"
            default: "\(saved) transfers could be read and continue, \(lost) could not and have to be handed over again"
            }
        let notice = "The store \(path) was damaged: \(what)\(taskNotice)\(restNotice)."
        return "\(notice) The damaged file was kept as \(aside)."
    }

    private var restNotice: String {
        guard let last = unread.last else { return "" }
        let others = unread.dropLast().joined(separator: ", ")
        return "; not all \(others.isEmpty ? last : "\(others) and \(last)") could be read"
    }

    private var taskNotice: String {
        if tasks.lost == 0 { return "" }
        let requests = tasks.saved == 1 ? "1 request" : "\(tasks.saved) requests"
        return "; \(requests) for deferred work could be read, \(tasks.lost) could not and have to be submitted again"
    }

    /// - Returns: nil if the file is too damaged to be opened, which leaves an empty store.
    private static func openDamaged(_ path: String) throws(SQLiteError) -> SQLiteConnection? {
        if let connection = try open(path, isLenient: false) { return connection }
        // When SQLite ignores errors in the schema, it also ignores disk errors.
        for name in [path, path + "-wal"] {
            guard let code = unreadable(name) else { continue }
            let error = SQLiteError(code: SQLITE_IOERR, message: "it cannot be read", systemError: code)
            throw error.meaning(error.storeError(path: path))
        }
        return try open(path, isLenient: true)
    }

    /// - Returns: nil if the file is too damaged to be opened in this way.
    private static func open(_ path: String, isLenient: Bool) throws(SQLiteError) -> SQLiteConnection? {
        var opened: SQLiteConnection?
        do throws(SQLiteError) {
            let connection = try SQLiteConnection(path: path)
            opened = connection
            // Reads truncated files, and schemas with errors.
            if isLenient { try connection.execute("PRAGMA writable_schema = ON") }
            try connection.execute("PRAGMA cell_size_check = ON; PRAGMA cache_size = -256")
            // From here on, views and other parts of a foreign schema have no effect.
            try connection.harden(isDefensive: false)
            _ = try connection.integer("SELECT MAX(id) FROM records WHERE id < 0")
            return connection
        } catch {
            opened?.close()
            guard error.isTrouble else { return nil }
            throw error.meaning(error.storeError(path: path))
        }
    }

    /// - Returns: the number of the error that prevents reading a file to its end; nil if there is no error, or no
    ///   file.
    private static func unreadable(_ path: String) -> Int32? {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return errno == ENOENT ? nil : errno }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
            while true {
                let count = read(file, buffer.baseAddress, buffer.count)
                if count == 0 { return nil }
                if count < 0, errno != EINTR { return errno }
            }
        }
    }

    private mutating func carry(
        from old: SQLiteConnection,
        to new: SQLiteConnection,
        _ coder: RecordCoder
    ) throws(SQLiteError) {
        let sessions = SessionTable(new)
        let table = TransferTable(new, sessions: sessions, coder: coder)
        var reader = SalvageReader(old, coder)
        let known = Self.highestKnown(old)
        var next: Int64 = 1
        var lastFound: Int64 = 0
        try new.execute("BEGIN IMMEDIATE")
        for session in reader.sessions() {
            try sessions.raise(session.identifier, of: session.owner, to: session.highestTask)
        }
        try carryRest(&reader, to: new)
        var salvage = TaskSalvage(old)
        try salvage.carry(to: TaskTable(new))
        tasks = (salvage.saved, salvage.lost)
        while next <= max(known.id, lastFound + (known.isCertain ? 0 : Self.reach)) {
            switch reader.read(from: next) {
            case .end: next = .max
            case .transfer(let transfer, let encodedSpec):
                lastFound = transfer.id.rawValue
                next = lastFound + 1
                let event = transfer.isFinished ? reader.event(of: transfer.id) : nil
                let isSaved = try insert(transfer, encodedSpec, event, into: table, sessions, of: new)
                // A contradictory transfer is lost.
                if isSaved { saved += 1 } else { lost += 1 }
            case .useless(let id):
                lastFound = id
                next = id + 1
                lost += 1
            case .unreadable:
                // A page does not hold more, and the recorded highest id may be damaged, too.
                guard next - lastFound <= Self.longestGap else {
                    next = .max
                    continue
                }
                // The other table may know whether there was a transfer with this id.
                if reader.isKnown(next) { lost += 1 }
                next += 1
            }
        }
        if let token = try? old.text("SELECT value FROM meta WHERE key = 'store_token'"),
            StoreOpening.isToken(token)
        {
            let meta = try new.statement("UPDATE meta SET value = ?1 WHERE key = 'store_token'")
            meta.bind(1, token)
            try meta.run()
        }
        let highest = max(known.id, lastFound)
        try table.setHighestID(known.isCertain ? highest : min(highest + Self.gap, TransferID.greatest))
        try sessions.write()
        for session in reader.announcedSessions() { try AppTable(new).recordAnnounced(session) }
        unread = reader.unread
        try new.execute("COMMIT")
    }

    /// Copies everything that transfers do not depend on: journals, apps and their stories, accounts, notifications.
    private func carryRest(_ reader: inout SalvageReader, to new: SQLiteConnection) throws(SQLiteError) {
        for journal in reader.journals() {
            do throws(SQLiteError) {
                let sequence = Int64(clamping: journal.sequence)
                try JournalTable(new).insert(journal.name, owner: journal.owner, sequence: sequence)
            } catch {
                // Damage can duplicate a row.
                guard error.isRequestFault else { throw error }
            }
        }
        let apps = AppTable(new)
        for app in reader.apps() { try apps.put(app) }
        for (app, entry) in reader.appEntries() { try apps.append(entry, to: app) }
        let accounts = AccountTable(new)
        for account in reader.accounts() { try accounts.apply(.put(account)) }
        let (notifications, table) = (reader.notifications(), NotificationTable(new))
        for standing in notifications.standings { try table.apply(.putStanding(standing)) }
        for record in notifications.records { try table.apply(.put(record)) }
    }

    /// - Returns: false if the transfer contradicts existing rows.
    /// - Throws: any other error, such as a full disk, which ends the salvage.
    private func insert(
        _ transfer: Transfer,
        _ encodedSpec: [UInt8]?,
        _ event: SalvageReader.Event?,
        into table: TransferTable,
        _ sessions: SessionTable,
        of new: SQLiteConnection
    ) throws(SQLiteError) -> Bool {
        if let key = transfer.spec.sessionTask {
            // Separately: other tasks share this row, and it is not undone with this task.
            let hasSession = try new.wholly { () throws(SQLiteError) in
                _ = try sessions.id(of: key, owner: transfer.spec.owner)
            }
            guard hasSession else { return false }
        }
        return try new.wholly { () throws(SQLiteError) in
            try table.insert(transfer, encodedSpec: encodedSpec)
            try restoreEvent(of: transfer, event, table)
        }
    }

    /// Restores what an app has received about an end; the insertion has marked it as not received.
    private func restoreEvent(
        of transfer: Transfer,
        _ event: SalvageReader.Event?,
        _ table: TransferTable
    ) throws(SQLiteError) {
        guard let event else { return }
        if event.isFileTaken { try table.recordFileTaken(transfer.id, owner: transfer.spec.owner) }
        if !event.isPending { try table.acknowledge(transfer.id, owner: transfer.spec.owner) }
    }

    /// The highest id in the store's records, tables and indexes, as far as they can be read.
    private static func highestKnown(_ old: SQLiteConnection) -> (id: Int64, isCertain: Bool) {
        let note = (try? old.text("SELECT value FROM meta WHERE key = 'highest_id'")) ?? nil
        let greatest = TransferID.greatest
        let noted = note.flatMap { Int64($0) }.flatMap { (0...greatest).contains($0) ? $0 : nil }
        let seen = [
            "SELECT MAX(id) FROM records WHERE id <= \(greatest)",
            "SELECT MAX(id) FROM transfers NOT INDEXED WHERE id <= \(greatest)",
        ]
        .compactMap { (try? old.integer($0)) ?? nil }
        return (max(noted ?? 0, seen.max() ?? 0), noted != nil)
    }
}
