// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The files that running downloads are fetching: of two with the same name, only one could keep it at the end.
struct RunningTargets {
    let registry: TransferRegistry

    /// A running download with this target, reached by any path.
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

    /// The target path of a download in memory; nil for an upload, or while the server has yet to name the file.
    private func target(of id: TransferID) -> String? {
        guard case .download(let target)? = registry[id]?.transfer.spec.direction, target.remoteName != .wanted else {
            return nil
        }
        return target.path
    }

    /// Refuses downloads that would begin and fail at once because a running one has the same target. The cost grows
    /// with the number of running and handed-over transfers, not with the number of waiting ones.
    func check(_ specs: some Collection<TransferSpec>) throws(QueueError) {
        var taken: [String: TransferID] = [:]
        for id in registry.schedule.runningIDs { if let path = target(of: id) { taken[path] = id } }
        guard !taken.isEmpty else { return }
        for spec in specs where spec.sessionTask == nil && spec.predecessors.isEmpty && spec.earliestBegin == nil {
            guard case .download(let target) = spec.direction, target.remoteName != .wanted,
                let other = taken[target.path]
            else { continue }
            throw .notApplicable(
                "Transfer \(other) is already fetching \(target.path.redactedControls): name another file with -o, or end that one with 'offstage cancel \(other)'."
            )
        }
    }

    static func isFetched(_ path: String, by other: TransferID) -> TransferFailure {
        .init(.targetExists, "transfer \(other) is already fetching \(path.redactedControls)", rival: other)
    }
}
