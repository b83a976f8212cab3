// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles
import OffstageRuntime

/// Finds and deletes files that no transfer needs any more. It holds no transfer, and its work grows with the files that it is
/// asked about.
struct TransferLeftovers: Sendable {
    let store: any SessionStore
    let workers: WorkerPool
    let places: TransferPlaces

    func delete(_ path: String) { delete([path]) }

    func delete(_ paths: [String]) {
        guard !paths.isEmpty else { return }
        workers.submit { for path in paths { AttemptFiles.delete(path) } }
    }

    /// Deletes what has arrived of a download.
    func deletePartialFile(of transfer: Transfer) { delete(places.partialPath(of: transfer)) }

    /// Deletes what an app handed over to be sent, which was copied for that.
    func deleteSnapshots(of transfer: Transfer) {
        for source in transfer.spec.sources where source.isSnapshot { delete(source.path) }
    }

    /// Deletes kept files that nobody came for.
    func sweepResumable() {
        let folder = places.resumable
        workers.submit { ResumableFiles.sweep(folder) }
    }

    /// What a finished transfer may have left for a retry, or for a delegate that was told of it.
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

    /// What of a session's tasks only waited for the delegate.
    ///
    /// - Parameters:
    ///   - ended: tasks that have ended.
    ///   - filesTaken: those whose file the app has taken.
    ///   - acknowledged: those whose end the app has been told.
    /// - Returns: their paths.
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

    /// Deletes snapshots that no transfer knows: their owner died before it handed them over. To be called only when
    /// everything that was handed over to the daemon before is in the store.
    func sweepSnapshots() async {
        let folder = places.snapshots
        let names = await workers.run { OldFiles.names(in: folder, olderThan: 86_400) }
        for name in names {
            let page = try? await store.page(TransferQuery(text: name, limit: 1))
            if page?.transfers.isEmpty == true { delete(folder + "/" + name) }
        }
    }

    /// Deletes those of the named files that no transfer sends or makes. To be called when nobody hands over a transfer
    /// with one of them any more.
    ///
    /// - Parameters:
    ///   - names: files in the folder.
    ///   - folder: where they are.
    ///   - prefix: what all the names begin with.
    ///   - kinds: what a transfer must be to have a claim on its file; nil for anything.
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
            // Without an answer nothing is deleted: there is another time.
            guard let page = try? await store.page(query) else { return }
            for transfer in page.transfers { unclaimed.subtract(transfer.spec.paths) }
            before = page.transfers.last?.id
            if !page.hasMore || before == nil { break }
        }
        let deleted = unclaimed
        delete(Array(deleted))
    }

    /// Deletes those of the named files that are responses to transfers which are not there any more, or whose app has
    /// been told.
    func deleteUnclaimedResponses(_ names: [String], in folder: String) async {
        let ids = names.compactMap { ResponseFile.id(name: $0, storeToken: places.storeToken) }
        for start in stride(from: 0, to: ids.count, by: 256) {
            let chunk = Array(ids[start..<min(start + 256, ids.count)])
            // In this order: what has ended in between is not taken for what its app has been told.
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
