// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles
import OffstageRuntime

/// Finds and deletes files that no transfer needs any more. It holds no transfer, and its cost grows with the number of
/// files it is asked about.
struct TransferLeftovers: Sendable {
    let store: any SessionStore
    let lanes: FileLanes
    let places: TransferPlaces

    func delete(_ path: String) { delete([path]) }

    func delete(_ paths: [String]) {
        guard !paths.isEmpty else { return }
        let (home, others) = (lanes.home, paths.map { ($0, lanes.lane(for: $0)) }.filter { !$0.1.isHome })
        let elsewhere = Set(others.map(\.0))
        home.workers.submit { for path in paths where !elsewhere.contains(path) { AttemptFiles.delete(path) } }
        for (path, lane) in others { lane.workers.submit { AttemptFiles.delete(path) } }
    }

    /// Deletes the partial file of a download.
    func deletePartialFile(of transfer: Transfer) { delete(places.partialPath(of: transfer)) }

    /// Deletes the copies of the files that an app handed over to be sent.
    func deleteSnapshots(of transfer: Transfer) {
        for source in transfer.spec.sources where source.isSnapshot { delete(source.path) }
    }

    /// Deletes expired kept files that no task has taken.
    func sweepResumable() {
        let folder = places.resumable
        lanes.home.workers.submit { ResumableFiles.sweep(folder) }
    }

    /// The files that a finished transfer may have left for a retry, or for a delegate that was notified of its end.
    func files(of transfer: Transfer) -> [String] {
        var files = transfer.spec.sources.filter(\.isSnapshot).map(\.path)
        if !transfer.spec.isUpload, transfer.outcome?.isSuccess == false {
            files.append(places.partialPath(of: transfer))
        }
        guard transfer.spec.sessionTask != nil else { return files }
        let folder = places.responses(transfer.spec.owner) + "/"
        let arrived = [transfer.outcome?.answer?.bodyPath, transfer.spec.isUpload ? nil : transfer.spec.path]
        return files + arrived.compactMap(\.self).filter { $0.hasPrefix(folder) }
    }

    /// The files of session tasks that were only kept for the delegate.
    ///
    /// - Parameters:
    ///   - ended: tasks that have ended.
    ///   - filesTaken: tasks whose file the app has taken.
    ///   - acknowledged: tasks whose end the app has acknowledged.
    /// - Returns: the files' paths.
    func files(of ended: [TransferID: Transfer], filesTaken: [TransferID], acknowledged: [TransferID]) -> [String] {
        var files: [String] = []
        for id in filesTaken {
            if let transfer = ended[id], !transfer.spec.isUpload { files.append(transfer.spec.path) }
        }
        for id in acknowledged {
            guard let transfer = ended[id] else { continue }
            if let body = transfer.outcome?.answer?.bodyPath { files.append(body) }
            switch transfer.spec.direction {
            case .upload, .form: files += transfer.spec.sources.filter(\.isSnapshot).map(\.path)
            case .download: files += [transfer.spec.path, places.partialPath(of: transfer)]
            }
        }
        return files
    }

    /// Deletes snapshots that belong to no transfer: their owner died before it handed them over. Call it only when all
    /// earlier hand-overs are in the store.
    func sweepSnapshots() async {
        let folder = places.snapshots
        let names = await lanes.home.workers.run { OldFiles.names(in: folder, olderThan: 86_400) }
        // An app may keep the body of a task for as long as it likes before it resumes the task: deleting such bodies
        // is up to the sessions.
        for name in names where ProcessIdentity(spooledBody: name) == nil {
            let page = try? await store.page(TransferQuery(text: name, limit: 1))
            if page?.transfers.isEmpty == true { delete(folder + "/" + name) }
        }
    }

    /// Deletes the named files that no transfer sends or writes. Call it only when no transfer that uses one of them
    /// can be handed over any more.
    ///
    /// - Parameters:
    ///   - names: names of files in the folder.
    ///   - folder: the folder of the files.
    ///   - prefix: the common prefix of the names.
    ///   - kinds: the states in which a transfer has a claim on its file; nil for all.
    func deleteUnclaimed(
        _ names: [String],
        in folder: String,
        prefix: String,
        kinds: [TransferState.Kind]? = nil
    ) async {
        var unclaimed = Set(names.map { folder + "/" + $0 })
        var before: TransferID?
        while !unclaimed.isEmpty {
            let query = TransferQuery(kinds: kinds, text: folder + "/" + prefix, before: before, limit: 500)
            // If the store cannot be read, nothing is deleted: there will be another chance.
            guard let page = try? await store.page(query) else { return }
            for transfer in page.transfers { unclaimed.subtract(transfer.spec.paths) }
            before = page.transfers.last?.id
            if !page.hasMore || before == nil { break }
        }
        let deleted = unclaimed
        delete(Array(deleted))
    }

    /// Deletes the named files that are responses to transfers that no longer exist, or whose app has been notified of
    /// their end.
    func deleteUnclaimedResponses(_ names: [String], in folder: String) async {
        let ids = names.compactMap { ResponseFile.id(name: $0, storeToken: places.storeToken) }
        for start in stride(from: 0, to: ids.count, by: 256) {
            let chunk = Array(ids[start..<min(start + 256, ids.count)])
            // In this order: a transfer that ends in between is not mistaken for one whose app has been notified.
            guard let found = try? await store.transfers(chunk), let untold = try? await store.untold(chunk) else {
                return
            }
            let claimed = found.filter { !$0.isFinished || untold.contains($0.id) }
            for id in Set(chunk).subtracting(claimed.map(\.id)) {
                delete(ResponseFile.path(folder: folder, id: id, storeToken: places.storeToken))
            }
        }
    }
}
