// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Reads requests for deferred work from their rows. Equal apps and boots share one string each.
struct TaskScan {
    /// The columns for `record(from:)`, in order.
    static let columns = """
        number, app, identifier, kind, earliest, network, power, title, subtitle, submitted_wall, submitted_uptime,
        submitted_boot, phase, since_wall, since_uptime, since_boot, attempts
        """

    private var shared: Set<String> = []
    private var app = ""
    private var boot = ""

    /// The record of a row; nil if the row is invalid.
    mutating func record(from row: SQLiteStatement) -> TaskRecord? {
        guard (1...TransferID.greatest).contains(row.integer(0)), let kind = TaskRequest.Kind(rawValue: row.text(3)),
            !row.isNull(9)
        else { return nil }
        if let other = row.text(1, unlike: app) { app = shared.insert(other).memberAfterInsert }
        let request = TaskRequest(
            number: UInt64(row.integer(0)),
            app: app,
            identifier: row.text(2),
            kind: kind,
            earliestBegin: row.isNull(4) ? nil : Date(timeIntervalSinceReferenceDate: row.seconds(4)),
            requiresNetwork: row.integer(5) != 0,
            requiresExternalPower: row.integer(6) != 0,
            title: row.text(7),
            subtitle: row.text(8),
            submitted: moment(from: row, column: 9)
        )
        let phase: TaskRecord.Phase
        switch row.integer(12) {
        case 0: phase = .pending
        case 1 where !row.isNull(13): phase = .starting(since: moment(from: row, column: 13))
        case 2 where !row.isNull(13): phase = .running(since: moment(from: row, column: 13))
        default: return nil
        }
        return TaskRecord(request: request, phase: phase, attempts: Int(min(max(row.integer(16), 0), 1 << 31)))
    }

    /// The rows for `budget(from:)`.
    static let budgets = "SELECT app, used, typical, wall, uptime, boot FROM task_budgets"

    /// The budget of a row; nil if the row is invalid.
    static func budget(from row: SQLiteStatement) -> TaskBudgetUse? {
        let used = row.seconds(1)
        guard used >= 0 else { return nil }
        return TaskBudgetUse(
            app: row.text(0),
            used: used,
            typicalSeconds: row.isNull(2) ? nil : row.seconds(2),
            moment: Moment(
                wall: Date(timeIntervalSinceReferenceDate: row.seconds(3)),
                bootID: row.text(5),
                uptime: row.seconds(4)
            )
        )
    }

    /// The moment in three columns: wall clock, boot-time clock and boot.
    private mutating func moment(from row: SQLiteStatement, column: Int32) -> Moment {
        if let other = row.text(column + 2, unlike: boot) { boot = shared.insert(other).memberAfterInsert }
        return Moment(
            wall: Date(timeIntervalSinceReferenceDate: row.seconds(column)),
            bootID: boot,
            uptime: row.seconds(column + 1)
        )
    }
}
