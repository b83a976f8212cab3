// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// Which spans follow from decisions about transfers.
@Suite struct TimelineSpanTests {
    private let answer = Answer(status: 200, headers: [], httpVersion: "1.1", finalURL: "https://files.example.org/a")

    /// A transfer whose first attempt has been running since the start.
    private func running(_ spec: TransferSpec) -> Transfer {
        var transfer = Transfer(id: TransferID(rawValue: 7), spec: spec, now: Fixture.moment(-50))
        _ = transfer.started(now: Fixture.moment(0), offset: 0)
        return transfer
    }

    /// The span that a decision ten seconds later produces.
    private func span(
        _ before: Transfer,
        _ decide: (inout Transfer, Moment) -> [TransferAction]?
    ) -> (TimelineSpan?, Transfer) {
        var after = before
        _ = decide(&after, Fixture.moment(10))
        return (TimelineSpan(endedBy: after, before: before, now: Fixture.moment(10)), after)
    }

    private func attempt(_ span: TimelineSpan?) throws -> TimelineAttempt {
        guard case .attempt(let attempt)? = span?.subject else { throw NoAttempt() }
        return attempt
    }

    private struct NoAttempt: Error {}

    private func end(_ result: AttemptResult, reached: Int64) -> (inout Transfer, Moment) -> [TransferAction]? {
        { $0.attemptEnded(attempt: 1, result, reached: reached, now: $1, policy: RetryPolicy(), jitter: 0) }
    }

    @Test func `an upload that is answered has succeeded`() throws {
        let (span, _) = span(running(try Fixture.upload()), end(.answered(answer), reached: 300))
        #expect(span?.began == Fixture.start)
        #expect(span?.ended == Fixture.start + 10)
        let attempt = try attempt(span)
        #expect(attempt.outcome == .succeeded)
        #expect(attempt.failure == nil)
        #expect(attempt.bytes == 300)
        #expect(attempt.owner == "command")
        #expect(attempt.host == "files.example.org:443")
        #expect(attempt.number == 1)
        #expect(attempt.isUpload)
    }

    @Test func `a break is one even if the upload begins again at byte 0`() throws {
        let failure = TransferFailure(.connectionLost, "the connection broke")
        let (span, after) = span(running(try Fixture.upload()), end(.failed(failure), reached: 120))
        let attempt = try attempt(span)
        #expect(after.bytesDone == 0)
        #expect(attempt.outcome == .broken)
        #expect(attempt.failure == .connectionLost)
        #expect(attempt.bytes == 120)
    }

    @Test func `what cannot be repeated has failed`() throws {
        let failure = TransferFailure(.sourceMissing, "it is gone")
        let attempt = try attempt(span(running(try Fixture.upload()), end(.failed(failure), reached: 0)).0)
        #expect(attempt.outcome == .failed)
        #expect(attempt.failure == .sourceMissing)
    }

    @Test func `an answer that says no is a failure, also for those who wanted every answer`() throws {
        var spec = try Fixture.upload()
        spec.statusPolicy = .everyResponseIsFinal
        var refusal = answer
        refusal.status = 404
        let (span, after) = span(running(spec), end(.answered(refusal), reached: 300))
        #expect(after.outcome?.isSuccess == true)
        let attempt = try attempt(span)
        #expect(attempt.outcome == .failed)
        #expect(attempt.failure == .httpStatus)
    }

    @Test func `a pause, a cancellation and a stopped daemon each have their word`() throws {
        let before = running(try Fixture.download())
        let paused = try attempt(span(before) { $0.pause(reached: 5, now: $1) }.0)
        #expect(paused.outcome == .paused)
        #expect(paused.failure == nil)
        #expect(try attempt(span(before) { $0.cancel(now: $1) }.0).outcome == .cancelled)
        let stopped = try attempt(span(before) { $0.restored(now: $1) }.0)
        #expect(stopped.outcome == .broken)
        #expect(stopped.failure == .daemonInterrupted)
    }

    @Test func `saving belongs to the attempt, and is a span of its own only if it fails`() throws {
        let (received, saving) = span(running(try Fixture.download()), end(.answered(answer), reached: 9))
        #expect(try attempt(received).outcome == .succeeded)
        #expect(span(saving) { $0.saved(nil, bytes: 9, now: $1) }.0 == nil)
        let full = TransferFailure(.diskFull, "there is no room")
        let lost = try attempt(span(saving) { $0.saved(full, bytes: nil, now: $1) }.0)
        #expect(lost.outcome == .failed)
        #expect(lost.failure == .diskFull)
    }

    @Test func `what has no attempt leaves none`() throws {
        let queued = Transfer(id: TransferID(rawValue: 7), spec: try Fixture.upload(), now: Fixture.moment(0))
        #expect(span(queued) { $0.pause(reached: 0, now: $1) }.0 == nil)
        #expect(span(queued) { $0.cancel(now: $1) }.0 == nil)
        let before = running(try Fixture.upload())
        #expect(
            span(before) {
                $0.attemptEnded(attempt: 9, .answered(answer), reached: 1, now: $1, policy: RetryPolicy(), jitter: 0)
            }.0 == nil
        )
    }

    @Test func `a clock that was set back or forward makes an attempt neither longer nor shorter`() throws {
        var now = Fixture.moment(10)
        now.wall += 86_400
        let span = TimelineSpan(since: Fixture.moment(0), until: now, .daemon)
        #expect(span.ended == now.wall)
        #expect(span.began == now.wall - 10)
    }

    @Test(arguments: [
        TimelineSpan.Subject.app("org.example.app", .suspended), .network(.none), .network(.cellular),
        .power(isExternal: true), .power(isExternal: false), .daemon,
        .run(TimelineRun(app: "org.example.app", identifier: "refresh", outcome: .expired)),
        .attempt(
            TimelineAttempt(
                transfer: TransferID(rawValue: 3),
                number: 4,
                owner: "command",
                host: "h:80",
                isUpload: false,
                bytes: 5,
                outcome: .failed,
                failure: .diskFull
            )
        ),
    ])
    func `a row is the span again`(subject: TimelineSpan.Subject) throws {
        let span = TimelineSpan(began: Fixture.start, ended: Fixture.start + 3, subject)
        let row = try JSONDecoder().decode(TimelineRow.self, from: JSONEncoder().encode(TimelineRow(span)))
        #expect(row.span == span)
    }

    @Test func `rows that make no sense, or are of a later build, are no spans`() throws {
        let row = TimelineRow(TimelineSpan(began: Fixture.start, ended: Fixture.start, .power(isExternal: true)))
        var other = row
        other.kind = "weather"
        #expect(other.span == nil)
        other = row
        other.word = "steam"
        #expect(other.span == nil)
        other.kind = "attempt"
        #expect(other.span == nil)
        other = row
        other.ended = Fixture.start - 9
        #expect(other.span?.ended == Fixture.start)
        let hostile = #"{"began":0,"ended":0,"kind":"attempt","word":"failed","number":-1}"#
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(TimelineRow.self, from: Data(hostile.utf8)) }
    }
}
