// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

/// Sessions after a crash: the files are copied as they are on the disk at some instruction, and opened again.
@Suite struct EventCrashTests {
    let fixture: StoreFixture
    let app = StoreFixture.app
    let session = StoreFixture.session
    /// The number of records imported from the journal.
    let count = 8

    init() throws { fixture = try StoreFixture() }

    /// What an app knows and the daemon must continue with.
    private struct Standing: Equatable {
        var imported: UInt64?
        var tasks: Int
        var outstanding: [Int]
        var pending: [Int]
        var taken: [Int]

        init(_ store: SQLiteStore, _ session: String, _ app: String) async throws {
            imported = try await store.journals().first?.sequence
            let standing = try await store.session(session, of: app)
            tasks = standing.highestTask
            outstanding = try await store.sessionTasks(session, of: app, after: 0, limit: 100).map(\.task)
            let ends = try await store.pendingEnds(session, of: app, after: nil, limit: 100)
            pending = ends.compactMap(\.transfer.spec.sessionTask?.task)
            taken = ends.filter(\.isFileTaken).compactMap(\.transfer.spec.sessionTask?.task)
            #expect(standing.outstanding == outstanding.count)
            #expect(standing.pendingEnds == pending.count)
        }
    }

    /// The life of a session, commit by commit.
    private func commits() throws -> [[TransferChange]] {
        var commits: [[TransferChange]] = [[.insertJournal(name: "j", owner: app)]]
        let tasks = try (1...Int64(count)).map { try fixture.task($0) }
        for start in stride(from: 0, to: count, by: 4) {
            let part = tasks[start..<start + 4]
            commits.append(
                try part.map { .insert($0, encodedSpec: try $0.spec.json()) }
                    + [.advanceJournal(name: "j", sequence: UInt64(start + 4))]
            )
        }
        for task in tasks {
            let ended = fixture.ended(task, .completed(Answer(status: 200)), at: Double(task.id.rawValue))
            commits.append([.update(ended)])
            if task.id.rawValue % 2 == 0 { commits.append([.fileTaken(task.id, owner: app)]) }
            if task.id.rawValue % 3 != 0 { commits.append([.acknowledge(task.id, owner: app)]) }
        }
        commits.append([.deleteJournal(name: "j")])
        return commits
    }

    @Test func `whatever was committed is there after a kill, and what was not is not`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        for changes in try commits() {
            try await store.commit(changes)
            let copy = try fixture.crashed()
            defer { withExtendedLifetime(copy) {} }
            let after = try SQLiteStore.open(path: copy.path).store
            defer { after.close() }
            #expect(try await Standing(after, session, app) == Standing(store, session, app))
        }
    }

    /// The log is cut off at every frame and within frames, as a loss of power may leave it. Each opening finds one of
    /// the past states, never a part of a commit.
    @Test func `a log that was cut off anywhere leaves whole commits`() async throws {
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try fixture.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        var states = [try await Standing(store, session, app)]
        for changes in try commits() {
            try await store.commit(changes)
            states.append(try await Standing(store, session, app))
        }
        let length = fixture.size("-wal")
        let frame = 4096 + 24
        var reached = 0
        for cut in stride(from: 32, through: length, by: frame).flatMap({ [$0, $0 + 1500] }) where cut <= length {
            let copy = try fixture.crashed(logLength: cut)
            defer { withExtendedLifetime(copy) {} }
            let after = try SQLiteStore.open(path: copy.path).store
            let found = try await Standing(after, session, app)
            after.close()
            // The longer the log, the later the state.
            let index = states[reached...].firstIndex(of: found)
            #expect(index != nil, "cut at \(cut): \(found)")
            reached = index ?? reached
        }
        #expect(reached == states.count - 1)
    }

    @Test func `what is taken in again after a crash is taken in once`() async throws {
        let all = try commits()
        let store = try SQLiteStore.open(path: fixture.path).store
        defer { store.close() }
        try await store.commit(all[0])
        try await store.commit(all[1])
        let copy = try fixture.crashed()
        let after = try SQLiteStore.open(path: copy.path)
        defer { after.store.close() }
        #expect(after.nextID.rawValue == 5)
        // A daemon that heeds the sequence does not ask; any other would be refused.
        #expect(try await after.store.journals() == [StoredJournal(name: "j", owner: app, sequence: 4)])
        let key = SessionTaskKey(session: session, task: 1)
        await #expect(throws: StoreError.duplicateTask(key, owner: app)) {
            try await after.store.commit([.insert(try copy.task(5, number: 1))])
        }
        try await after.store.commit(all[2])
        #expect(try await Standing(after.store, session, app).outstanding == Array(1...8))
    }
}
