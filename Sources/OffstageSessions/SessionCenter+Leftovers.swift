// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Bodies that were spooled for tasks which were never handed over: their process was killed in between.
extension SessionCenter {
    /// All that a connection of the process handed over is in the store, or about to be.
    func processEnded(_ process: ProcessIdentity) {
        leftProcesses[process, default: 1] -= 1
        if leftProcesses[process] == 0 { leftProcesses[process] = nil }
        guard mayDeleteBodies, !isConnected(process) else { return }
        let peers = peers
        loop.startTask {
            // Its sockets are closed some time before it is no more.
            var pause = 0.05
            while !(await workers.run { peers.hasEnded(process) }) {
                guard pause < 10, !isStopping, !isConnected(process) else { return }
                await loop.sleep(seconds: pause)
                pause *= 2
            }
            await deleteBodiesOfTheDead()
        }
    }

    /// Deletes the spooled bodies of all processes that are no more, but for those that a task is to send.
    func deleteBodiesOfTheDead() async {
        let (folder, peers) = (paths.snapshots, peers)
        let found = await workers.run { () -> [ProcessIdentity: [String]] in
            var bodies: [ProcessIdentity: [String]] = [:]
            for name in Self.names(in: folder, suffix: "") {
                if let process = ProcessIdentity(spooledBody: name) { bodies[process, default: []].append(name) }
            }
            return bodies.filter { peers.hasEnded($0.key) }
        }
        // What a dead process handed over may still lie in its journal: its turn comes when that is taken in.
        for (process, names) in found where !isConnected(process) && leftProcesses[process] == nil {
            if isStopping { return }
            // A task that has ended needs its body no more: the daemon may have been killed before it deleted it.
            await queue.deleteUnclaimed(
                names,
                in: folder,
                prefix: process.spoolPrefix,
                kinds: [.queued, .waiting, .running, .paused]
            )
        }
    }

    /// Deletes what lies in the folders for downloads although its transfer has been forgotten: the daemon was killed
    /// in between.
    func deleteUnclaimedDownloads() async {
        let root = paths.downloads
        let found = await workers.run { () -> [String: [String]] in
            let folders = Self.names(in: root, suffix: "").map { root + "/" + $0 }
            return Dictionary(folders.map { ($0, Self.names(in: $0, suffix: "")) }) { $1 }
        }
        for (folder, names) in found where !isStopping {
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

    func isConnected(_ process: ProcessIdentity) -> Bool {
        clients.values.contains { $0.identity.process == process }
    }
}
