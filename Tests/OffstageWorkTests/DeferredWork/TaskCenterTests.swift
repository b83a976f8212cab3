// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import OffstageWork
import Testing

/// The engine of deferred work, without a server, a process or a second of waiting.
@Suite struct TaskCenterTests {
    @Test func `a request runs when its time has come, and then is history`() async throws {
        let stage = try await WorkStage()
        try await stage.submit("task-1", after: 3600)
        try await stage.advance(by: 3000)
        #expect(stage.world.state.withLock(\.told).isEmpty)
        #expect(try await stage.rows().count == 1)
        let reply = try await stage.advance(by: 1000)
        #expect(reply.ended == 1)
        #expect(stage.world.state.withLock(\.told).map(\.identifier) == ["task-1"])
        #expect(try await stage.rows().isEmpty)
        let entry = try #require(try await stage.history().last)
        guard case .ended(.completed(success: true), _, _) = entry.outcome else {
            Issue.record("It ended as \(entry.outcome).")
            return
        }
    }

    @Test func `a start is in the store before its app is told`() async throws {
        let stage = try await WorkStage(looksAtStore: true)
        try await stage.submit("task-1")
        try await stage.advance(by: 60)
        let number = try #require(stage.world.state.withLock(\.told).first?.number)
        guard case .starting? = stage.phases.withLock({ $0[number] }) else {
            Issue.record("The store had \(String(describing: stage.phases.withLock { $0[number] })).")
            return
        }
    }

    @Test func `a run that its app was told of goes on with the next daemon, by the same number`() async throws {
        let stage = try await WorkStage()
        stage.world.state.withLock { $0.conducts = [.isSilent] }
        try await stage.submit("task-1")
        try eventually("the app is told") { stage.world.state.withLock(\.told).isEmpty ? nil : true }
        let next = try await WorkStage(after: stage)
        try await next.advance(by: 60)
        let told = next.world.state.withLock(\.told)
        #expect(Set(told.map(\.number)).count == 1)
        #expect(next.world.state.withLock { $0.entered.values.reduce(0, +) } == 1)
        #expect(try await next.rows().isEmpty)
    }

    @Test func `a run whose app has died with the daemon waits again, and runs once more`() async throws {
        let stage = try await WorkStage()
        stage.world.state.withLock { $0.conducts = [.isSilent] }
        try await stage.submit("task-1")
        try eventually("the app is told") { stage.world.state.withLock(\.told).isEmpty ? nil : true }
        stage.world.state.withLock { $0.isAlive = false }
        let next = try await WorkStage(after: stage)
        try await next.advance(by: 86_400)
        #expect(next.world.state.withLock(\.told).count == 2)
        #expect(try await next.rows().isEmpty)
        let outcomes = try await next.history().map(\.outcome)
        #expect(outcomes.contains { if case .interrupted = $0 { true } else { false } })
    }

    /// Requests and crashes in any order: none is lost, none of their handlers is entered twice.
    @Test(arguments: UInt64(1)...12)
    func `however often the daemon is cut off, each request runs once`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var stage = try await WorkStage()
        var submitted: [String] = []
        for round in 0..<6 {
            stage.world.state.withLock { world in
                world.conducts = (0..<8).map { _ in
                    [.completes, .runsOn, .returns, .isSilent].randomElement(using: &random) ?? .completes
                }
            }
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let identifier = "task-\(submitted.count)"
                try await stage.submit(identifier)
                submitted.append(identifier)
            }
            // Some of it is under way now, and some is not: the next one comes at any moment.
            if round < 5 { stage = try await WorkStage(after: stage) }
        }
        stage.world.state.withLock { $0.conducts = [] }
        stage = try await WorkStage(after: stage)
        try await stage.advance(by: 7 * 86_400)
        #expect(try await stage.rows().isEmpty)
        let (entered, told) = stage.world.state.withLock { ($0.entered, $0.told) }
        #expect(entered.values.allSatisfy { $0 == 1 })
        #expect(Set(told.map(\.identifier)) == Set(submitted))
        let ended = try await stage.history().filter { if case .ended = $0.outcome { true } else { false } }
        #expect(ended.map(\.identifier).sorted() == submitted.sorted())
    }
}
