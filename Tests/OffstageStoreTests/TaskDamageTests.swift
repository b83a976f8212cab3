// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

@Suite struct TaskDamageTests {
    let fixture: StoreFixture
    let app = StoreFixture.app

    init() throws { fixture = try StoreFixture() }

    /// Large enough that their rows fill several pages.
    private let count: UInt64 = 200

    /// Stores 200 requests, two of which have begun and one of which is gone, a history, and a transfer.
    private func fill() async throws -> [TaskRecord] {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try await store.commit([.insert(try fixture.task(1))])
        try await store.commit(tasks: (1...count).map { .insert(StoreFixture.request($0, "org.example.id.\($0)")) })
        try await store.commit(tasks: [
            .setPhase(5, .running(since: StoreFixture.now), attempts: 2),
            .setPhase(6, .starting(since: StoreFixture.now), attempts: 0),
            .insert(StoreFixture.request(5000, "gone")), .delete(5000),
        ])
        try await store.commit(tasks: (1...30).map { .append(StoreFixture.taskEntry($0, "org.example.id.\($0 % 2)")) })
        return try store.taskRecords()
    }

    private func page(of name: String) throws -> Int {
        let found = try fixture.sql("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'")
        return try #require(found.first.flatMap { Int($0) })
    }

    private func destroy(_ name: String) throws {
        try fixture.overwrite(at: (try page(of: name) - 1) * 4096, count: 4096)
    }

    @Test(arguments: ["tasks_pending", "tasks_begun", "task_entries_by_identifier", "transfers_by_task"])
    func `damage elsewhere costs no request and no history`(name: String) async throws {
        let records = try await fill()
        try destroy(name)
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(opened.notices.count == 1)
        #expect(opened.notices.first?.contains("deferred") == false)
        #expect(try opened.store.taskRecords() == records)
        #expect(try opened.store.nextTaskNumber() == 5001)
        let history = try await opened.store.allTaskEntries()
        #expect(history.compactMap(\.number) == (1...30).reversed())
        #expect(try opened.store.unfinished().count == 1)
    }

    @Test func `damage to one page of requests costs those, and a sentence counts them`() async throws {
        let records = try await fill()
        // The second leaf of the table, as listed in its root.
        let root = try page(of: "tasks")
        let file = try Data(contentsOf: URL(filePath: fixture.path))
        let node = file[((root - 1) * 4096)...]
        let pointer = node.startIndex + 12 + 2
        let cell = node.startIndex + Int(node[pointer]) << 8 + Int(node[pointer + 1])
        let leaf = node[cell..<cell + 4].reduce(0) { $0 << 8 + Int($1) }
        try fixture.overwrite(at: (leaf - 1) * 4096, count: 4096)
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        let left = try opened.store.taskRecords()
        let lost = records.count - left.count
        #expect((1...60).contains(lost))
        #expect(left.first == records.first && left.last == records.last)
        #expect(Set(left).isSubset(of: records))
        let sentence = "; \(left.count) requests for deferred work could be read, \(lost) could not"
        #expect(opened.notices.first?.contains(sentence) == true, "\(opened.notices)")
        #expect(try opened.store.nextTaskNumber() == 5001)
        try await opened.store.commit(tasks: [.insert(StoreFixture.request(5001))])
    }

    @Test(arguments: ["tasks", "task_entries", "sqlite_sequence"])
    func `damage to deferred work costs nothing else, and no number is given again`(name: String) async throws {
        let records = try await fill()
        try destroy(name)
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(try opened.store.unfinished().count == 1)
        #expect(try opened.store.taskRecords() == (name == "tasks" ? [] : records))
        #expect(try await opened.store.allTaskEntries().isEmpty == (name == "task_entries"))
        let next = try opened.store.nextTaskNumber()
        #expect(name == "sqlite_sequence" ? next > count : next == 5001)
        #expect(opened.notices.first?.contains("\(count) could not and have to be submitted") == (name == "tasks"))
        try await opened.store.commit(tasks: [
            .insert(StoreFixture.request(next)), .append(StoreFixture.taskEntry(next)),
        ])
    }

    @Test func `a row that makes no sense is left out and told`() async throws {
        let records = try await fill()
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try fixture.sql("PRAGMA ignore_check_constraints = ON; UPDATE tasks SET kind = 'rest' WHERE number IN (7, 9)")
        #expect(try store.taskRecords() == records.filter { ![7, 9].contains($0.request.number) })
        #expect(store.notices.count == 1)
        #expect(store.notices.first?.hasPrefix("2 requests for deferred work in the store") == true)
    }

    @Test func `a row that makes no sense counts among the lost when a store is repaired`() async throws {
        let records = try await fill()
        try fixture.sql("PRAGMA ignore_check_constraints = ON; UPDATE tasks SET kind = 'rest' WHERE number IN (7, 9)")
        try destroy("task_entries_by_identifier")
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(try opened.store.taskRecords() == records.filter { ![7, 9].contains($0.request.number) })
        #expect(opened.notices.first?.contains(", 2 could not and have to be submitted") == true, "\(opened.notices)")
    }

    @Test func `a repair does not try every number that was ever given`() async throws {
        _ = try await fill()
        let store = try SQLiteStore.open(path: fixture.path).store
        try await store.commit(tasks: [
            .insert(StoreFixture.request(50_000_000, "last")), .delete(50_000_000),
            .setBudget(TaskBudgetUse(app: "a", used: 7, typicalSeconds: nil, moment: StoreFixture.now)),
        ])
        store.close()
        try destroy("tasks")
        let opened = try SQLiteStore.open(path: fixture.path)
        defer { opened.store.close() }
        #expect(try opened.store.nextTaskNumber() == 50_000_001)
        #expect(try opened.store.taskBudgets().map(\.used) == [7])
    }
}
