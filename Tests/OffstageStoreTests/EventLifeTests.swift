// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

/// The life of an event: a task's end, from the commit that makes it to its acknowledgment.
@Suite struct EventLifeTests {
    let fixture: StoreFixture
    let store: SQLiteStore
    let app = StoreFixture.app
    let session = StoreFixture.session

    init() throws {
        fixture = try StoreFixture()
        store = try SQLiteStore.open(path: fixture.path).store
    }

    private static let outcomes: [TransferOutcome] = [
        .completed(Answer(status: 200, bodyStart: [1, 2, 3])), .completed(Answer(status: 500)),
        .failed(TransferFailure(.cannotConnect, "no"), nil), .cancelled,
    ]

    private func pending(after id: Int64? = nil, limit: Int = 100) async throws -> [Int64] {
        try await store.pendingEnds(session, of: app, after: id.map(TransferID.init(rawValue:)), limit: limit)
            .map(\.transfer.id.rawValue)
    }

    private func isFileTaken(_ id: Int64) async throws -> Bool? {
        try await store.pendingEnds(session, of: app, after: nil, limit: 100)
            .first { $0.transfer.id.rawValue == id }?.isFileTaken
    }

    @Test(arguments: outcomes.indices) func `an end is an event, however it came`(index: Int) async throws {
        let outcome = Self.outcomes[index]
        let tasks = try (1...3).map { try fixture.task($0) }
        let ended = tasks.map { fixture.ended($0, outcome) }
        try await store.commit([.insert(tasks[0]), .insert(tasks[1])])
        #expect(try await pending() == [])
        try await store.commit([.update(ended[0]), .updateWithSpec(ended[1]), .insert(ended[2])])
        let events = try await store.pendingEnds(session, of: app, after: nil, limit: 10)
        #expect(events == ended.map { PendingEnd(transfer: $0, isFileTaken: false) })
        #expect(try await store.session(session, of: app) == SessionStanding(highestTask: 3, pendingEnds: 3))
    }

    @Test func `only a session's task has an event`() async throws {
        let transfer = try fixture.transfer(1)
        try await store.commit([.insert(transfer), .insert(try fixture.finished(2))])
        try await store.commit([.update(fixture.ended(transfer))])
        try await store.commit([.acknowledge(transfer.id, owner: "command"), .fileTaken(transfer.id, owner: "command")])
        #expect(try fixture.sql("SELECT event_pending, file_taken FROM transfers") == ["0|0", "0|0"])
    }

    @Test func `what is acknowledged is no event again, whatever is written of it later`() async throws {
        var task = fixture.ended(try fixture.task(1), .completed(Answer(status: 200)))
        try await store.commit([.insert(try fixture.task(1))])
        try await store.commit([.update(task)])
        try await store.commit([.acknowledge(task.id, owner: app)])
        #expect(try await pending() == [])
        task.bytesDone = 5
        try await store.commit([.update(task)])
        try await store.commit([.updateWithSpec(fixture.ended(task, .cancelled, at: 3))])
        try await store.commit([.acknowledge(task.id, owner: app), .fileTaken(task.id, owner: app)])
        #expect(try await pending() == [])
        #expect(try fixture.sql("SELECT event_pending, file_taken FROM transfers") == ["0|0"])
        #expect(try await store.session(session, of: app) == SessionStanding(highestTask: 1))
    }

    @Test func `what is written of an end before it is acknowledged leaves the event as it is`() async throws {
        var task = fixture.ended(try fixture.task(1))
        try await store.commit([.insert(task), .fileTaken(task.id, owner: app)])
        task.bytesDone = 5
        try await store.commit([.update(task)])
        try await store.commit([.updateWithSpec(fixture.ended(task, .cancelled, at: 3))])
        #expect(try await pending() == [1])
        #expect(try await isFileTaken(1) == true)
    }

    @Test func `nobody but the owner acknowledges an end or takes a file`() async throws {
        try await store.commit([.insert(fixture.ended(try fixture.task(1)))])
        for owner in ["", "command", "org.example.photos ", "ORG.EXAMPLE.PHOTOS", "org.example.other"] {
            try await store.commit([
                .acknowledge(TransferID(rawValue: 1), owner: owner), .fileTaken(TransferID(rawValue: 1), owner: owner),
            ])
        }
        #expect(try await pending() == [1])
        #expect(try await isFileTaken(1) == false)
        try await store.commit([.fileTaken(TransferID(rawValue: 1), owner: app)])
        #expect(try await isFileTaken(1) == true)
        try await store.commit([.fileTaken(TransferID(rawValue: 1), owner: app)])
        try await store.commit([.acknowledge(TransferID(rawValue: 1), owner: app)])
        #expect(try await pending() == [])
    }

