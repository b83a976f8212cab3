// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// Transfers that come after others, in addition to what the table of states shows.
@Suite struct PredecessorTests {
    private let now = Fixture.moment(10)

    private func make(_ change: (inout TransferSpec) -> Void = { _ in }) throws -> Transfer {
        var spec = try Fixture.download()
        spec.predecessors = [7, 8].map { TransferID(rawValue: $0) }
        change(&spec)
        return Transfer(id: TransferID(rawValue: 9), spec: spec, now: now)
    }

    private func all(_ standing: PredecessorStanding) -> [TransferID: PredecessorStanding] {
        [TransferID(rawValue: 7): standing, TransferID(rawValue: 8): standing]
    }

    @Test func `its time does not run while it waits for others`() throws {
        var transfer = try make()
        #expect(transfer.awaitedPredecessors.map(\.rawValue) == [7, 8])
        #expect(transfer.expiry == nil)
        let later = Fixture.moment(1_000_000)
        #expect(transfer.woken(now: later) == [])
        #expect(transfer.predecessorsStand(all(.completed), now: later).first == .enqueue)
        #expect(transfer.expiry == Deadline(setAt: later, delay: 1000))
        #expect(transfer.spec.predecessors.isEmpty)
    }

    @Test func `a begin date counts once the others have completed`() throws {
        let date = now.wall + 60
        var transfer = try make { $0.earliestBegin = date }
        #expect(transfer.predecessorsStand(all(.completed), now: now) == [.wakeAt(date)])
        #expect(transfer.state == .waiting(.init(cause: .earliestBegin(date), since: now.wall)))
    }

    @Test(arguments: [PredecessorEnd.failed, .cancelled, .forgotten])
    func `one that has ended otherwise is waited for, and as before when it is tried again`(end: PredecessorEnd) throws
    {
        var transfer = try make()
        #expect(transfer.predecessorsStand(all(.ended(end)), now: now) == [])
        guard case .waiting(let wait) = transfer.state, case .predecessors(let left) = wait.cause else {
            Issue.record("\(transfer.state)")
            return
        }
        #expect(left.map(\.end) == [end, end])
        _ = transfer.predecessorsStand(all(.unfinished), now: now)
        #expect(transfer.state == Transfer(id: transfer.id, spec: transfer.spec, now: now).state)
    }

    @Test func `paused and resumed it waits for the others again, unless they have completed`() throws {
        var transfer = try make()
        #expect(transfer.pause(reached: 0, now: now) == [])
        #expect(transfer.awaitedPredecessors.count == 2)
        // One predecessor completes, and may be forgotten after that.
        #expect(transfer.predecessorsStand([TransferID(rawValue: 7): .completed], now: now) == [])
        #expect(transfer.resume(now: now) == [.awaitPredecessors])
        #expect(transfer.awaitedPredecessors.map(\.rawValue) == [8])
        _ = transfer.pause(reached: 0, now: now)
        #expect(transfer.predecessorsStand([TransferID(rawValue: 8): .completed], now: now) == [])
        #expect(transfer.resume(now: now)?.first == .enqueue)
    }

    @Test func `one that has completed is waited for no more, whatever becomes of it`() throws {
        var transfer = try make()
        _ = transfer.predecessorsStand([TransferID(rawValue: 7): .completed], now: now)
        #expect(transfer.spec.predecessors.map(\.rawValue) == [8])
        // As after a restart: all predecessors that it names are checked.
        #expect(transfer.restored(now: now) == [.awaitPredecessors])
        #expect(transfer.awaitedPredecessors.map(\.rawValue) == [8])
        _ = transfer.predecessorsStand([TransferID(rawValue: 7): .ended(.forgotten)], now: now)
        #expect(transfer.predecessorsStand([TransferID(rawValue: 8): .completed], now: now).first == .enqueue)
    }

    @Test func `what a person begins anew waits for no other, also after a pause`() throws {
        var transfer = try make()
        _ = transfer.cancel(now: now)
        #expect(transfer.awaitedPredecessors.isEmpty)
        _ = transfer.retry(now: now)
        _ = transfer.pause(reached: 0, now: now)
        #expect(transfer.resume(now: now)?.first == .enqueue)
    }

    @Test func `a standing is what has become of a transfer`() throws {
        var transfer = try TransferStage.running.transfer(isUpload: false)
        #expect(PredecessorStanding(transfer) == .unfinished)
        for (outcome, standing) in [
            (.completed(TransferStage.answer), .completed), (.failed(TransferStage.failure, nil), .ended(.failed)),
            (.cancelled, .ended(.cancelled)), (.cancelledByQuit, .ended(.cancelled)),
        ] as [(TransferOutcome, PredecessorStanding)] {
            transfer.state = .finished(outcome, at: now)
            #expect(PredecessorStanding(transfer) == standing)
        }
        #expect(PredecessorStanding(nil) == .ended(.forgotten))
    }

    @Test func `up to a thousand may be named, each once`() throws {
        var spec = try Fixture.download()
        spec.predecessors = (1...1000).map { TransferID(rawValue: $0) }
        #expect(throws: Never.self) { try spec.validate() }
        for wrong in [Array(1...1001), [1, 1], [0], [-4]] as [[Int64]] {
            spec.predecessors = wrong.map { TransferID(rawValue: $0) }
            #expect(throws: RequestError.self) { try spec.validate() }
        }
    }
}
