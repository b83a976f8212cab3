// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The files that downloads which run are fetching: only one of two could have the name in the end.
struct RunningTargets {
    let registry: TransferRegistry

    /// A download that runs and has this target, by whichever path.
    func fetching(_ path: String, in folder: TargetFolder?, where isMeant: (TransferID) -> Bool) -> TransferID? {
        let name = path.lastSlash.map(path.part(after:))
        return registry.schedule.runningIDs.first { other in
            guard isMeant(other), let file = registry[other]?.run?.file, let taken = target(of: other) else {
                return false
            }
            if taken == path { return true }
            return folder != nil && file.folder == folder && taken.lastSlash.map(taken.part(after:)) == name
        }
    }

    /// The path of a download in memory; nil for an upload, and while the name is still the server's to give.
    private func target(of id: TransferID) -> String? {
        guard case .download(let target)? = registry[id]?.transfer.spec.direction, target.remoteName != .wanted else {
            return nil
        }
        return target.path
    }

    /// Refuses what would begin at once and fail at once, since what runs has the same target. The cost grows with what
    /// runs and what is handed over, not with what waits.
    func check(_ specs: some Collection<TransferSpec>) throws(QueueError) {
        var taken: [String: TransferID] = [:]
        for id in registry.schedule.runningIDs { if let path = target(of: id) { taken[path] = id } }
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
