// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// Every event in every state: the transfer's new state, and the resulting actions.
@Suite struct TransferTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var event: String
        var isUpload = false
        var isSession = false
        var apply: @Sendable (inout Transfer) -> [TransferAction]?
        /// The effects, in the states in which there are any.
        var expected: [TransferStage: String]
        /// The outcome in every other state: nothing, or a refusal.
        var otherwise = Otherwise.unchanged

        enum Otherwise: Sendable { case unchanged, refused }

        var testDescription: String {
            event + (isUpload ? ", upload" : ", download") + (isSession ? " of a session" : "")
        }
    }

    static let now = Fixture.moment(10)
    private static let policy = RetryPolicy(baseDelay: 8, maximumDelay: 300)

    static func ended(_ result: AttemptResult, attempt: Int = 1, reached: Int64 = 60)
        -> @Sendable (inout Transfer) -> [TransferAction]?
    {
        { $0.attemptEnded(attempt: attempt, result, reached: reached, now: now, policy: policy, jitter: 1) }
    }

    private static func answered(_ status: Int, retries: Bool = false, parks: Bool = false)
        -> @Sendable (inout Transfer) -> [TransferAction]?
    {
        { transfer in
            if retries { transfer.spec.statusPolicy = .retryTransientAndFailOnError }
            if parks { transfer.spec.unauthorizedPolicy = .waitForCredentials }
            return ended(.answered(Answer(status: status)))(&transfer)
        }
    }

    private static func standings(
        _ first: PredecessorStanding,
        _ second: PredecessorStanding
    ) -> [TransferID: PredecessorStanding] {
        [TransferID(rawValue: 7): first, TransferID(rawValue: 8): second]
    }

    private static let finished: [TransferStage] = [.completed, .failed, .cancelled]

    static let lifeRows: [Row] = [
        Row(
            event: "restored",
            apply: { $0.restored(now: now) },
            expected: [
                .queued: "queued: enqueue wake(1000)",
                .waitingForRetry: "retry(connectionLost 60): wake(60) wake(1000)",
                .waitingForDate: "date: wakeAt(500)",
                .waitingForOthers: "after(7, 8): awaitPredecessors",
                .waitingForCredentials: "credentials: ask wake(1000)",
                .waitingForKeeper: "keeper: awaitKeeper wake(1000)",
                .running: "queued: enqueue wake(1000)", .saving: "saving(200): save",
                .waitingForChallenge: "challenge(0): ask(challenge(0)) wake(1000)",
                .waitingToBegin: "willBegin: ask(willBegin) wake(1000)",
            ]
        ),
        Row(
            event: "predecessors stand: one has completed, one has failed",
            apply: { $0.predecessorsStand(standings(.completed, .ended(.failed)), now: now) },
            expected: [.waitingForOthers: "after(8 failed):"]
        ),
        Row(
            event: "predecessors stand: all have completed",
            apply: { $0.predecessorsStand(standings(.completed, .completed), now: now) },
            expected: [.waitingForOthers: "queued: enqueue wake(1000)"]
        ),
        Row(
            event: "predecessors stand: nothing is known of one",
            apply: { $0.predecessorsStand([TransferID(rawValue: 7): .completed], now: now) },
            expected: [.waitingForOthers: "after(8):"]
        ),
        Row(
            event: "started",
            apply: { $0.started(now: now, offset: 40) },
            expected: [.queued: "running(2 from 40): begin(2)"]
        ),
        Row(
            event: "receiving",
            apply: {
                $0.receiving(attempt: 1, validator: .strongETag("\"y\""), total: 90, bootID: "boot-1")
                return []
            },
            expected: [.running: "running(1 from 20):"]
        ),
        Row(
            event: "progressed",
            apply: {
                $0.progressed(attempt: 1, done: 70, total: 90, synced: 50)
                return []
            },
            expected: [.running: "running(1 from 20):"]
        ),
        Row(
            event: "progress of an old attempt",
            apply: {
                $0.progressed(attempt: 0, done: 70, total: 90, synced: 50)
                $0.receiving(attempt: 0, validator: nil, total: nil, bootID: "boot-9")
                return []
            },
            expected: [:]
        ),
        Row(
            event: "network lost",
            apply: { $0.networkLost(reached: 60, now: now) },
            expected: [.running: "queued: stop enqueue"]
        ),
        Row(
            event: "saved",
            apply: { $0.saved(nil, bytes: 100, now: now) },
            expected: [.saving: "completed(200): deliver(completed(200))"]
        ),
        Row(
            event: "not saved",
            apply: { $0.saved(.init(.diskFull, "no space"), bytes: nil, now: now) },
            expected: [.saving: "failed(diskFull 200): deliver(failed(diskFull 200))"]
        ),
        Row(
            event: "saved with a wrong checksum",
            apply: { $0.saved(.init(.checksumMismatch, "it differs"), bytes: nil, now: now) },
            expected: [.saving: "failed(checksumMismatch 200): deletePartial deliver(failed(checksumMismatch 200))"]
        ),
        Row(
            event: "woken early",
            apply: { $0.woken(now: now) },
            expected: [.waitingForRetry: "retry(connectionLost 60): wake(60)", .waitingForDate: "date: wakeAt(500)"]
        ),
        Row(
            event: "woken when the retry is due",
            apply: { $0.woken(now: Fixture.moment(60)) },
            expected: [.waitingForRetry: "queued: enqueue", .waitingForDate: "date: wakeAt(500)"]
        ),
        Row(
            event: "woken at the begin date",
            apply: { $0.woken(now: Fixture.moment(500)) },
            expected: [.waitingForRetry: "queued: enqueue", .waitingForDate: "queued: enqueue wake(1000)"]
        ),
        Row(
            event: "woken when the time is up",
            apply: { $0.woken(now: Fixture.moment(1000)) },
            expected: [
                .queued: "failed(overallTimeout): dequeue deliver(failed(overallTimeout))",
                .waitingForRetry: "failed(overallTimeout): deliver(failed(overallTimeout))",
                .waitingForDate: "queued: enqueue wake(1000)",
                .waitingForCredentials: "failed(overallTimeout): deliver(failed(overallTimeout))",
                .waitingForKeeper: "failed(overallTimeout): deliver(failed(overallTimeout))",
                .running: "failed(overallTimeout): stop deliver(failed(overallTimeout))",
                .waitingForChallenge:
                    "failed(overallTimeout): keepPartial deletePartial deliver(failed(overallTimeout))",
                .waitingToBegin: "failed(overallTimeout): keepPartial deletePartial deliver(failed(overallTimeout))",
            ]
        ),
    ]

    static let endRows: [Row] = [
        Row(event: "answered 200", apply: answered(200), expected: [.running: "saving(200): save"]),
        Row(
            event: "answered 200",
            isUpload: true,
            apply: answered(200),
            expected: [.running: "completed(200): deleteSnapshot deliver(completed(200))"]
        ),
        Row(
            event: "answered 503, every response is final",
            apply: answered(503),
            expected: [.running: "saving(503): save"]
        ),
        Row(
            event: "answered 404, every response is final",
            isUpload: true,
            apply: answered(404),
            expected: [.running: "completed(404): deleteSnapshot deliver(completed(404))"]
        ),
        Row(
            event: "answered 503",
            apply: answered(503, retries: true),
            expected: [.running: "retry(serverBusy 8): wake(8)"]
        ),
        Row(
            event: "answered 429",
            apply: answered(429, retries: true),
            expected: [.running: "retry(serverBusy 8): wake(8)"]
        ),
        Row(
            event: "answered 408",
            isUpload: true,
            apply: answered(408, retries: true),
            expected: [.running: "retry(serverBusy 8): wake(8)"]
        ),
        Row(
            event: "answered 404",
            apply: answered(404, retries: true),
            expected: [.running: "failed(httpStatus 404): deliver(failed(httpStatus 404))"]
        ),
        Row(
            event: "answered 404",
            isUpload: true,
            apply: answered(404, retries: true),
            expected: [.running: "failed(httpStatus 404): deliver(failed(httpStatus 404))"]
        ),
        Row(
            event: "answered 304",
            apply: answered(304, retries: true),
            expected: [.running: "failed(httpStatus 304): deliver(failed(httpStatus 304))"]
        ),
        Row(
            event: "answered 401",
            apply: answered(401, retries: true),
            expected: [.running: "failed(unauthorized 401): deliver(failed(unauthorized 401))"]
        ),
        Row(
            event: "answered 401, to be parked",
            apply: answered(401, retries: true, parks: true),
            expected: [.running: "credentials: ask"]
        ),
        Row(
            event: "answered 401, to be parked",
            isUpload: true,
            apply: answered(401, parks: true),
            expected: [.running: "credentials: ask"]
        ),
        Row(
            event: "connection lost",
            apply: ended(.failed(TransferStage.failure)),
            expected: [.running: "retry(connectionLost 8): wake(8)"]
        ),
        Row(
            event: "connection lost",
            isUpload: true,
            apply: ended(.failed(TransferStage.failure)),
            expected: [.running: "retry(connectionLost 8): wake(8)"]
        ),
        Row(
            event: "source missing",
            isUpload: true,
            apply: ended(.failed(.init(.sourceMissing, "it is gone"))),
            expected: [.running: "failed(sourceMissing): deliver(failed(sourceMissing))"]
        ),
        Row(
            event: "disk full",
            apply: ended(.failed(.init(.diskFull, "no space"))),
            expected: [.running: "failed(diskFull): deliver(failed(diskFull))"]
        ),
        Row(
            event: "must begin again",
            apply: ended(.mustBeginAgain(serverIgnoresRanges: false)),
            expected: [.running: "queued: enqueue"]
        ),
        Row(
            event: "result of an old attempt",
            apply: ended(.answered(TransferStage.answer), attempt: 0),
            expected: [:]
        ),
    ]

    static let commandRows: [Row] = [
        Row(
            event: "pause",
            apply: { $0.pause(reached: 60, now: now) },
            expected: [
                .queued: "paused(990): dequeue", .waitingForRetry: "paused(990):", .waitingForDate: "paused(1000):",
                .waitingForOthers: "paused(1000):",
                .waitingForCredentials: "paused(990):", .waitingForKeeper: "paused(990):",
                .running: "paused(990): stop", .paused: "paused(700):",
                .waitingForChallenge: "paused(990):", .waitingToBegin: "paused(990):",
            ],
            otherwise: .refused
        ),
        Row(
            event: "resume",
            apply: { $0.resume(now: now) },
            expected: [
                .queued: "queued:", .waitingForRetry: "queued: enqueue", .running: "running(1 from 20):",
                .saving: "saving(200):", .paused: "queued: enqueue wake(700)",
            ],
            otherwise: .refused
        ),
        Row(
            event: "cancel",
            apply: { $0.cancel(now: now) },
            expected: [
                .queued: "cancelled: dequeue deletePartial deliver(cancelled)",
                .waitingForRetry: "cancelled: deletePartial deliver(cancelled)",
                .waitingForDate: "cancelled: deletePartial deliver(cancelled)",
                .waitingForOthers: "cancelled: deletePartial deliver(cancelled)",
                .waitingForCredentials: "cancelled: deletePartial deliver(cancelled)",
                .waitingForKeeper: "cancelled: deletePartial deliver(cancelled)",
                .running: "cancelled: stop deletePartial deliver(cancelled)",
                .paused: "cancelled: deletePartial deliver(cancelled)",
                .waitingForChallenge: "cancelled: deletePartial deliver(cancelled)",
                .waitingToBegin: "cancelled: deletePartial deliver(cancelled)",
            ],
            otherwise: .refused
        ),
        Row(
            event: "cancel",
            isUpload: true,
            apply: { $0.cancel(now: now) },
            expected: [
                .queued: "cancelled: dequeue deleteSnapshot deliver(cancelled)",
                .waitingForRetry: "cancelled: deleteSnapshot deliver(cancelled)",
                .waitingForDate: "cancelled: deleteSnapshot deliver(cancelled)",
                .waitingForOthers: "cancelled: deleteSnapshot deliver(cancelled)",
                .waitingForCredentials: "cancelled: deleteSnapshot deliver(cancelled)",
                .waitingForKeeper: "cancelled: deleteSnapshot deliver(cancelled)",
                .running: "cancelled: stop deleteSnapshot deliver(cancelled)",
                .paused: "cancelled: deleteSnapshot deliver(cancelled)",
                .waitingForChallenge: "cancelled: deleteSnapshot deliver(cancelled)",
                .waitingToBegin: "cancelled: deleteSnapshot deliver(cancelled)",
            ],
            otherwise: .refused
        ),
        Row(
            event: "retry",
            apply: { $0.retry(now: now) },
            expected: [
                .waitingForRetry: "queued: enqueue", .waitingForDate: "queued: enqueue wake(1000)",
                .waitingForOthers: "queued: enqueue wake(1000)",
                .waitingForCredentials: "queued: enqueue", .waitingForKeeper: "queued: enqueue",
                .failed: "queued: enqueue wake(1000)",
                .cancelled: "queued: enqueue wake(1000)",
            ],
            otherwise: .refused
        ),
        Row(
            event: "back in reach",
            apply: { NetworkReturn().apply(to: &$0, now: now) },
            expected: [.waitingForRetry: "queued: enqueue"],
            otherwise: .refused
        ),
        Row(
            event: "set headers",
            apply: { $0.setHeaders([HeaderField(name: "A", value: "b")], now: now) },
            expected: [
                .queued: "queued:", .waitingForRetry: "retry(connectionLost 60):", .waitingForDate: "date:",
                .waitingForOthers: "after(7, 8):",
                .waitingForCredentials: "queued: enqueue", .waitingForKeeper: "keeper:",
                .running: "running(1 from 20):", .saving: "saving(200):",
                .paused: "paused(700):", .waitingForChallenge: "challenge(0):", .waitingToBegin: "willBegin:",
            ],
            otherwise: .refused
        ),
    ]

    @Test(arguments: lifeRows + endRows + commandRows + sessionRows + answerRows + fleetRows, TransferStage.allCases)
    func `every event in every state does what the table says`(row: Row, stage: TransferStage) throws {
        let before = try stage.transfer(isUpload: row.isUpload, isSession: row.isSession)
        var after = before
        let actions = row.apply(&after)
        if let expected = row.expected[stage] {
            #expect(TransferStage.render(after, actions) == expected)
        } else if row.otherwise == .refused {
            #expect(actions == nil)
            #expect(after == before)
        } else {
            #expect(actions == [])
            after.spec = before.spec
            #expect(after == before)
        }
        let hasNotBegun = [.waitingForDate, .waitingForOthers].contains(stage)
        #expect((after.expiry == nil) == [.paused, .finished].contains(after.state.kind) || hasNotBegun)
        #expect(after.history.count <= PastAttempts.historyLimit)
        #expect(after.attempts >= before.attempts)
        let again = try JSONDecoder().decode(
            TransferRecord.self,
            from: Data(TransferRecord(after).json()),
            configuration: .init(id: after.id, spec: after.spec)
        )
        #expect(again.transfer == after)
    }
}
