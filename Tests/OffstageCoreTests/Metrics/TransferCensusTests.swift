// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct TransferCensusTests {
    private static func wait(_ cause: TransferState.Wait.Cause) -> TransferState {
        .waiting(.init(cause: cause, since: Fixture.start))
    }

    private static let queued = TransferState.queued(since: Fixture.start)
    private static let running = TransferState.running(
        .init(number: 1, startedAt: Fixture.moment(0), offset: 0)
    )
    private static let paused = TransferState.paused(since: Fixture.start, timeLeft: 1)
    private static let failure = TransferFailure(.cannotConnect, "it")
    private static let retry = wait(.retry(failure, Deadline(setAt: Fixture.moment(0), delay: 1)))
    private static let done = TransferState.finished(.cancelled, at: Fixture.moment(0))
    private static let unreadable = wait(.unreadable(crashes: 1))

    private func number(_ id: Int64) -> TransferID { TransferID(rawValue: id) }

    @Test func `each state has its standing`() {
        let saving = TransferState.saving(Answer(status: 200), since: Fixture.start)
        let table: [(TransferState, TransferStanding?)] = [
            (Self.queued, .queued), (Self.running, .running), (saving, .saving), (Self.paused, .paused),
            (Self.done, nil), (Self.retry, .retry), (Self.wait(.earliestBegin(Fixture.start)), .earliestBegin),
            (Self.wait(.predecessors([])), .predecessor), (Self.wait(.credentials(host: "h")), .credentials),
            (Self.wait(.account(Self.failure)), .account),
            (Self.wait(.delegate(.willBeginDelayedRequest)), .appDecides),
            (Self.wait(.keeper(isRefused: true)), .keeper), (Self.wait(.setAside(crashes: 3)), .setAside),
            (Self.unreadable, .unreadable),
        ]
        for (state, standing) in table {
            #expect(state.standing == standing)
            if let standing { #expect(standing.kind == state.kind) }
        }
        #expect(Set(table.compactMap(\.1)) == Set(TransferStanding.allCases))
    }

    @Test func `a life is counted where it is`() {
        var census = TransferCensus()
        census.decided(number(1), from: nil, to: Self.queued)
        census.decided(number(2), from: nil, to: Self.queued)
        census.decided(number(1), from: Self.queued, to: Self.running)
        #expect(census.counts[.queued] == 1)
        #expect(census.counts[.running] == 1)
        census.decided(number(1), from: Self.running, to: Self.retry)
        census.decided(number(2), from: Self.queued, to: Self.done)
        #expect(census.counts.sum == 1)
        #expect(census.counts[.retry] == 1)
        census.decided(number(2), from: Self.done, to: Self.queued)
        #expect(census.counts[.queued] == 1)
    }

    @Test func `those that must be read are counted once, as what they are when they are read`() {
        var census = TransferCensus()
        census.add(.queued, 5)
        census.expect([number(3), number(4), number(9)])
        // A person paused it before it was read.
        census.decided(number(4), from: Self.retry, to: Self.paused)
        census.decided(number(5), from: Self.queued, to: Self.running)
        #expect(census.counts.sum == 5)
        census.read(number(3), Self.retry)
        census.decided(number(3), from: Self.retry, to: Self.queued)
        census.read(number(4), Self.paused)
        census.read(number(9), nil)
        // All have been read: from now on, each is counted as it changes.
        census.decided(number(4), from: Self.paused, to: Self.queued)
        #expect(census.counts[.queued] == 6)
        #expect(census.counts[.running] == 1)
        #expect(census.counts[.paused] == 0)
        #expect(census.counts.sum == 7)
    }

    @Test func `a record that cannot be read is counted as such, however often that is tried`() {
        var census = TransferCensus()
        census.add(.queued, 2)
        census.add(.paused)
        census.loaded(number(1), Self.queued, isInLine: true)
        for _ in 0..<3 { census.loaded(number(1), Self.unreadable, isInLine: true) }
        #expect(census.counts[.queued] == 1)
        #expect(census.counts[.unreadable] == 1)
        census.loaded(number(2), Self.unreadable, isInLine: false)
        #expect(census.counts[.paused] == 0)
        #expect(census.counts[.unreadable] == 2)
        // It is read again, successfully this time; the other one is given up.
        census.loaded(number(1), Self.queued, isInLine: false)
        census.decided(number(2), from: Self.unreadable, to: Self.done)
        #expect(census.counts[.queued] == 2)
        #expect(census.counts[.unreadable] == 0)
        #expect(census.counts.sum == 2)
    }
}
