// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Every state that a transfer can be in, each as a whole transfer with one attempt behind it.
enum TransferStage: String, CaseIterable, Sendable {
    case queued, waitingForRetry, waitingForDate, waitingForOthers, waitingForCredentials, running, saving, paused
    case waitingForKeeper
    /// Only a session's task can be in these two.
    case waitingForChallenge, waitingToBegin
    case completed, failed, cancelled

    static let beginDate = Fixture.start + 500
    static let predecessors = [7, 8].map { TransferState.Predecessor(id: TransferID(rawValue: $0)) }
    static let failure = TransferFailure(.connectionLost, "the connection broke")
    static let answer = Answer(status: 200)
    static let challenge = Challenge(method: .httpBasic, host: "files.example.org", port: 443, isSecure: true)

    /// A download of 100 bytes, of which 40 have arrived, or an upload from a snapshot; its time began to run at 0.
    func transfer(isUpload: Bool, isSession: Bool = false) throws -> Transfer {
        var spec = isUpload ? try Fixture.upload(isSnapshot: true) : try Fixture.download()
        if isSession || [.waitingForChallenge, .waitingToBegin].contains(self) {
            spec.sessionTask = SessionTaskKey(session: "s", task: 1)
        }
        if self == .waitingToBegin {
            spec.earliestBegin = Fixture.start
            spec.asksBeforeBegin = true
        }
        if self == .waitingForKeeper, isUpload { spec.keeper = TransferKeeper(fleet: "f", row: 3, fence: 1) }
        let start = Fixture.moment(0)
        var transfer = Transfer(id: TransferID(rawValue: 1), spec: spec, now: start)
        transfer.past.count = 1
        if !isUpload {
            transfer.partial = PartialDownload(
                validator: .strongETag("\"x\""),
                totalBytes: 100,
                syncedBytes: 30,
                bootID: "boot-1"
            )
            transfer.bytesTotal = 100
            transfer.bytesDone = 40
        }
        switch self {
        case .queued: transfer.state = .queued(since: start.wall)
        case .waitingForRetry:
            let deadline = Deadline(setAt: start, delay: 60)
            transfer.state = .waiting(.init(cause: .retry(Self.failure, deadline), since: start.wall))
        case .waitingForDate:
            transfer.state = .waiting(.init(cause: .earliestBegin(Self.beginDate), since: start.wall))
            transfer.expiry = nil
        case .waitingForOthers:
            transfer.spec.predecessors = Self.predecessors.map(\.id)
            transfer.state = .waiting(.init(cause: .predecessors(Self.predecessors), since: start.wall))
            transfer.expiry = nil
        case .waitingForCredentials:
            transfer.state = .waiting(.init(cause: .credentials(host: "files.example.org"), since: start.wall))
        case .waitingForKeeper:
            transfer.state = .waiting(.init(cause: .keeper(isRefused: false), since: start.wall))
        case .waitingForChallenge:
            let cause = TransferState.Wait.Cause.delegate(.challenge(Self.challenge))
            transfer.state = .waiting(.init(cause: cause, since: start.wall))
        case .waitingToBegin:
            transfer.state = .waiting(.init(cause: .delegate(.willBeginDelayedRequest), since: start.wall))
        case .running: transfer.state = .running(.init(number: 1, startedAt: start, offset: 20))
        case .saving: transfer.state = .saving(Self.answer, since: start.wall)
        case .paused:
            transfer.state = .paused(since: start.wall, timeLeft: 700)
            transfer.expiry = nil
        case .completed, .failed, .cancelled:
            let outcome: TransferOutcome =
                self == .completed ? .completed(Self.answer) : self == .failed ? .failed(Self.failure, nil) : .cancelled
            transfer.state = .finished(outcome, at: start)
            transfer.expiry = nil
        }
        return transfer
    }

    /// The state and the actions in short form, as the tables contain them.
    static func render(_ transfer: Transfer, _ actions: [TransferAction]?) -> String {
        guard let actions else { return "refused" }
        return ([render(transfer.state) + ":"] + actions.map(render)).joined(separator: " ")
    }

    private static func render(_ state: TransferState) -> String {
        switch state {
        case .queued: "queued"
        case .waiting(let wait):
            switch wait.cause {
            case .retry(let failure, let deadline): "retry(\(failure.code) \(number(deadline.delay)))"
            case .earliestBegin: "date"
            case .predecessors(let all):
                "after(\(all.map { "\($0.id)\($0.end.map { " \($0.rawValue)" } ?? "")" }.joined(separator: ", ")))"
            case .credentials: "credentials"
            case .account: "account"
            case .delegate(let question): render(question)
            case .keeper(let isRefused): isRefused ? "keeper(refused)" : "keeper"
            case .setAside(let crashes): "setAside(\(crashes))"
            case .unreadable(let crashes): "unreadable(\(crashes))"
            }
        case .running(let attempt): "running(\(attempt.number) from \(attempt.offset))"
        case .saving(let answer, _): "saving(\(answer.status))"
        case .paused(_, let timeLeft): "paused(\(number(timeLeft)))"
        case .finished(let outcome, _): render(outcome)
        }
    }

    private static func render(_ question: DelegateQuestion) -> String {
        switch question {
        case .challenge(let challenge): "challenge(\(challenge.previousFailures))"
        case .willBeginDelayedRequest: "willBegin"
        }
    }

    private static func render(_ outcome: TransferOutcome) -> String {
        switch outcome {
        case .completed(let answer): "completed(\(answer.status))"
        case .failed(let failure, let answer): "failed(\(failure.code)\(answer.map { " \($0.status)" } ?? ""))"
        case .cancelled: "cancelled"
        case .cancelledByQuit: "quit"
        case .released: "released"
        }
    }

    private static func render(_ action: TransferAction) -> String {
        switch action {
        case .enqueue: "enqueue"
        case .dequeue: "dequeue"
        case .begin(let attempt): "begin(\(attempt))"
        case .stop: "stop"
        case .save: "save"
        case .wake(let deadline): "wake(\(number(deadline.delay)))"
        case .wakeAt(let date): "wakeAt(\(number(date.timeIntervalSince(Fixture.start))))"
        case .awaitPredecessors: "awaitPredecessors"
        case .askForCredentials: "ask"
        case .askDelegate(let question): "ask(\(render(question)))"
        case .awaitKeeper: "awaitKeeper"
        case .awaitRequests: "awaitRequests"
        case .keepPartialFile: "keepPartial"
        case .deletePartialFile: "deletePartial"
        case .deleteSnapshot: "deleteSnapshot"
        case .deliver(let outcome): "deliver(\(render(outcome)))"
        }
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(value)
    }
}
