// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Files whose names are the server's to give: decided when the answer's head is there, and looked at at once, so that
/// nobody learns at the end of a long download that its name is taken.
extension TransferQueue {
    func named(_ id: TransferID, attempt: Int, _ name: String?) {
        guard live[id]?.transfer.named(attempt: attempt, name) == true,
            case .download(let target)? = live[id]?.transfer.spec.direction
        else { return }
        live[id]?.isSpecChanged = true
        // Now, so that of two that are given one name the second alone has to yield.
        let rival = fetching(target.path) { $0 != id }
        loop.startTask {
            await persist(id)
            if let transfer = live[id]?.transfer { self.notifyChanged(transfer) }
            var problem = rival.map { Self.isFetched(target.path, by: $0) }
            if problem == nil { problem = await workers.run { AttemptFiles.targetProblem(target) } }
            guard let problem, live[id]?.transfer.spec.path == target.path else { return }
            self.step(id) { $0.targetRefused(problem, attempt: attempt, now: $1) }
        }
    }

    /// A download that runs and has this target.
    func fetching(_ path: String, where isMeant: (TransferID) -> Bool) -> TransferID? {
        schedule.runningIDs.first { other in
            guard isMeant(other), live[other]?.file != nil,
                case .download(let taken)? = live[other]?.transfer.spec.direction
            else { return false }
            return taken.remoteName != .wanted && taken.path == path
        }
    }

    static func isFetched(_ path: String, by other: TransferID) -> TransferFailure {
        .init(.targetExists, "transfer \(other) is fetching \(path.redactedControls) already")
    }
}
