// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import OffstageWork
import Testing

/// The engine of deferred work, without a server, a process or a second of waiting.
@Suite struct TaskCenterTests {
    private var stage: WorkStage

    init() throws { stage = try WorkStage() }

    @Test func `a request runs when its time has come, and then is history`() throws {
        try stage.submit("task-1", after: 3600)
        stage.engine.advance(by: 3599)
        #expect(stage.told.isEmpty)
        #expect(try stage.rows().count == 1)
        stage.engine.advance(by: 1.1)
        #expect(stage.told == ["task-1"])
        #expect(try stage.rows().isEmpty)
        let entry = try #require(try stage.history().last)
        guard case .ended(.completed(success: true), _, _) = entry.outcome else {
            Issue.record("It ended as \(entry.outcome).")
            return
        }
    }

    @Test func `time that is simulated brings its turn, too, and says how many have ended`() throws {
        try stage.submit("task-1", after: 3600)
        #expect(try stage.simulate(3000).ended == 0)
        #expect(stage.told.isEmpty)
        let reply = try stage.simulate(1000)
        #expect(reply.ended == 1)
        #expect(reply.ahead > 3999 && reply.ahead < 4001)
        #expect(stage.told == ["task-1"])
        // The machine's own time has not moved.
        #expect(stage.engine.elapsed < 1)
    }

    @Test func `a start is in the store before its app is told`() throws {
        stage.world.state.withLock { $0.looksAtStore = true }
        try stage.submit("task-1")
        stage.engine.advance(by: 60)
        let number = try #require(stage.world.state.withLock(\.told).first?.number)
        guard case .starting? = stage.phases.withLock({ $0[number] }) else {
            Issue.record("The store had \(String(describing: stage.phases.withLock { $0[number] })).")
            return
        }
    }

    @Test mutating func `a run that its app was told of goes on with the next daemon, by the same number`() throws {
        stage.world.state.withLock { $0.conducts = [.isSilent] }
        try stage.submit("task-1")
        stage.engine.settle()
        #expect(stage.told == ["task-1"])
        stage = try stage.next()
        stage.engine.advance(by: 60)
        let told = stage.world.state.withLock(\.told)
        #expect(Set(told.map(\.number)).count == 1)
        #expect(stage.world.state.withLock { $0.entered.values.reduce(0, +) } == 1)
        #expect(try stage.rows().isEmpty)
    }

    @Test mutating func `a run whose app has died with the daemon waits again, and runs once more`() throws {
        stage.world.state.withLock { $0.conducts = [.isSilent] }
        try stage.submit("task-1")
        stage.engine.settle()
        #expect(stage.told == ["task-1"])
        stage.world.state.withLock { $0.isAlive = false }
        stage = try stage.next()
        stage.engine.advance(by: 86_400)
        #expect(stage.told == ["task-1", "task-1"])
        #expect(try stage.rows().isEmpty)
        let outcomes = try stage.history().map(\.outcome)
        #expect(outcomes.contains { if case .interrupted = $0 { true } else { false } })
    }

    @Test func `a run that needs external power is told to end when that is gone`() throws {
        stage.world.state.withLock { $0.conducts = [.runsOn] }
        try stage.submit(draftOnPower)
        stage.engine.advance(by: 60)
        #expect(stage.world.state.withLock(\.expired).isEmpty)
        try stage.pretend(.onBattery)
        stage.engine.settle()
        #expect(stage.world.state.withLock(\.expired) == [.powerLost])
        #expect(try stage.rows().isEmpty)
    }

    @Test func `four run at a time, and the next begins when one has ended`() throws {
        stage.world.state.withLock { $0.conducts = [.runsOn, .runsOn, .runsOn, .runsOn] }
        for number in 1...5 { try stage.submit("task-\(number)") }
        stage.engine.advance(by: 60)
        #expect(stage.told.count == 4)
        let waiting = try stage.rows().filter { $0.reason.cause == .othersRun(running: 4, limit: 4) }
        #expect(waiting.count == 1)
        let (center, first) = (stage.center, stage.told[0])
        _ = try stage.engine.run { try await center.simulate(.init(verb: .expire, task: first)) }
        stage.engine.settle()
        #expect(stage.told.count == 5)
    }

    private var draftOnPower: TaskDraft {
        var draft = stage.draft("task-1")
        draft.requiresExternalPower = true
        return draft
    }

    @Test func `what needs external power waits for it, with the reason`() throws {
        try stage.pretend(.onBattery)
        try stage.submit(draftOnPower)
        stage.engine.advance(by: 86_400)
        #expect(stage.told.isEmpty)
        #expect(try stage.rows().first?.reason.cause == .noExternalPower)
        try stage.pretend(.ideal)
        stage.engine.advance(by: 1)
        #expect(stage.told == ["task-1"])
    }

    @Test func `no app runs for deferred work that a person has quit`() throws {
        let apps = stage.apps
        try stage.engine.run { await apps.setHold(.quit, of: WorkStage.app) }
        try stage.submit("task-1")
        stage.engine.advance(by: 86_400)
        #expect(stage.told.isEmpty)
        try stage.engine.run { await apps.setHold(nil, of: WorkStage.app) }
        stage.engine.advance(by: 1)
        #expect(stage.told == ["task-1"])
    }

    @Test func `requests of an app that is removed are dropped`() throws {
        let apps = stage.apps
        try stage.submit("task-1", after: 60)
        try stage.engine.run { await apps.remove(WorkStage.app) }
        stage.engine.advance(by: 600)
        #expect(stage.told.isEmpty)
        #expect(try stage.rows().isEmpty)
    }

    @Test func `while the disk is full a request is not accepted, and then it is`() throws {
        stage.engine.disk.isFull = true
        let (center, facts, draft) = (stage.center, stage.facts, stage.draft("task-1"))
        let begun = stage.engine.begin { try await center.submit(.init(draft: draft), of: facts) }
        stage.engine.advance(by: 60)
        #expect(!begun.hasEnded)
        #expect(stage.told.isEmpty)
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect(try begun.value()?.refusal == nil)
        #expect(begun.hasEnded)
        #expect(stage.told == ["task-1"])
    }

    /// Requests and crashes in any order: no request is lost, and no handler is entered twice.
    @Test(arguments: UInt64(1)...12)
    mutating func `however often the daemon is cut off, each request runs once`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var submitted: [String] = []
        for round in 0..<6 {
            stage.world.state.withLock { world in
                world.conducts = (0..<8).map { _ in
                    [.completes, .runsOn, .returns, .isSilent].randomElement(using: &random) ?? .completes
                }
            }
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let identifier = "task-\(submitted.count)"
                try stage.submit(identifier)
                submitted.append(identifier)
            }
            guard round < 5 else { break }
            // Some work is under way now, and some is not: the next daemon can start at any commit.
            let cut = Int.random(in: 1...6, using: &random)
            stage.engine.disk.cutOff(at: .init(commit: cut, isAfter: Bool.random(using: &random)))
            stage.engine.advance(by: Double.random(in: 0...5, using: &random))
            stage = try stage.next()
        }
        stage.world.state.withLock { $0.conducts = [] }
        stage = try stage.next()
        stage.engine.advance(by: 7 * 86_400)
        #expect(try stage.rows().isEmpty)
        let (entered, told) = stage.world.state.withLock { ($0.entered, $0.told) }
        #expect(entered.values.allSatisfy { $0 == 1 })
        #expect(Set(told.map(\.identifier)) == Set(submitted))
        let ended = try stage.history().filter { if case .ended = $0.outcome { true } else { false } }
        #expect(ended.map(\.identifier).sorted() == submitted.sorted())
    }
}
