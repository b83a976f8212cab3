// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

/// Deferred work after a crash: the files are copied as they are on the disk at some instruction, and opened again.
@Suite struct TaskCrashTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private struct Standing: Equatable {
        var records: [TaskRecord]
        var history: [TaskEntry]
        var next: UInt64

        init(_ store: SQLiteStore) async throws {
            records = try store.taskRecords()
            history = try await store.allTaskEntries()
            next = try store.nextTaskNumber()
        }
    }

    /// The life of a few requests, commit by commit; each end is one commit of two changes.
    private func commits() -> [[TaskChange]] {
        let since = StoreFixture.now
        var commits: [[TaskChange]] = []
        for number in 1...6 as ClosedRange<UInt64> {
            commits.append([.insert(StoreFixture.request(number, "id \(number % 3)"))])
            commits.append([.setPhase(number, .starting(since: since), attempts: 0)])
            commits.append([.setPhase(number, .running(since: since), attempts: 0)])
            // The handler submits the next one before it ends.
            commits.append([.insert(StoreFixture.request(number + 100, "id \(number % 3)"))])
            let end = TaskEntry.Outcome.ended(.completed(success: true), started: since.wall, seconds: Double(number))
            commits.append([.delete(number), .append(StoreFixture.taskEntry(number, "id \(number % 3)", outcome: end))])
        }
        return commits
    }

    @Test func `whatever was committed is there after a kill, and what was not is not`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        for changes in commits() {
            try await store.commit(tasks: changes)
            let copy = try fixture.crashed()
            defer { withExtendedLifetime(copy) {} }
            let after = try SQLiteStore.open(path: copy.path).store
            defer { after.close() }
            #expect(try await Standing(after) == Standing(store))
        }
    }

    @Test func `a log that was cut off anywhere leaves whole commits`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try fixture.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        var states = [try await Standing(store)]
        for changes in commits() {
            try await store.commit(tasks: changes)
            states.append(try await Standing(store))
        }
        let length = fixture.size("-wal")
        let frame = 4096 + 24
        var reached = 0
        for cut in stride(from: 32, through: length, by: frame).flatMap({ [$0, $0 + 1500] }) where cut <= length {
            let copy = try fixture.crashed(logLength: cut)
            defer { withExtendedLifetime(copy) {} }
            let after = try SQLiteStore.open(path: copy.path).store
            let found = try await Standing(after)
            after.close()
            // The longer the log, the later the state.
            let index = states[reached...].firstIndex(of: found)
            #expect(index != nil, "cut at \(cut): \(found)")
            reached = index ?? reached
        }
        #expect(reached == states.count - 1)
    }
}
