// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Copies deferred work to a new store, request by request: a damaged page costs only the rows on it.
struct TaskSalvage {
    /// The number of copied requests.
    private(set) var saved = 0
    /// The number of unreadable requests, as far as known.
    private(set) var lost = 0

    private let old: SQLiteConnection
    /// Consecutive numbers to try after the last known one: the highest number ever used may be millions further.
    private static let reach: Int64 = 100_000
    /// How far numbers are moved on if the highest number ever used is unknown.
    private static let gap: Int64 = 1000

    init(_ old: SQLiteConnection) {
        self.old = old
    }

    mutating func carry(to table: TaskTable) throws(SQLiteError) {
        let noted = number("SELECT seq FROM sqlite_sequence WHERE name = 'tasks'")
            .flatMap { (0...TransferID.greatest).contains($0) ? $0 : nil }
        var missing = indexed()
        let seen = max(
            number("SELECT MAX(number) FROM tasks NOT INDEXED WHERE number <= \(TransferID.greatest)") ?? 0,
            missing.max() ?? 0
        )
        let highest = max(noted ?? 0, seen)
        // If the rows on a damaged page cannot be counted, their indexes may still list them.
        var candidates = missing.sorted()[...]
        var next: Int64 = 1
        var lastFound: Int64 = 0
        var scan = TaskScan()
        while next <= min(highest, lastFound + Self.reach) {
            switch read(from: next, &scan) {
            case .end: next = .max
            case .unreadable:
                candidates = candidates.drop { $0 <= next }
                if let known = candidates.first { (lastFound, next) = (known, known) } else { next += 1 }
            case .useless(let number):
                missing.remove(number)
                lost += 1
                (lastFound, next) = (number, number + 1)
            case .task(let record):
                let number = Int64(clamping: record.request.number)
                missing.remove(number)
                (lastFound, next) = (number, number + 1)
                try insert(record, into: table)
            }
        }
        lost += missing.count
        for entry in entries() { try table.apply(.append(entry)) }
        for use in budgets() { try table.apply(.setBudget(use)) }
        if highest > 0 {
            try table.raiseHighestNumber(to: noted == nil ? min(highest + Self.gap, TransferID.greatest) : highest)
        }
    }

    private mutating func insert(_ record: TaskRecord, into table: TaskTable) throws(SQLiteError) {
        do throws(SQLiteError) {
            try table.insert(record)
            saved += 1
        } catch {
            // A contradictory request is lost; a full disk ends the salvage.
            guard error.isRequestFault else { throw error }
            lost += 1
        }
    }

    private enum Finding {
        case task(TaskRecord)
        case useless(Int64)
        case unreadable
        case end
    }

    private func read(from start: Int64, _ scan: inout TaskScan) -> Finding {
        do throws(SQLiteError) {
            let row = try old.statement(
                "SELECT \(TaskScan.columns) FROM tasks NOT INDEXED WHERE number BETWEEN ?1 AND ?2 ORDER BY number LIMIT 1"
            )
            row.bind(1, start)
            row.bind(2, TransferID.greatest)
            defer { row.reset() }
            guard try row.step() else { return .end }
            return scan.record(from: row).map(Finding.task) ?? .useless(max(start, row.integer(0)))
        } catch {
            return .unreadable
        }
    }

    /// The numbers of requests in the indexes, which may survive the rows.
    private func indexed() -> Set<Int64> {
        var numbers: Set<Int64> = []
        for sql in [
            "SELECT number FROM tasks INDEXED BY tasks_pending WHERE phase = 0 ORDER BY app, identifier",
            "SELECT number FROM tasks INDEXED BY tasks_begun WHERE phase <> 0 ORDER BY app, number",
        ] {
            guard let row = try? old.statement(sql) else { continue }
            defer { row.reset() }
            while (try? row.step()) == true {
                let number = row.integer(0)
                if (1...TransferID.greatest).contains(number) { numbers.insert(number) }
            }
        }
        return numbers
    }

    /// The entries, oldest first, up to the first unreadable one.
    private func entries() -> [TaskEntry] {
        let decoder = ForeignJSON.storeDecoder()
        guard let row = try? old.statement("SELECT entry FROM task_entries NOT INDEXED ORDER BY id") else { return [] }
        defer { row.reset() }
        var entries: [TaskEntry] = []
        while (try? row.step()) == true {
            if let entry = try? decoder.decode(TaskEntry.self, from: row.data(0)) { entries.append(entry) }
        }
        return entries
    }

    /// The budgets up to the first unreadable one: an app without a row starts with its full time.
    private func budgets() -> [TaskBudgetUse] {
        guard let row = try? old.statement(TaskScan.budgets) else { return [] }
        defer { row.reset() }
        var uses: [TaskBudgetUse] = []
        while (try? row.step()) == true {
            if let use = TaskScan.budget(from: row) { uses.append(use) }
        }
        return uses
    }

    /// Nil if it is missing or cannot be read.
    private func number(_ sql: String) -> Int64? { (try? old.integer(sql)) ?? nil }
}
