// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

@Suite struct SessionStoreTests {
    let fixture: StoreFixture
    let store: SQLiteStore
    let app = StoreFixture.app
    let session = StoreFixture.session

    init() throws {
        fixture = try StoreFixture()
        store = try SQLiteStore.open(path: fixture.path).store
    }

    private func standing(_ identifier: String? = nil, of owner: String? = nil) async throws -> SessionStanding {
        try await store.session(identifier ?? session, of: owner ?? app)
    }

    private func key(_ task: Int, session: String = StoreFixture.session) -> SessionTaskKey {
        SessionTaskKey(session: session, task: task)
    }

    @Test func `a session that never had a task stands at zero`() async throws {
        #expect(try await standing() == SessionStanding())
        #expect(try await store.sessionTasks(session, of: app, after: 0, limit: 10).isEmpty)
        #expect(try await store.pendingEnds(session, of: app, after: nil, limit: 10).isEmpty)
        #expect(try await store.transferIDs(of: [key(1)], owner: app) == [nil])
        #expect(try await store.transferIDs(of: [], owner: app).isEmpty)
        #expect(try await store.journals().isEmpty)
    }

    @Test func `a specification is kept as its client wrote it`() async throws {
        let task = try fixture.task(1)
        let text = " " + String(decoding: try task.spec.json(), as: UTF8.self) + "\n"
        try await store.commit([.insert(task, encodedSpec: Array(text.utf8))])
        func stored() async throws -> String? {
            try await store.sessionTasks(session, of: app, after: 0, limit: 1).first?.spec
        }
        #expect(try await stored() == text)
        var running = task
        _ = running.started(now: StoreFixture.now, offset: 0)
        try await store.commit([.update(running)])
        #expect(try await stored() == text)
        #expect(try await store.transfers([task.id]) == [running])
        running.spec.label = "another"
        try await store.commit([.updateWithSpec(running)])
        #expect(try await stored() == String(decoding: try running.spec.json(), as: UTF8.self))
        #expect(try await store.transfers([task.id]) == [running])
    }

