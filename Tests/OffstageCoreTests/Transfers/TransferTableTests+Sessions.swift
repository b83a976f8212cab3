// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The rows of the table about tasks of background sessions.
extension TransferTableTests {
    /// The differences for a session's task.
    static let sessionRows: [Row] = [
        Row(
            event: "cancel with resume data",
            isSession: true,
            apply: { $0.cancelProducingResumeData(now: now) },
            expected: [
                .queued: "cancelled: dequeue keepPartial deletePartial deliver(cancelled)",
                .waitingForRetry: "cancelled: keepPartial deletePartial deliver(cancelled)",
                .waitingForDate: "cancelled: keepPartial deletePartial deliver(cancelled)",
                .waitingForOthers: "cancelled: keepPartial deletePartial deliver(cancelled)",
                .waitingForCredentials: "cancelled: keepPartial deletePartial deliver(cancelled)",
                .waitingForKeeper: "cancelled: keepPartial deletePartial deliver(cancelled)",
                .running: "cancelled: stop keepPartial deletePartial deliver(cancelled)",
                .paused: "cancelled: keepPartial deletePartial deliver(cancelled)",
                .waitingForChallenge: "cancelled: keepPartial deletePartial deliver(cancelled)",
                .waitingToBegin: "cancelled: keepPartial deletePartial deliver(cancelled)",
            ],
            otherwise: .refused
        ),
        Row(
            event: "cancel with resume data",
            isUpload: true,
            isSession: true,
            apply: { $0.cancelProducingResumeData(now: now) },
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
            event: "cancel because the person quit the app",
            isSession: true,
            apply: { $0.cancelForQuit(now: now) },
            expected: [
                .queued: "quit: dequeue keepPartial deletePartial deliver(quit)",
                .waitingForRetry: "quit: keepPartial deletePartial deliver(quit)",
                .waitingForDate: "quit: keepPartial deletePartial deliver(quit)",
                .waitingForOthers: "quit: keepPartial deletePartial deliver(quit)",
                .waitingForCredentials: "quit: keepPartial deletePartial deliver(quit)",
                .waitingForKeeper: "quit: keepPartial deletePartial deliver(quit)",
                .running: "quit: stop keepPartial deletePartial deliver(quit)",
                .paused: "quit: keepPartial deletePartial deliver(quit)",
                .waitingForChallenge: "quit: keepPartial deletePartial deliver(quit)",
                .waitingToBegin: "quit: keepPartial deletePartial deliver(quit)",
            ],
            otherwise: .refused
        ),
        Row(
            event: "cancel because the person quit the app",
            isUpload: true,
            isSession: true,
            apply: { $0.cancelForQuit(now: now) },
            expected: [
                .queued: "quit: dequeue deleteSnapshot deliver(quit)",
                .waitingForRetry: "quit: deleteSnapshot deliver(quit)",
                .waitingForDate: "quit: deleteSnapshot deliver(quit)",
                .waitingForOthers: "quit: deleteSnapshot deliver(quit)",
                .waitingForCredentials: "quit: deleteSnapshot deliver(quit)",
                .waitingForKeeper: "quit: deleteSnapshot deliver(quit)",
                .running: "quit: stop deleteSnapshot deliver(quit)",
                .paused: "quit: deleteSnapshot deliver(quit)",
                .waitingForChallenge: "quit: deleteSnapshot deliver(quit)",
                .waitingToBegin: "quit: deleteSnapshot deliver(quit)",
            ],
            otherwise: .refused
        ),
        Row(
            event: "retry",
            isSession: true,
            apply: { $0.retry(now: now) },
            expected: [
                .waitingForRetry: "queued: enqueue", .waitingForDate: "queued: enqueue wake(1000)",
                .waitingForOthers: "queued: enqueue wake(1000)",
                .waitingForCredentials: "queued: enqueue", .waitingForKeeper: "queued: enqueue",
            ],
            otherwise: .refused
        ),
        Row(
            event: "disk full",
            isSession: true,
            apply: ended(.failed(.init(.diskFull, "no space"))),
            expected: [.running: "failed(diskFull): keepPartial deletePartial deliver(failed(diskFull))"]
        ),
        Row(
            event: "saved with a wrong checksum",
            isSession: true,
            apply: { $0.saved(.init(.checksumMismatch, "it differs"), bytes: nil, now: now) },
            expected: [.saving: "failed(checksumMismatch 200): deletePartial deliver(failed(checksumMismatch 200))"]
        ),
        Row(
            event: "source missing",
            isUpload: true,
            isSession: true,
            apply: ended(.failed(.init(.sourceMissing, "it is gone"))),
            expected: [.running: "failed(sourceMissing): deliver(failed(sourceMissing))"]
        ),
        Row(
            event: "challenged",
            isSession: true,
            apply: ended(.challenged(TransferStage.challenge)),
            expected: [.running: "challenge(0): ask(challenge(0))"]
        ),
        Row(
            event: "challenged",
            isUpload: true,
            isSession: true,
            apply: ended(.challenged(TransferStage.challenge)),
            expected: [.running: "challenge(0): ask(challenge(0))"]
        ),
        Row(
            event: "challenged in an old attempt",
            isSession: true,
            apply: ended(.challenged(TransferStage.challenge), attempt: 0),
            expected: [:]
        ),
    ]

    private static func decided(
        _ event: String,
        _ answer: DelegateAnswer,
        isUpload: Bool = false,
        _ expected: [TransferStage: String]
    ) -> Row {
        Row(
            event: event,
            isUpload: isUpload,
            isSession: true,
            apply: { $0.delegateAnswered(answer, now: now) },
            expected: expected,
            otherwise: .refused
        )
    }

    /// Every answer to every question, and to no question.
    static let answerRows: [Row] = [
        decided(
            "answers with a name",
            .credential(user: "a", password: "b"),
            [.waitingForChallenge: "queued: enqueue"]
        ),
        decided("trusts a key", .trustKey("sha256//x"), [.waitingForChallenge: "queued: enqueue"]),
        decided("leaves it to the default", .performDefaultHandling, [.waitingForChallenge: "queued: enqueue"]),
        decided("lets it begin", .continueLoading, [.waitingToBegin: "queued: enqueue"]),
        Row(
            event: "begins with another request",
            isSession: true,
            apply: { transfer in
                let url = transfer.spec.url
                return transfer.delegateAnswered(.useNewRequest(url: url, method: "POST", headers: []), now: now)
            },
            expected: [.waitingToBegin: "queued: enqueue"],
            otherwise: .refused
        ),
        decided(
            "answers no",
            .cancel,
            [
                .waitingForChallenge: "cancelled: deletePartial deliver(cancelled)",
                .waitingToBegin: "cancelled: deletePartial deliver(cancelled)",
            ]
        ),
        decided(
            "answers no",
            .cancel,
            isUpload: true,
            [
                .waitingForChallenge: "cancelled: deleteSnapshot deliver(cancelled)",
                .waitingToBegin: "cancelled: deleteSnapshot deliver(cancelled)",
            ]
        ),
    ]
}
