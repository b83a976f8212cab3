// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Decisions that are not yet in the store: what is shown and confirmed in the meantime, and the effect of a stop.
@Suite struct UnwrittenDecisionTests {
    private var stage: QueueStage

    init() throws { stage = try QueueStage() }

    private var network: ScriptedEngine { stage.network }

    private func upload(_ name: String, _ change: (inout TransferSpec) -> Void = { _ in }) throws -> TransferID {
        var spec = try stage.upload(name, length: 1000)
        change(&spec)
        return try stage.submit(spec)[0]
    }

    // MARK: A stop

    @Test mutating func `a stop stores the end that was decided while another was being written`() throws {
        let ids = [try upload("a"), try upload("b")]
        stage.engine.disk.latency = 0.5
        network.answer(try #require(network.underWay.first), 201)
        stage.engine.advance(by: 0.1)
        network.answer(try #require(network.underWay.first), 201)
        let queue = stage.queue
        try stage.engine.run { await queue.shutDown() }
        stage = try stage.next()
        for id in ids { #expect(try stage.stored(id).outcome?.isSuccess == true) }
        #expect(stage.network.begun.isEmpty)
    }

    @Test func `a stop does not wait for a store that does not work`() throws {
        _ = try upload("a")
        stage.engine.disk.isFull = true
        network.answer(try #require(network.underWay.first), 201)
        stage.engine.advance(by: 0.5)
        let queue = stage.queue
        try stage.engine.run { await queue.shutDown() }
        #expect(stage.engine.elapsed < 10)
    }

    // MARK: What is shown

    @Test func `an end that cannot be written is not shown, whatever happens afterwards`() throws {
        let id = try upload("a") { $0.overallTimeout = 60 }
        stage.engine.disk.isFull = true
        network.answer(try #require(network.underWay.first), 200)
        stage.engine.settle()
        #expect(try stage.reason(of: id) == .running)
        // Its time is up, which no longer matters.
        stage.engine.advance(by: 61)
        #expect(try stage.reason(of: id) == .running)
        let queue = stage.queue
        let kinds = try stage.engine.run { try await queue.page(TransferQuery()).snapshots.map(\.transfer.state.kind) }
        #expect(kinds == [.running])
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect(try stage.stored(id).outcome?.isSuccess == true)
    }

    @Test func `an end is not shown when what came before it is written`() throws {
        let id = try upload("a")
        stage.engine.disk.latency = 0.5
        let queue = stage.queue
        let limit = stage.engine.begin { try await queue.setRateLimit(1000, of: id) }
        stage.engine.advance(by: 0.1)
        // The limit is being committed: this end goes into the next commit.
        network.answer(try #require(network.underWay.first), 200)
        for _ in 1...50 {
            guard try stage.stored(id).spec.rateLimit == nil else { break }
            stage.engine.advance(by: 0.1)
        }
        #expect(try stage.stored(id).spec.rateLimit == 1000 && !stage.stored(id).isFinished)
        #expect(try stage.reason(of: id) == .running)
        stage.engine.advance(by: 5)
        #expect(limit.hasEnded)
        #expect(try stage.stored(id).outcome?.isSuccess == true)
        #expect(try stage.reason(of: id) != .running)
    }

    // MARK: What is confirmed

    @Test func `a command that is repeated is confirmed when the first one is written, and not before`() throws {
        let id = try upload("a")
        let queue = stage.queue
        stage.engine.disk.isFull = true
        let pauses = (1...2).map { _ in stage.engine.begin { try await queue.pause(id) } }
        stage.engine.advance(by: 10)
        #expect(pauses.allSatisfy { !$0.hasEnded })
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect(pauses.allSatisfy { $0.hasEnded })
        for pause in pauses { _ = try pause.value() }
        #expect(try stage.stored(id).state.kind == .paused)

        stage.engine.disk.isFull = true
        let limits = (1...2).map { _ in stage.engine.begin { try await queue.setRateLimit(1000, of: id) } }
        let resumptions = (1...2).map { _ in stage.engine.begin { try await queue.resume(id) } }
        stage.engine.advance(by: 10)
        #expect((limits + resumptions).allSatisfy { !$0.hasEnded })
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect((limits + resumptions).allSatisfy { $0.hasEnded })
        for command in limits + resumptions { _ = try command.value() }
        #expect(network.underWay.count == 1)
    }

    @Test func `nothing is refused because of an end that is not written yet`() throws {
        let id = try upload("a")
        stage.engine.disk.isFull = true
        network.answer(try #require(network.underWay.first), 200)
        stage.engine.settle()
        let queue = stage.queue
        let pause = stage.engine.begin { try await queue.pause(id) }
        stage.engine.advance(by: 10)
        #expect(!pause.hasEnded)
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect(throws: QueueError.self) { try pause.value() }
    }

    // MARK: A restart

    @Test mutating func `one that is paused at a restart notices that the one it comes after has completed`() throws {
        let first = try stage.submit(stage.download("a"))[0]
        let second = try stage.submit(stage.download("b") { $0.predecessors = [first] })[0]
        let earlier = stage.queue
        try stage.engine.run { try await earlier.pause(second) }
        stage = try stage.next(after: 1)
        stage.engine.advance(by: 1)
        network.deliver([1], to: try #require(network.underWay.first))
        stage.engine.settle()
        let queue = stage.queue
        try stage.engine.run { try await queue.forget(first) }
        try stage.engine.run { try await queue.resume(second) }
        stage.engine.settle()
        #expect(network.underWay.map(\.id) == [second])
    }
}