    @Test func `an update alone leaves the specification and what follows from it`() async throws {
        let task = try fixture.task(1)
        try await store.commit([.insert(task)])
        var changed = task
        changed.bytesDone = 7
        changed.spec.priority = 1
        changed.spec.url = try RequestURL("http://other.example.org/")
        changed.spec.direction = .upload(
            .init(path: "/other", identity: FileIdentity(device: 1, inode: 1, size: 300, modified: 4))
        )
        changed.spec.connectionsPerHost = nil
        try await store.commit([.update(changed)])
        let columns = "SELECT priority, host_key, url, path, connections_per_host FROM transfers"
        #expect(
            try fixture.sql(columns) == [
                "0.5|photos.example.org:443|https://photos.example.org/in/1|/home/someone/1.jpg|4"
            ]
        )
        #expect(try await store.transfers([task.id]).map(\.spec) == [task.spec])
        #expect(try await store.transfers([task.id]).map(\.bytesDone) == [7])
        try await store.commit([.updateWithSpec(changed)])
        #expect(
            try fixture.sql(columns) == ["1.0|other.example.org:80|http://other.example.org/|/other|NULL"]
        )
        #expect(try await store.transfers([task.id]) == [changed])
        #expect(try store.unfinished().map(\.priority) == [1])
        await #expect(throws: StoreError.self) { try await store.commit([.updateWithSpec(try fixture.task(2))]) }
    }

    @Test func `tasks are paged by number, those that have ended left out`() async throws {
        let numbers = [5, 3, 9, 1, 7]
        for (index, number) in numbers.enumerated() {
            try await store.commit([.insert(try fixture.task(Int64(index + 1), number: number))])
        }
        try await store.commit([
            .insert(try fixture.task(20, number: 2, session: "another")),
            .insert(try fixture.task(21, number: 4, owner: "org.example.other")),
            .insert(try fixture.transfer(22)),
            .update(fixture.ended(try fixture.task(2, number: 3))),
        ])
        var running = try fixture.task(5, number: 7)
        _ = running.started(now: StoreFixture.now, offset: 0)
        try await store.commit([.update(running)])
        let all = try await store.sessionTasks(session, of: app, after: 0, limit: 100)
        #expect(all.map(\.task) == [1, 5, 7, 9])
        #expect(all.map(\.id.rawValue) == [4, 1, 5, 3])
        #expect(all.map(\.kind) == [.queued, .queued, .running, .queued])
        #expect(try await store.sessionTasks(session, of: app, after: 1, limit: 2).map(\.task) == [5, 7])
        #expect(try await store.sessionTasks(session, of: app, after: 9, limit: 2).isEmpty)
        #expect(try await store.sessionTasks(session, of: app, after: 0, limit: 0).isEmpty)
        #expect(try await store.sessionTasks(session, of: app, after: 0, limit: -1).isEmpty)
        #expect(try await standing() == SessionStanding(highestTask: 9, outstanding: 4, pendingEnds: 1))
        #expect(try await standing("another") == SessionStanding(highestTask: 2, outstanding: 1))
        #expect(try await standing(of: "org.example.other") == SessionStanding(highestTask: 4, outstanding: 1))
    }

    @Test func `transfers are found by task, only their owner's`() async throws {
        try await store.commit([
            .insert(try fixture.task(11, number: 1)), .insert(try fixture.task(12, number: 2)),
            .insert(try fixture.task(13, number: 1, session: "another")),
            .insert(try fixture.task(14, number: 1, owner: "org.example.other")),
            .insert(fixture.ended(try fixture.task(15, number: 3))),
        ])
        let keys = [key(2), key(9), key(1), key(1, session: "another"), key(1, session: "none"), key(3), key(2)]
        #expect(
            try await store.transferIDs(of: keys, owner: app).map { $0?.rawValue } == [12, nil, 11, 13, nil, 15, 12]
        )
        #expect(try await store.transferIDs(of: keys, owner: "org.example.other").map { $0?.rawValue }[2] == 14)
        #expect(try await store.transferIDs(of: [key(1)], owner: "nobody") == [nil])
    }

    @Test func `it is known of which ends apps have not been told`() async throws {
        try await store.commit([
            .insert(fixture.ended(try fixture.task(1))), .insert(fixture.ended(try fixture.task(2))),
            .insert(try fixture.task(3)), .insert(try fixture.finished(4)),
            .acknowledge(TransferID(rawValue: 2), owner: app),
        ])
        let ids = (1...5).map { TransferID(rawValue: $0) }
        #expect(try await store.untold(ids) == [TransferID(rawValue: 1)])
        #expect(try await store.untold([]).isEmpty)
    }

    @Test func `the highest number outlives its tasks and the daemon`() async throws {
        let cancelled = fixture.ended(try fixture.task(1, number: 41))
        try await store.commit([.insert(cancelled), .insert(try fixture.task(2, number: 7))])
        try await store.commit([.acknowledge(cancelled.id, owner: app)])
        try await store.commit([.delete(cancelled.id)])
        #expect(try await standing().highestTask == 41)
        store.close()
        let again = try SQLiteStore.open(path: fixture.path).store
        defer { again.close() }
        try await again.commit([.insert(try fixture.task(3, number: 8))])
        #expect(try await again.session(session, of: app) == SessionStanding(highestTask: 41, outstanding: 2))
        // Once its row is gone, nothing in the store has this number.
        try await again.commit([.insert(try fixture.task(4, number: 42))])
        #expect(try await again.session(session, of: app).highestTask == 42)
    }

    @Test func `the queue hears of a task's session and its limit`() async throws {
        try await store.commit([
            .insert(try fixture.task(1)), .insert(try fixture.task(2, session: "another")),
            .insert(try fixture.transfer(3)), .insert(fixture.ended(try fixture.task(4, session: "third"))),
        ])
        let unfinished = try store.unfinished()
        #expect(unfinished.map(\.session) == [session, "another", nil])
        #expect(unfinished.map(\.connectionsPerHost) == [4, 4, nil])
        #expect(unfinished.map(\.owner) == [app, app, "command"])
    }

    @Test func `a task that is there is refused as such, with all of its commit`() async throws {
        try await store.commit([.insertJournal(name: "a", owner: app), .insert(try fixture.task(1))])
        let error = StoreError.duplicateTask(key(1), owner: app)
        await #expect(throws: error) {
            try await store.commit([
                .insert(try fixture.task(2)), .insert(try fixture.task(3, number: 1)),
                .insert(try fixture.task(4, session: "new")), .advanceJournal(name: "a", sequence: 3),
            ])
        }
        #expect(error.sentence.contains("Task 1"))
        await #expect(throws: StoreError.duplicateTask(key(5), owner: app)) {
            try await store.commit([.insert(try fixture.task(5)), .insert(try fixture.task(6, number: 5))])
        }
        #expect(try store.unfinished().map(\.id.rawValue) == [1])
        #expect(try await store.journals().map(\.sequence) == [0])
        // A finished task counts too; the same number in another session or another app does not.
        try await store.commit([.update(fixture.ended(try fixture.task(1)))])
        await #expect(throws: error) { try await store.commit([.insert(try fixture.task(7, number: 1))]) }
        try await store.commit([
            .insert(try fixture.task(8, number: 1, session: "new")),
            .insert(try fixture.task(9, number: 1, owner: "org.example.other")),
        ])
        #expect(try store.unfinished().map(\.session) == ["new", session])
        // A transfer's own ID is not a task.
        await #expect(throws: StoreError.self) { try await store.commit([.insert(try fixture.task(8, number: 60))]) }
        #expect(try await standing("new") == SessionStanding(highestTask: 1, outstanding: 1))
    }

    @Test func `a refused task does not fail commits that share its transaction`() async throws {
        let slow = try StoreFixture()
        let store = try SQLiteStore.open(path: slow.path, commitDelay: 0.05).store
        defer { store.close() }
        try await store.commit([.insert(try slow.task(1, number: 3))])
        let tasks = try (2...9).map { try slow.task($0, number: Int($0)) }
        let refused = await withTaskGroup(of: StoreError?.self) { group in
            for task in tasks {
                group.addTask {
                    do throws(StoreError) {
                        try await store.commit([.insert(task)])
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: [StoreError]()) { if let error = $1 { $0.append(error) } }
        }
        #expect(refused == [.duplicateTask(key(3), owner: app)])
        #expect(try await store.session(session, of: app) == SessionStanding(highestTask: 9, outstanding: 8))
    }

    @Test func `a journal's row moves on with what is taken in from it, and never back`() async throws {
        try await store.commit([.insertJournal(name: "b", owner: "org.example.other")])
        try await store.commit([.insertJournal(name: "a", owner: app)])
        try await store.commit([.insert(try fixture.task(1)), .advanceJournal(name: "a", sequence: 5)])
        try await store.commit([.advanceJournal(name: "a", sequence: 3)])
        #expect(
            try await store.journals() == [
                StoredJournal(name: "a", owner: app, sequence: 5),
                StoredJournal(name: "b", owner: "org.example.other", sequence: 0),
            ]
        )
        await #expect(throws: StoreError.self) { try await store.commit([.insertJournal(name: "a", owner: app)]) }
        await #expect(throws: StoreError.self) {
            try await store.commit([.insert(try fixture.task(2)), .advanceJournal(name: "none", sequence: 1)])
        }
        #expect(try store.unfinished().map(\.id.rawValue) == [1])
        try await store.commit([.advanceJournal(name: "b", sequence: .max), .deleteJournal(name: "a")])
        try await store.commit([.deleteJournal(name: "a")])
        #expect(try await store.journals().map(\.sequence) == [UInt64(Int64.max)])
    }

    @Test func `a closed store answers no question`() async throws {
        store.close()
        await #expect(throws: StoreError.self) { try await standing() }
        await #expect(throws: StoreError.self) { try await store.journals() }
        await #expect(throws: StoreError.self) { try await store.transferIDs(of: [key(1)], owner: app) }
        await #expect(throws: StoreError.self) {
            try await store.sessionTasks(session, of: app, after: 0, limit: 1)
        }
        await #expect(throws: StoreError.self) {
            try await store.pendingEnds(session, of: app, after: nil, limit: 1)
        }
    }
}
