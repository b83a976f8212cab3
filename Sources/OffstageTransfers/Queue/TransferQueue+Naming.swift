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
        let rival = fetching(target.path, in: live[id]?.run?.file?.folder) { $0 != id }
        loop.startTask {
            await persist(id)
            if let transfer = live[id]?.transfer { self.notifyChanged(transfer) }
            var problem = rival.map { Self.isFetched(target.path, by: $0) }
            if problem == nil { problem = await workers.run { AttemptFiles.targetProblem(target) } }
            guard let problem, live[id]?.transfer.spec.path == target.path else { return }
            self.step(id) { $0.targetRefused(problem, attempt: attempt, now: $1) }
        }
    }

    /// A download that runs and has this target, by whichever path.
    func fetching(_ path: String, in folder: TargetFolder?, where isMeant: (TransferID) -> Bool) -> TransferID? {
        let name = path.lastSlash.map(path.part(after:))
        return schedule.runningIDs.first { other in
            guard isMeant(other), let file = live[other]?.run?.file, let taken = target(of: other) else { return false }
            if taken == path { return true }
            return folder != nil && file.folder == folder && taken.lastSlash.map(taken.part(after:)) == name
        }
    }

    /// The path of a download in memory; nil for an upload, and while the name is still the server's to give.
    private func target(of id: TransferID) -> String? {
        guard case .download(let target)? = live[id]?.transfer.spec.direction, target.remoteName != .wanted else {
            return nil
        }
        return target.path
    }

    /// Refuses what would begin at once and fail at once, since what runs has the same target. The cost grows with what
    /// runs and what is handed over, not with what waits.
    func checkTargets(of specs: some Collection<TransferSpec>) throws(QueueError) {
        var taken: [String: TransferID] = [:]
        for id in schedule.runningIDs { if let path = target(of: id) { taken[path] = id } }
        guard !taken.isEmpty else { return }
        for spec in specs where spec.sessionTask == nil && spec.predecessors.isEmpty && spec.earliestBegin == nil {
            guard case .download(let target) = spec.direction, target.remoteName != .wanted,
                let other = taken[target.path]
            else { continue }
            throw .notApplicable(
                "Transfer \(other) is fetching \(target.path.redactedControls) already: name another file with -o, or end that one with 'offstage cancel \(other)'."
            )
        }
    }

    static func isFetched(_ path: String, by other: TransferID) -> TransferFailure {
        .init(.targetExists, "transfer \(other) is fetching \(path.redactedControls) already", rival: other)
    }
}
