// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// How the credential helper's answer affects a transfer that waits for credentials.
@Suite struct HelperAnswerTests {
    private static let refused = HeaderField(name: "Authorization", value: "old")
    private static let new = HeaderField(name: "Authorization", value: "new")
    private static let failure = TransferFailure(.unauthorized, "files.example.org answered 401 Unauthorized")

    /// A transfer that has been refused so many times in a row.
    private func waiting(refusals: Int) throws -> Transfer {
        var transfer = try TransferStage.waitingForCredentials.transfer(isUpload: false)
        transfer.spec.headers = [HeaderField(name: "A", value: "b"), Self.refused]
        let start = Fixture.moment(0)
        for number in 1...refusals {
            let attempt = TransferState.Attempt(number: number, startedAt: start, offset: 0)
            transfer.past.record(attempt, endedAt: start, reached: 0, failure: Self.failure)
        }
        transfer.past.lastFailure = Self.failure
        return transfer
    }

    @Test func `the fields that were refused begin nothing, and the helper is asked again ever more rarely`() throws {
        var transfer = try waiting(refusals: 1)
        transfer.expiry = nil
        let same = HeaderField(name: "authorization", value: "old")
        var seconds = 10.0
        for expected in [5.0, 10, 20, 40, 80, 160, 320, 600, 600] {
            let now = Fixture.moment(seconds)
            let look = TransferAction.wake(Deadline(setAt: now, delay: expected))
            #expect(HelperAnswer([same]).apply(to: &transfer, now: now) == [look])
            // The helper was asked twice, or the look is too early.
            #expect(HelperAnswer([same]).apply(to: &transfer, now: now) == [])
            #expect(transfer.woken(now: now) == [look])
            var restored = transfer
            #expect(restored.restored(now: now) == [.askForCredentials, look])
            seconds += expected
            #expect(transfer.woken(now: Fixture.moment(seconds)) == [.askForCredentials])
        }
        #expect(transfer.state.kind == .waiting)
        #expect(HelperAnswer([Self.new]).apply(to: &transfer, now: Fixture.moment(seconds))?.first == .enqueue)
    }

    @Test(arguments: [(1, nil), (2, 5.0), (3, 10), (4, 20), (8, 320), (20, 320)] as [(Int, Double?)])
    func `other fields are tried at once the first time, and then with growing pauses`(
        refusals: Int,
        pause: Double?
    ) throws {
        var transfer = try waiting(refusals: refusals)
        let now = Fixture.moment(1)
        let actions = HelperAnswer([Self.new]).apply(to: &transfer, now: now)
        // The second since the refusal is counted.
        #expect(actions == pause.map { [.wake(Deadline(setAt: now, delay: $0 - 1))] } ?? [.enqueue])
        #expect(transfer.spec.headers == [HeaderField(name: "A", value: "b"), Self.new])
        var late = try waiting(refusals: refusals)
        #expect(HelperAnswer([Self.new]).apply(to: &late, now: Fixture.moment(400)) == [.enqueue])
    }

    @Test func `a person's fields are tried at once, also during such a pause`() throws {
        var transfer = try waiting(refusals: 4)
        _ = HelperAnswer([Self.new]).apply(to: &transfer, now: Fixture.moment(1))
        #expect(transfer.setHeaders([HeaderField(name: "C", value: "d")], now: Fixture.moment(2)) == [.enqueue])
    }

    @Test func `what does not wait for credentials is left as it is`() throws {
        var queued = try TransferStage.queued.transfer(isUpload: false)
        let before = queued
        #expect(HelperAnswer([Self.new]).apply(to: &queued, now: Fixture.moment(1)) == [])
        #expect(queued == before)
        var ended = try TransferStage.completed.transfer(isUpload: false)
        #expect(HelperAnswer([Self.new]).apply(to: &ended, now: Fixture.moment(1)) == nil)
    }
}
