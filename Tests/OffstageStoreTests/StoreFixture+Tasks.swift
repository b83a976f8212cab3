// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore

extension StoreFixture {
    /// A request that differs from those of other numbers.
    static func request(
        _ number: UInt64,
        _ identifier: String = "org.example.photos.tidy",
        app: String = StoreFixture.app,
        kind: TaskRequest.Kind = .processing
    ) -> TaskRequest {
        var submitted = now
        submitted.wall += Double(number) / 3
        submitted.uptime += Double(number) / 3
        return TaskRequest(
            number: number,
            app: app,
            identifier: identifier,
            kind: kind,
            earliestBegin: number.isMultiple(of: 2) ? submitted.wall + 0.1 : nil,
            requiresNetwork: number.isMultiple(of: 3),
            requiresExternalPower: number.isMultiple(of: 5),
            title: kind == .continued ? "Größe \(number)" : "",
            subtitle: kind == .continued ? "\(number) %" : "",
            submitted: submitted
        )
    }

    /// An entry that differs from those of other numbers.
    static func taskEntry(
        _ number: UInt64,
        _ identifier: String = "org.example.photos.tidy",
        app: String = StoreFixture.app,
        outcome: TaskEntry.Outcome = .cancelled
    ) -> TaskEntry {
        TaskEntry(
            number: number,
            app: app,
            identifier: identifier,
            kind: .processing,
            date: now.wall + Double(number) / 3,
            outcome: outcome
        )
    }
}

extension SQLiteStore {
    func taskRecords() throws -> [TaskRecord] {
        var records: [TaskRecord] = []
        try forEachTask { records.append($0) }
        return records
    }

    func allTaskEntries() async throws -> [TaskEntry] {
        try await taskEntries(app: nil, identifier: nil, limit: 10_000)
    }
}
