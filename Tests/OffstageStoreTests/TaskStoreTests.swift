// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

@Suite struct TaskStoreTests {
    let fixture: StoreFixture
    let store: SQLiteStore
    let app = StoreFixture.app
    let begun = Moment(wall: StoreFixture.now.wall + 7.1, bootID: "boot-2", uptime: 0.3)

    init() throws {
        fixture = try StoreFixture()
        store = try SQLiteStore.open(path: fixture.path).store
    }

    @Test func `requests come back to the last bit, by number`() async throws {
        #expect(try store.taskRecords().isEmpty)
        #expect(try store.nextTaskNumber() == 1)
        var records: [TaskRecord] = []
        for (index, kind) in TaskRequest.Kind.allCases.enumerated() {
            let request = StoreFixture.request(UInt64(index + 28), "id \(index) „ü“", kind: kind)
            records.append(TaskRecord(request: request))
        }
        try await store.commit(tasks: records.reversed().map { .insert($0.request) })
        #expect(try store.taskRecords() == records)
        records[1].phase = .starting(since: begun)
        records[2].phase = .running(since: begun)
        records[2].attempts = 3
        try await store.commit(tasks: [
            .setPhase(29, .starting(since: begun), attempts: 0), .setPhase(30, .running(since: begun), attempts: 3),
        ])
        #expect(try store.taskRecords() == records)
        store.close()
        let again = try SQLiteStore.open(path: fixture.path).store
        defer { again.close() }
        #expect(try again.taskRecords() == records)
        #expect(try again.nextTaskNumber() == 32)
    }

    @Test func `a request takes the place of a pending one of its identifier, and of no other`() async throws {
        try await store.commit(tasks: [
            .insert(StoreFixture.request(1, "a")), .insert(StoreFixture.request(2, "a", app: "other")),
            .insert(StoreFixture.request(3, "b")), .insert(StoreFixture.request(4, "a")),
        ])
        #expect(try store.taskRecords().map(\.request.number) == [2, 3, 4])
        // A running request is left alone, and its handler may have submitted again.
        try await store.commit(tasks: [
            .setPhase(4, .running(since: begun), attempts: 0), .insert(StoreFixture.request(5, "a")),
        ])
        #expect(try store.taskRecords().map(\.request.number) == [2, 3, 4, 5])
    }

    @Test func `a request is known again by its nonce, as long as it is there`() async throws {
        let last = UInt64.max
        func has(_ nonce: UInt64, _ identifier: String = "a", app: String = StoreFixture.app) async throws -> Bool {
            try await store.hasTask(app: app, identifier: identifier, nonce: nonce)
        }
        try await store.commit(tasks: [
            .insert(StoreFixture.request(1, "a"), nonce: last), .insert(StoreFixture.request(2, "b")),
        ])
        #expect(try await has(last))
        #expect(try await !has(1))
        #expect(try await !has(last, "b"))
        #expect(try await !has(last, app: "other"))
        try await store.commit(tasks: [.setPhase(1, .running(since: begun), attempts: 0)])
        #expect(try await has(last))
        try await store.commit(tasks: [.insert(StoreFixture.request(3, "a"), nonce: 3)])
        #expect(try await has(last))
        #expect(try await has(3))
        try await store.commit(tasks: [.delete(1), .insert(StoreFixture.request(4, "a"), nonce: 4)])
        #expect(try await !has(last))
        #expect(try await !has(3))
        #expect(try await has(4))
    }

