// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageRuntime

/// The reasons for transfers' states.
extension TransferViews {
    /// The reason for a transfer's state: the single value that all output is based on.
    func reason(for transfer: Transfer, lineCause: Reason.Cause?) -> Reason {
        let now = registry.now()
        if let stall = stall(of: transfer) { return stall }
        switch transfer.state {
        case .queued(let since): return reason(forQueued: transfer, since: since, lineCause: lineCause)
        case .waiting(let wait):
            switch wait.cause {
            case .retry(let failure, let deadline):
                return Reason(
                    cause: .retry(failure, attempts: transfer.attempts),
                    since: wait.since,
                    nextLook: deadline.date(at: now)
                )
            case .predecessors(let all):
                // A predecessor that keeps it from ever beginning on its own comes first.
                let first = all.first { $0.end != nil } ?? all.first
                // checked: a count of at most `TransferSpec.mostPredecessors`
                let cause = first.map { Reason.Cause.predecessor($0, others: all.count - 1) }
                return Reason(cause: cause ?? .inLine(ahead: 0), since: wait.since)
            case .earliestBegin(let date):
                return Reason(cause: .earliestBegin, since: wait.since, nextLook: date)
            case .credentials(let host):
                let next = wait.askAgain?.date(at: now)
                return Reason(cause: .credentials(host: host), since: wait.since, nextLook: next)
            case .account(let failure): return Reason(cause: .account(failure), since: wait.since)
            case .keeper(let isRefused): return Reason(cause: .keeper(isRefused: isRefused), since: wait.since)
            case .setAside(let crashes): return Reason(cause: .setAside(crashes: crashes), since: wait.since)
            case .unreadable(let crashes): return Reason(cause: .unreadable(crashes: crashes), since: wait.since)
            case .delegate(let question):
                return Reason(cause: .appDecides(app: transfer.spec.owner, question), since: wait.since)
            }
        case .running(let attempt): return Reason(cause: .running, since: attempt.startedAt.wall)
        case .saving(_, let since): return Reason(cause: .saving, since: since)
        case .paused(let since, _): return Reason(cause: .paused, since: since)
        case .finished(let outcome, let date):
            switch outcome {
            case .completed(let answer):
                let cause = answer.saysThere == true ? Reason.Cause.leftOut : .completed(status: answer.status)
                return Reason(cause: cause, since: date.wall)
            case .failed(let failure, _): return Reason(cause: .failed(failure), since: date.wall)
            case .released: return Reason(cause: .released, since: date.wall)
            case .cancelled, .cancelledByQuit: return Reason(cause: .cancelled, since: date.wall)
            }
        }
    }

    /// The reason for a transfer that is known to wait for its file system, and has not ended or been stopped since.
    private func stall(of transfer: Transfer) -> Reason? {
        guard let stall = registry[transfer.id]?.stall else { return nil }
        switch transfer.state {
        case .queued, .running, .saving:
            return Reason(cause: .fileSystem(folder: FileSaver.directory(of: stall.path)), since: stall.since)
        case .waiting, .paused, .finished: return nil
        }
    }

    private func reason(forQueued transfer: Transfer, since: Date, lineCause: Reason.Cause?) -> Reason {
        if let standing = registry.trouble.standing {
            return Reason(cause: .storeTrouble(standing.sentence), since: standing.since)
        }
        if let problem = turns.networkProblem(of: transfer), turns.detour(of: transfer) == nil {
            return Reason(cause: .network(problem), since: since)
        }
        if let hold = turns.hold(of: transfer) {
            if hold == .fleet, let held = turns.fleetHold() {
                let due = turns.limits.fleets.due
                return Reason(cause: .heldByFleet(held.fleet, held.value), since: since, nextLook: due)
            }
            let due = hold == .schedule ? turns.limits.until : nil
            return Reason(cause: .held(hold), since: since, nextLook: due)
        }
        if let crashes = turns.suspectedCrashes(of: transfer.id) {
            return Reason(cause: .suspected(crashes: crashes), since: since)
        }
        if case .totalLimit(let running, let limit) = lineCause, let most = turns.fleetLimit() {
            return Reason(cause: .fleetLimit(fleet: most.fleet, running: running, limit: limit), since: since)
        }
        // A transfer whose file is being opened is no longer in line, and begins next.
        return Reason(cause: lineCause ?? .inLine(ahead: 0), since: since)
    }
}
