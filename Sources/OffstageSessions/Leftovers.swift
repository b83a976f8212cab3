// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles
import OffstageRuntime

/// Unneeded files that apps and earlier daemons left: bodies spooled for tasks that were never handed over because
/// their process was killed in between, and downloads whose transfer has been forgotten.
///
/// `@unchecked Sendable`: belongs to the loop, like its users.
final class Leftovers: @unchecked Sendable {
    private let loop: EventLoop
    private let queue: any SessionTransfers
    private let peers: PeerReader
    private let workers: WorkerPool
    private let paths: OffstagePaths
    private let readiness: SessionReadiness
    /// Whether everything handed over to the daemon before is in the store.
    private var mayDeleteBodies = false
    private var isConnected: (ProcessIdentity) -> Bool = { _ in false }
    private var hasJournal: (ProcessIdentity) -> Bool = { _ in false }
    private var appsSetAside: () -> Set<String> = { [] }

    init(
        loop: EventLoop,
        queue: any SessionTransfers,
        peers: PeerReader,
        workers: WorkerPool,
        paths: OffstagePaths,
        readiness: SessionReadiness
    ) {
        self.loop = loop
        self.queue = queue
        self.peers = peers
        self.workers = workers
        self.paths = paths
        self.readiness = readiness
    }

    /// - Parameters:
    ///   - isConnected: whether a process has a connection.
    ///   - hasJournal: whether one of its journals, which may name its bodies, has not been imported yet.
    ///   - appsSetAside: apps with journals that are left to a later daemon.
    func start(
        isConnected: @escaping (ProcessIdentity) -> Bool,
        hasJournal: @escaping (ProcessIdentity) -> Bool,
        appsSetAside: @escaping () -> Set<String>
    ) {
        (self.isConnected, self.hasJournal, self.appsSetAside) = (isConnected, hasJournal, appsSetAside)
    }

    /// Deletes all leftovers. All hand-overs to the daemon before are in the store, except in journals set aside.
    func deleteAll() async {
        mayDeleteBodies = true
        // Bodies are among the snapshots, whose oldest files are deleted regardless of their writer.
        if await deleteBodiesOfTheDead() { await queue.sweepSnapshots() }
        await deleteUnclaimedDownloads()
    }

    /// Handles the end of a process. Everything that its connections handed over is in the store, or soon will be.
    func processEnded(_ process: ProcessIdentity) {
        guard mayDeleteBodies, !isConnected(process) else { return }
        let peers = peers
        loop.startTask {
            // Its sockets are closed some time before the process ends.
            var pause = 0.05
            while !(await self.workers.run { peers.hasEnded(process) }) {
                guard pause < 10, !self.readiness.isStopping, !self.isConnected(process) else { return }
                await self.loop.sleep(seconds: pause)
                pause *= 2
            }
            await self.deleteBodiesOfTheDead()
        }
    }

    /// Deletes the spooled bodies of all ended processes, except those that a task will send.
    ///
    /// - Returns: false if none may be deleted, because a journal has been set aside: it is unknown which bodies its
    ///   tasks name, and which process wrote it.
    @discardableResult
    private func deleteBodiesOfTheDead() async -> Bool {
        guard appsSetAside().isEmpty else { return false }
        let (folder, journals, peers) = (paths.snapshots, paths.journals, peers)
        let listed = await workers.run { () -> [ProcessIdentity: [String]]? in
            if JournalFolder.holdsAside(journals) { return nil }
            var bodies: [ProcessIdentity: [String]] = [:]
            for name in FolderNames.all(in: folder) {
                if let process = ProcessIdentity(spooledBody: name) { bodies[process, default: []].append(name) }
            }
            return bodies.filter { peers.hasEnded($0.key) }
        }
        guard let found = listed else { return false }
        // The tasks of an ended process may still be in its journal. Its turn comes once that has been imported.
        for (process, names) in found where !isConnected(process) && !hasJournal(process) {
            if readiness.isStopping { return true }
            // An ended task no longer needs its body: the daemon may have been killed before deleting it.
            await queue.deleteUnclaimed(
                names,
                in: folder,
                prefix: process.spoolPrefix,
                kinds: [.queued, .waiting, .running, .paused]
            )
        }
        return true
    }

    /// Deletes downloads whose transfer has been forgotten, because the daemon was killed in between.
    private func deleteUnclaimedDownloads() async {
        let root = paths.downloads
        let found = await workers.run { () -> [String: [String]] in
            let folders = FolderNames.all(in: root).map { root + "/" + $0 }
            return Dictionary(folders.map { ($0, FolderNames.all(in: $0)) }) { $1 }
        }
        let kept = Set(appsSetAside().map { root + "/" + AppIdentity.folderName(for: $0) })
        for (folder, names) in found where !readiness.isStopping && !kept.contains(folder) {
            let prefix = "CFNetworkDownload_"
            await queue.deleteUnclaimed(
                names.filter { $0.hasPrefix(prefix) },
                in: folder,
                prefix: prefix,
                kinds: nil
            )
            await queue.deleteUnclaimedResponses(names, in: folder)
        }
    }
}