    @Test func `a run that came to nothing waits again, unless it has been replaced meanwhile`() async throws {
        try await store.commit(tasks: [
            .insert(StoreFixture.request(1, "a")), .setPhase(1, .running(since: begun), attempts: 0),
            .insert(StoreFixture.request(2, "b")), .setPhase(2, .starting(since: begun), attempts: 0),
            .insert(StoreFixture.request(3, "b")),
        ])
        try await store.commit(tasks: [.setPhase(1, .pending, attempts: 1), .setPhase(2, .pending, attempts: 1)])
        #expect(
            try store.taskRecords() == [
                TaskRecord(request: StoreFixture.request(1, "a"), attempts: 1),
                TaskRecord(request: StoreFixture.request(3, "b")),
            ]
        )
        try await store.commit(tasks: [.setPhase(1, .pending, attempts: 2)])
        #expect(try store.taskRecords().map(\.attempts) == [2, 0])
    }

    @Test func `a change that is refused says so, and nothing of its commit is done`() async throws {
        try await store.commit(tasks: [.insert(StoreFixture.request(1, "a"))])
        let error = await #expect(throws: StoreError.self) {
            try await store.commit(tasks: [
                .delete(1), .insert(StoreFixture.request(2)), .insert(StoreFixture.request(2, "b")),
            ])
        }
        #expect(error?.isOfRequest == true)
        #expect(try store.taskRecords().map(\.request.number) == [1])
    }

    @Test func `what is gone already may be deleted, and changed in vain`() async throws {
        try await store.commit(tasks: [.insert(StoreFixture.request(1, "a"))])
        try await store.commit(tasks: [
            .delete(1), .setPhase(1, .running(since: begun), attempts: 0), .delete(1), .delete(77),
            .setPhase(77, .pending, attempts: 1),
        ])
        #expect(try store.taskRecords().isEmpty)
    }

    @Test func `what an app has used of its time is there again, the last of each`() async throws {
        func use(_ app: String, _ used: Double, typical: Double? = nil) -> TaskBudgetUse {
            TaskBudgetUse(app: app, used: used, typicalSeconds: typical, moment: begun)
        }
        try await store.commit(tasks: [.setBudget(use(app, 17.25)), .setBudget(use("other", 0.1 + 0.2, typical: 3.5))])
        try await store.commit(tasks: [.setBudget(use(app, 20.5)), .setBudget(use("third", 1))])
        #expect(try store.taskBudgets() == [use(app, 20.5), use("other", 0.1 + 0.2, typical: 3.5), use("third", 1)])
        try await store.commit(tasks: [.deleteApp("third")])
        store.close()
        let again = try SQLiteStore.open(path: fixture.path).store
        defer { again.close() }
        #expect(try again.taskBudgets() == [use(app, 20.5), use("other", 0.1 + 0.2, typical: 3.5)])
    }

    @Test func `a number is not given again, although its request and its history are gone`() async throws {
        try await store.commit(tasks: (1...9).map { .insert(StoreFixture.request($0, "id \($0)")) })
        try await store.commit(tasks: [.deleteApp(app)])
        #expect(try store.nextTaskNumber() == 10)
        store.close()
        let again = try SQLiteStore.open(path: fixture.path).store
        defer { again.close() }
        #expect(try again.taskRecords().isEmpty)
        #expect(try again.nextTaskNumber() == 10)
    }

    @Test func `the history is read newest first, of all, an app, or an identifier`() async throws {
        let sum = TaskEntry.Outcome.ended(.expired(.timeOver, success: true), started: begun.wall, seconds: 30.25)
        let entries = [
            StoreFixture.taskEntry(1, "a", outcome: .refused(code: 3, "„a“ is not permitted")),
            StoreFixture.taskEntry(2, "b", outcome: sum),
            StoreFixture.taskEntry(3, "a", app: "other", outcome: .interrupted("The machine stopped.")),
            StoreFixture.taskEntry(4, "a", outcome: .ended(.appEnded(.signalled(9)), started: begun.wall, seconds: 1)),
        ]
        try await store.commit(tasks: entries.map { .append($0) })
        #expect(try await store.allTaskEntries() == entries.reversed())
        func numbers(_ app: String?, _ identifier: String?, limit: Int = 10) async throws -> [UInt64?] {
            try await store.taskEntries(app: app, identifier: identifier, limit: limit).map(\.number)
        }
        #expect(try await numbers(app, nil) == [4, 2, 1])
        #expect(try await numbers(nil, "a") == [4, 3, 1])
        #expect(try await numbers(app, "a") == [4, 1])
        #expect(try await numbers(app, "a", limit: 1) == [4])
        #expect(try await numbers(app, "nowhere").isEmpty)
        #expect(try await numbers(nil, nil, limit: -1).isEmpty)
        // Unreadable entries are left out.
        try fixture.sql("UPDATE task_entries SET entry = X'00FF' WHERE id = 2")
        #expect(try await numbers(app, nil) == [4, 1])
        try await store.commit(tasks: [.deleteApp(app)])
        #expect(try await numbers(nil, nil) == [3])
    }

    @Test func `the last twenty of each identifier are kept`() async throws {
        try await store.commit(tasks: [.append(StoreFixture.taskEntry(1000, "b"))])
        try await store.commit(tasks: [.append(StoreFixture.taskEntry(1001, "a", app: "other"))])
        for number in 1...30 as ClosedRange<UInt64> {
            try await store.commit(tasks: [.append(StoreFixture.taskEntry(number, "a"))])
        }
        let kept = try await store.taskEntries(app: app, identifier: "a", limit: 100).compactMap(\.number)
        #expect(kept == (11...30).reversed())
        #expect(try await store.allTaskEntries().count == 22)
    }

    @Test func `an app that uses each identifier once does not fill the disk`() async throws {
        try await store.commit(tasks: [.append(StoreFixture.taskEntry(9999, app: "other"))])
        for start in stride(from: 1, through: 2600, by: 100) as StrideThrough<UInt64> {
            try await store.commit(tasks: (start..<start + 100).map { .append(StoreFixture.taskEntry($0, "id.\($0)")) })
        }
        let kept = try await store.taskEntries(app: app, identifier: nil, limit: 10_000)
        #expect((2000...2200).contains(kept.count))
        #expect(kept.first?.number == 2600)
        #expect(try await store.taskEntries(app: "other", identifier: nil, limit: 9).count == 1)
    }

    @Test func `a history of long entries ends where a frame is full`() async throws {
        let long = TaskEntry.Outcome.dropped(String(repeating: "x", count: 300_000))
        try await store.commit(tasks: (1...9).map { .append(StoreFixture.taskEntry($0, outcome: long)) })
        #expect(try await store.allTaskEntries().compactMap(\.number) == [9, 8, 7, 6])
    }

    @Test func `concurrent commits each stand for themselves`() async throws {
        let store = store
        let failures = await withTaskGroup(of: Bool.self) { group in
            for number in 1...40 as ClosedRange<UInt64> {
                group.addTask {
                    // Every fourth asks for something impossible.
                    let again = TaskChange.insert(StoreFixture.request(number, "another"))
                    let extra = number.isMultiple(of: 4) ? [again] : []
                    let insert = TaskChange.insert(StoreFixture.request(number, "id \(number)"))
                    do {
                        try await store.commit(tasks: [insert] + extra)
                        return false
                    } catch {
                        return true
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(failures == 10)
        #expect(try store.taskRecords().map(\.request.number) == (1...40).filter { !$0.isMultiple(of: 4) })
        store.close()
        await #expect(throws: StoreError.self) { try await store.commit(tasks: [.delete(1)]) }
        try await store.commit(tasks: [])
    }
}
