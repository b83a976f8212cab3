// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import OffstageWork
import Testing

/// `offstage simulate advance`: the daemon's time moves on, from one due event to the next.
@Suite struct `Advancing the daemon's time` {
    private let stage: WorkStage

    init() throws { stage = try WorkStage() }

    @Test func `everything that is due comes in its order, each at its own time`() throws {
        for hour in [3, 1, 2] { try stage.submit("task-\(hour)", after: Double(hour) * 3600) }
        let reply = try stage.simulate(4 * 3600)
        #expect(stage.told == ["task-1", "task-2", "task-3"])
        #expect(reply.ended == 3)
        let begun = try stage.history().compactMap { entry -> Double? in
            guard case .ended(_, let started, _) = entry.outcome else { return nil }
            return started.timeIntervalSince1970 - 1_700_000_000
        }
        #expect(begun.count == 3)
        for (hour, begin) in zip(1...3, begun) { #expect(abs(begin - Double(hour) * 3600) < 1) }
    }

    @Test func `it stands still while a run is under way, and says so after a minute`() throws {
        stage.world.state.withLock { $0.conducts = [.runsOn] }
        try stage.submit("task-1", after: 3600)
        let refusal = #expect(throws: WireFailure.self) { try stage.simulate(7200) }
        #expect(refusal?.message.contains("task-1 of \(WorkStage.app)") == true)
        #expect(refusal?.code == .notApplicable)
        #expect(abs(stage.engine.elapsed - 60) < 1)
        #expect(stage.engine.clock.lead.seconds < 3700)
    }

    @Test func `it goes on as soon as the run has ended`() throws {
        stage.world.state.withLock { $0.conducts = [.runsOn] }
        try stage.submit("task-1", after: 3600)
        let center = stage.center
        let begun = stage.engine.begin { try await center.advance(AdvanceTime(seconds: 7200)) }
        stage.engine.advance(by: 10)
        #expect(!begun.hasEnded)
        _ = try stage.engine.run { try await center.simulate(.init(verb: .expire, task: "task-1")) }
        stage.engine.settle()
        #expect(try begun.value()?.ended == 1)
    }

    @Test func `a transfer that is under way is waited for, each time for five seconds at most`() throws {
        let (transfers, center) = (stage.transfers, stage.center)
        try stage.engine.run { await transfers.begin() }
        let before = stage.engine.elapsed
        try stage.simulate(60)
        // Five seconds before its time moves on, and five at its end.
        #expect(abs(stage.engine.elapsed - before - 10) < 0.1)
        let next = stage.engine.begin { try await center.advance(AdvanceTime(seconds: 60)) }
        #expect(!next.hasEnded)
        try stage.engine.run { await transfers.end() }
        stage.engine.settle()
        #expect(try next.value() != nil)
        let observing = try stage.engine.run { await transfers.observing }
        #expect(observing == 0)
    }

    @Test func `one at a time advances it`() throws {
        let (transfers, center) = (stage.transfers, stage.center)
        try stage.engine.run { await transfers.begin() }
        let first = stage.engine.begin { try await center.advance(AdvanceTime(seconds: 60)) }
        let refusal = #expect(throws: WireFailure.self) { try stage.simulate(60) }
        #expect(refusal?.code == .inUse)
        try stage.engine.run { await transfers.end() }
        stage.engine.settle()
        #expect(try first.value() != nil)
        // Afterwards the next one may start.
        try stage.simulate(60)
    }

    @Test(arguments: [0, -1, 367 * 86_400, Double.infinity, Double.nan] as [Double])
    func `no time, and no more than a year, is refused`(seconds: Double) throws {
        let refusal = #expect(throws: WireFailure.self) { try stage.simulate(seconds) }
        #expect(refusal?.code == .badRequest)
        #expect(stage.engine.clock.lead.seconds == 0)
    }
}
