// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct TransferMetricsTests {
    private let failure = TransferFailure(.serverBusy, "it is busy")

    private func waiting(_ cause: TransferState.Wait.Cause) -> TransferState {
        .waiting(.init(cause: cause, since: Fixture.start))
    }

    @Test func `how an attempt ended depends on its result and on what was decided`() {
        let answer = Answer(status: 200)
        let busy = AttemptResult.answered(Answer(status: 503))
        let retry = waiting(.retry(failure, Deadline(setAt: Fixture.moment(0), delay: 1)))
        let queued = TransferState.queued(since: Fixture.start)
        let table: [(AttemptResult, TransferState, AttemptOutcome)] = [
            (.answered(answer), .finished(.completed(answer), at: Fixture.moment(1)), .completed),
            (.answered(answer), .saving(answer, since: Fixture.start), .completed),
            (busy, retry, .failed),
            (busy, .finished(.failed(failure, nil), at: Fixture.moment(1)), .failed),
            (.failed(failure), retry, .failed),
            (.failed(failure), queued, .failed),
            (.failed(failure), waiting(.account(failure)), .failed),
            (.mustBeginAgain(serverIgnoresRanges: false), queued, .restarted),
            (.mustBeginAgain(serverIgnoresRanges: false), retry, .restarted),
            (busy, waiting(.delegate(.willBeginDelayedRequest)), .challenged),
        ]
        for (result, state, outcome) in table { #expect(AttemptOutcome(result, then: state) == outcome) }
    }

    @Test func `each direction has figures of its own`() throws {
        var metrics = TransferMetrics()
        let (upload, download) = (try Fixture.upload(), try Fixture.download())
        let transfers = [upload, download, upload].map { spec in
            Transfer(id: TransferID(rawValue: 1), spec: spec, now: Fixture.moment(0))
        }
        metrics.accepted(transfers, seconds: 0.002)
        metrics.moved(100, isUpload: true)
        metrics.moved(7, isUpload: false)
        metrics.ended(.completed(Answer(status: 201)), isUpload: true)
        var there = Answer(status: 200)
        there.saysThere = true
        metrics.ended(.completed(there), isUpload: true)
        metrics.ended(.cancelledByQuit, isUpload: false)
        metrics.ended(.failed(failure, nil), isUpload: false)
        #expect(metrics.uploads.accepted == 2)
        #expect(metrics.downloads.accepted == 1)
        #expect(metrics.handOver.count == 1)
        #expect(metrics.uploads.bytes == 100)
        #expect(metrics.downloads.bytes == 7)
        #expect(metrics.uploads.ends[.completed] == 1)
        #expect(metrics.uploads.ends[.leftOut] == 1)
        #expect(metrics.downloads.ends[.cancelled] == 1)
        #expect(metrics.downloads.ends[.failed] == 1)
        let text = try JSONEncoder().encode(metrics)
        #expect(try JSONDecoder().decode(TransferMetrics.self, from: text) == metrics)
    }

    @Test func `a failed attempt counts with what went wrong`() throws {
        var metrics = TransferMetrics()
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: try Fixture.upload(), now: Fixture.moment(0))
        _ = transfer.started(now: Fixture.moment(0), offset: 0)
        let policy = RetryPolicy(baseDelay: 1, maximumDelay: 2)
        _ = transfer.attemptEnded(
            attempt: 1,
            .failed(failure),
            reached: 0,
            now: Fixture.moment(3),
            policy: policy,
            jitter: 0
        )
        metrics.attemptEnded(.failed, of: transfer, seconds: 3)
        metrics.attemptEnded(.interrupted, of: transfer, seconds: 4)
        #expect(metrics.uploads.attempts[.failed] == 1)
        #expect(metrics.uploads.attempts[.interrupted] == 1)
        #expect(metrics.failures[.serverBusy] == 1)
        #expect(metrics.failures.sum == 1)
        #expect(metrics.uploads.attemptTimes.sum == 7)
    }

    @Test func `bytes never overflow`() {
        var metrics = TransferMetrics()
        metrics.moved(.max, isUpload: true)
        metrics.moved(.max, isUpload: true)
        #expect(metrics.uploads.bytes == 1 << 60)
    }
}
