// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Handles files that the server names. The name is decided and checked as soon as the response head arrives: a long
/// download must not end with a name that is already taken.
extension AttemptRunner {
    func named(_ id: TransferID, attempt: Int, _ name: String?) {
        guard registry[id]?.transfer.named(attempt: attempt, name) == true,
            case .download(let target)? = registry[id]?.transfer.spec.direction
        else { return }
        registry[id]?.isSpecChanged = true
        // Checked now, so that only the second of two downloads with the same name yields.
        let rival = targets.fetching(target.path, in: registry[id]?.run?.file?.folder) { $0 != id }
        registry.loop.startTask {
            await self.registry.persist(id)
            if let transfer = self.registry[id]?.transfer { self.notices.changed(transfer) }
            var problem = rival.map { RunningTargets.isFetched(target.path, by: $0) }
            if problem == nil {
                let workers = self.lanes.lane(for: target.path).workers
                problem = await workers.run { AttemptFiles.targetProblem(target) }
            }
            guard let problem, self.registry[id]?.transfer.spec.path == target.path else { return }
            self.registry.step(id) { $0.targetRefused(problem, attempt: attempt, now: $1) }
        }
    }
}
