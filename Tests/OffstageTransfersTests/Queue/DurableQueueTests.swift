// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Durable before reported: hand-overs and ends while the store does not work, and when the machine is cut off.
@Suite struct DurableQueueTests {
    private static let session = SessionName(app: QueueStage.app, identifier: "s")
    private var stage: QueueStage

    init() throws {
        stage = try QueueStage()
        try stage.makeJournal()
    }

    private func accept(_ batch: HandOverBatch) throws -> [RefusedSessionTask]? {
        let queue = stage.queue
        defer { stage.engine.settle() }
        return try stage.engine.run { await queue.accept(batch) }
    }

    @Test func `a batch of a journal is taken in with one commit, and its tasks begin`() throws {
        let commits = stage.engine.disk.commits
        #expect(try accept(stage.batch(1...5, sequence: 5)) == [])
        #expect(stage.network.underWay.count == 5)
        #expect(stage.taken.last == [Self.session: 5])
        #expect(try stage.transferCount() == 5)
        // One for the batch, and one for the five that have begun.
        #expect(stage.engine.disk.commits - commits <= 3)
    }

    @Test func `a task that is handed over twice counts once`() throws {
        #expect(try accept(stage.batch(1...3, sequence: 3)) == [])
        #expect(try accept(stage.batch(2...4, sequence: 6)) == [])
        #expect(try stage.transferCount() == 4)
        #expect(stage.engine.records.contains { $0.message.contains("handed over twice") })
    }

    @Test func `while the disk is full a batch waits, and begins nothing`() throws {
        stage.engine.disk.isFull = true
        let (queue, batch) = (stage.queue, try stage.batch(1...2, sequence: 2))
        let begun = stage.engine.begin { await queue.accept(batch) }
        stage.engine.advance(by: 300)
        #expect(!begun.hasEnded)
        #expect(stage.network.begun.isEmpty)
        #expect(stage.taken.isEmpty)
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 1.1)
        #expect(try begun.value() == [])
        #expect(stage.network.underWay.count == 2)
    }

    @Test func `while the disk is full the command is told at once that its transfer is not accepted`() throws {
        stage.engine.disk.isFull = true
        #expect(throws: StoreError.self) { try stage.submit(stage.download("a")) }
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 60)
        #expect(stage.network.begun.isEmpty)
        #expect(try stage.transferCount() == 0)
    }

    @Test func `while the disk is full nobody is told of an end, and then of all, in order`() throws {
        _ = try accept(stage.batch(1...3, sequence: 3))
        stage.engine.disk.isFull = true
        for request in stage.network.underWay { stage.network.deliver([1], to: request) }
        stage.engine.advance(by: 60)
        #expect(stage.ended.isEmpty)
        #expect(stage.engine.trouble.standing?.sentence.contains("full") == true)
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect(stage.ended.map { $0.spec.sessionTask?.task } == [1, 2, 3])
        #expect(stage.engine.trouble.standing == nil)
    }

    @Test mutating func `what was under way goes on with the next daemon, from its last byte`() throws {
        let id = try stage.submit(stage.download("a"))[0]
        let first = try #require(stage.network.underWay.first)
        stage.network.receive([UInt8](repeating: 1, count: 2 << 20), of: first, total: 4 << 20)
        stage.engine.advance(by: 5)
        stage = try stage.next()
        stage.engine.advance(by: 5)
        let second = try #require(stage.network.underWay.first)
        #expect(second.offset == 2 << 20)
        stage.network.deliver([UInt8](repeating: 2, count: 2 << 20), to: second, status: 206)
        stage.engine.settle()
        #expect(try stage.stored(id).outcome?.isSuccess == true)
    }

    @Test(arguments: [false, true]) mutating func `a pause goes on while there is no daemon`(isReboot: Bool) throws {
        _ = try stage.submit(stage.download("a"))
        for _ in 0..<6 {
            stage.network.lose(try #require(stage.network.underWay.first))
            stage.engine.advance(by: 33)
        }
        // The seventh pause is 64 seconds.
        stage.network.lose(try #require(stage.network.underWay.first))
        stage.engine.settle()
        stage = try stage.next(after: 40, isReboot: isReboot)
        stage.engine.advance(by: 23)
        #expect(stage.network.underWay.isEmpty)
        stage.engine.advance(by: 2)
        #expect(stage.network.underWay.count == 1)
    }

    /// Cut off at any of the commits of hand-over, start and end, on either side of the commit.
    @Test(arguments: 1...8, [false, true])
    mutating func `whenever it is cut off, each task ends once and is told`(commit: Int, isAfter: Bool) throws {
        stage.engine.disk.cutOff(at: .init(commit: commit, isAfter: isAfter))
        let batch = try stage.batch(1...2, sequence: 2)
        var told: [Int] = []
        for _ in 0..<4 {
            let queue = stage.queue
            // The journal is read again from the offset in the store.
            _ = stage.engine.begin { await queue.accept(batch) }
            for _ in 0..<5 {
                for request in stage.network.underWay { stage.network.deliver([1], to: request) }
                stage.engine.advance(by: 1)
            }
            told += stage.ended.compactMap { $0.spec.sessionTask?.task }
            stage = try stage.next(after: 1)
        }
        #expect(try stage.transferCount() == 2)
        #expect(told.count == Set(told).count)
        let store = stage.engine.store
        let ends = try stage.engine.run {
            try await store.pendingEnds("s", of: QueueStage.app, after: nil, limit: 10)
        }
        // Whether delivered or not, an end stays until the app acknowledges it.
        #expect(ends.compactMap { $0.transfer.spec.sessionTask?.task }.sorted() == [1, 2])
        for end in ends {
            #expect(end.transfer.outcome?.isSuccess == true, "\(String(describing: end.transfer.outcome))")
        }
        for task in 1...2 { #expect(try TestFiles.read(stage.target("task-\(task)")) == [1]) }
    }
}