    @Test func `what has not ended cannot be acknowledged in advance`() async throws {
        let task = try fixture.task(1)
        try await store.commit([.insert(task)])
        try await store.commit([.acknowledge(task.id, owner: app), .fileTaken(task.id, owner: app)])
        try await store.commit([
            .acknowledge(TransferID(rawValue: 99), owner: app), .fileTaken(TransferID(rawValue: 99), owner: app),
        ])
        try await store.commit([.update(fixture.ended(task))])
        #expect(try await pending() == [1])
        #expect(try await isFileTaken(1) == false)
    }

    @Test func `a task that begins again takes its event back`() async throws {
        let task = try fixture.task(1)
        try await store.commit([.insert(fixture.ended(task)), .fileTaken(task.id, owner: app)])
        try await store.commit([.update(task)])
        #expect(try await store.session(session, of: app) == SessionStanding(highestTask: 1, outstanding: 1))
        try await store.commit([.update(fixture.ended(task))])
        #expect(try await pending() == [1])
        #expect(try await isFileTaken(1) == false)
        try await store.commit([.acknowledge(task.id, owner: app)])
        try await store.commit([.update(task)])
        try await store.commit([.update(fixture.ended(task))])
        #expect(try await pending() == [1])
    }

    @Test func `what an app has not been told is neither pruned nor forgotten`() async throws {
        try await store.commit(try (1...3).map { .insert(fixture.ended(try fixture.task($0), at: Double($0))) })
        try await store.commit([.insert(try fixture.finished(4, at: 4)), .insert(try fixture.finished(5, at: 5))])
        let late = StoreFixture.now.wall + 1000
        // Nor do they count: finished transfers are kept in addition to them.
        #expect(try await store.prune(finishedBefore: .distantPast, keeping: 1).map(\.id.rawValue) == [4])
        #expect(try await store.prune(finishedBefore: late, keeping: 0).map(\.id.rawValue) == [5])
        let error = StoreError.endNotTold(TransferID(rawValue: 1), owner: app)
        await #expect(throws: error) { try await store.commit([.delete(TransferID(rawValue: 1))]) }
        #expect(error.sentence.contains("transfer 1"))
        await #expect(throws: error) {
            try await store.commit([
                .delete(TransferID(rawValue: 1)), .acknowledge(TransferID(rawValue: 1), owner: app),
            ])
        }
        #expect(try await pending() == [1, 2, 3])
        try await store.commit([.acknowledge(TransferID(rawValue: 1), owner: app), .delete(TransferID(rawValue: 1))])
        try await store.commit([.acknowledge(TransferID(rawValue: 3), owner: app)])
        #expect(try await store.prune(finishedBefore: late, keeping: 10).map(\.id.rawValue) == [3])
        #expect(try await pending() == [2])
        #expect(try fixture.sql("SELECT id FROM records") == ["2"])
    }

    @Test func `events come in the order of the ends, page by page`() async throws {
        // Two simultaneous ends, and a clock that was set back.
        let ends: [(Int64, Double)] = [(4, 1), (2, 2), (1, 3), (3, 3), (5, -10)]
        for (id, seconds) in ends {
            try await store.commit([.insert(fixture.ended(try fixture.task(id), at: seconds))])
        }
        try await store.commit([
            .insert(fixture.ended(try fixture.task(6, session: "another"))),
            .insert(fixture.ended(try fixture.task(7, owner: "org.example.other"))), .insert(try fixture.task(8)),
        ])
        #expect(try await pending() == [5, 4, 2, 1, 3])
        #expect(try await pending(limit: 2) == [5, 4])
        #expect(try await pending(after: 4, limit: 2) == [2, 1])
        #expect(try await pending(after: 1) == [3])
        #expect(try await pending(after: 3) == [])
        #expect(try await pending(limit: 0) == [])
        // The last event of a page may have been acknowledged, and even deleted, before the next page is requested.
        try await store.commit([.acknowledge(TransferID(rawValue: 2), owner: app)])
        #expect(try await pending(after: 2) == [1, 3])
        try await store.commit([.delete(TransferID(rawValue: 2))])
        #expect(try await pending(after: 2) == [5, 4, 1, 3])
    }

    @Test func `events outlive the daemon`() async throws {
        let task = fixture.ended(try fixture.task(1), Self.outcomes[0])
        try await store.commit([.insert(task), .insert(fixture.ended(try fixture.task(2)))])
        try await store.commit([.fileTaken(task.id, owner: app), .acknowledge(TransferID(rawValue: 2), owner: app)])
        store.close()
        let again = try SQLiteStore.open(path: fixture.path).store
        defer { again.close() }
        #expect(
            try await again.pendingEnds(session, of: app, after: nil, limit: 10) == [
                PendingEnd(transfer: task, isFileTaken: true)
            ]
        )
    }
}
