// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Carries out the actions of a transfer's rule: passes each to the part that handles it.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class TransferActions: TransferFollower, @unchecked Sendable {
    private let registry: TransferRegistry
    private let turns: TransferTurns
    private let agenda: TransferAgenda
    private let predecessors: PredecessorWatch
    private let runner: AttemptRunner
    private let notices: TransferNotices
    private let housekeeping: TransferHousekeeping
    private let environment: TransferQueue.Environment
    /// Calls the credential helper, if there is one.
    private var askForCredentials: (Transfer) -> Void = { _ in }

    init(
        _ registry: TransferRegistry,
        _ turns: TransferTurns,
        _ agenda: TransferAgenda,
        _ predecessors: PredecessorWatch,
        _ runner: AttemptRunner,
        _ notices: TransferNotices,
        _ housekeeping: TransferHousekeeping,
        _ environment: TransferQueue.Environment
    ) {
        self.registry = registry
        self.turns = turns
        self.agenda = agenda
        self.predecessors = predecessors
        self.runner = runner
        self.notices = notices
        self.housekeeping = housekeeping
        self.environment = environment
    }

    /// Follows all decisions from now on.
    ///
    /// - Parameter askForCredentials: calls the credential helper, if there is one.
    func start(_ askForCredentials: @escaping (Transfer) -> Void) {
        self.askForCredentials = askForCredentials
        registry.follower = self
    }

    // MARK: TransferFollower

    func perform(_ actions: [TransferAction], for transfer: Transfer) {
        for action in actions { perform(action, for: transfer) }
    }

    func decided(_ transfer: Transfer, before: Transfer) {
        agenda.recordWait(transfer)
        predecessors.updateAwaited(transfer, before: before)
        runner.keepers.decided(transfer)
    }

    func keepPartialFile(of id: TransferID) async { await runner.keepPartialFile(of: id) }

    func awaitRequests(of id: TransferID) async { await runner.awaitRequests(of: id) }

    func committed(_ decided: Transfer, before: Transfer, _ actions: [TransferAction]) {
        let id = decided.id
        let transfer = registry[id]?.transfer ?? decided
        if !transfer.isBeingSaved { turns.settled(id) }
        perform(actions, for: transfer)
        if !actions.contains(where: \.isDeliver) { notices.changed(transfer) }
        notices.waits(decided, before: before.state)
        registry.release(id)
        turns.fill()
        if before.isFinished, !decided.isFinished { predecessors.changed(id) }
    }

    // MARK: Actions

    private func perform(_ action: TransferAction, for transfer: Transfer) {
        let id = transfer.id
        switch action {
        case .enqueue:
            guard case .queued = transfer.state, !registry.isStopping else { return }
            turns.lineUp(transfer)
        case .dequeue:
            turns.leave(id)
            runner.abandonOpening(of: id)
            turns.trialEnded(id)
        case .begin(let attempt): runner.begun(id, number: attempt)
        case .stop:
            turns.leave(id)
            turns.trialEnded(id)
            runner.breakOff(id)
        case .save: runner.save(id)
        case .wake(let deadline): agenda.wake(id, at: deadline)
        case .wakeAt(let date): agenda.wake(id, at: date)
        case .awaitPredecessors: predecessors.add(transfer)
        case .askForCredentials: askForCredentials(transfer)
        case .askDelegate(let question): notices.sessions.ask(question, of: transfer)
        case .keepPartialFile, .awaitRequests: break  // done before the commit
        case .awaitKeeper: runner.keepers.wait(transfer)
        case .deletePartialFile: housekeeping.leftovers.deletePartialFile(of: transfer)
        case .deleteSnapshot: housekeeping.leftovers.deleteSnapshots(of: transfer)
        case .deliver(let outcome): deliver(outcome, of: transfer)
        }
    }

    private func deliver(_ outcome: TransferOutcome, of transfer: Transfer) {
        if case .failed(let failure, _) = outcome {
            environment.log.notice(
                "a transfer failed",
                ["transfer": transfer.id, "url": transfer.spec.url, "reason": failure]
            )
        }
        // A transfer that was begun again in the meantime needs its deadlines.
        if transfer.isFinished { agenda.ended(transfer.id) }
        registry.metrics.ended(outcome, isUpload: transfer.spec.isUpload)
        runner.dialects.forgetDigests(of: transfer.id)
        if outcome.isCancelled, outcome != .released { runner.bidFarewell(transfer) }
        notices.finished(transfer)
        predecessors.changed(transfer.id, hasCompleted: outcome.isSuccess)
        if let completion = transfer.spec.completionCommand {
            environment.runCommand(
                completion.command,
                completion.workingDirectory,
                Self.completionVariables(transfer, outcome)
            )
        }
        housekeeping.record(ended: 1)
    }

    private static func completionVariables(_ transfer: Transfer, _ outcome: TransferOutcome) -> [String: String] {
        var variables = [
            "OFFSTAGE_ID": "\(transfer.id)",
            "OFFSTAGE_PATH": transfer.spec.path,
            "OFFSTAGE_URL": transfer.spec.dialect?.destination ?? transfer.spec.url.withoutQuery,
            "OFFSTAGE_STATUS": outcome.answer.map { "\($0.status)" } ?? "",
        ]
        switch outcome {
        case .completed: variables["OFFSTAGE_RESULT"] = "completed"
        case .failed(let failure, _):
            variables["OFFSTAGE_RESULT"] = "failed"
            variables["OFFSTAGE_ERROR"] = failure.detail
        case .cancelled, .cancelledByQuit, .released: variables["OFFSTAGE_RESULT"] = "cancelled"
        }
        return variables
    }
}

extension Transfer {
    fileprivate var isBeingSaved: Bool {
        if case .saving = state { true } else { false }
    }
}

extension TransferAction {
    fileprivate var isDeliver: Bool {
        if case .deliver = self { true } else { false }
    }
}
