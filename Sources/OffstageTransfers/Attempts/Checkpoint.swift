// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles
import OffstageRuntime

/// Syncs a long download from time to time, so that a power loss costs at most the interval.
///
/// A file has one sync at a time: of several, only one would be notified of lost data, and the others would count as
/// successful. The next attempt and the saving of the file wait for it, for the same reason.
struct Checkpoint: Sendable {
    let registry: TransferRegistry
    let lanes: FileLanes
    let environment: TransferQueue.Environment

    /// Begins a sync if one is due. On the loop.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - failed: called on the loop if the sync has failed, once the transfer has been updated.
    func begin(_ id: TransferID, failed: @escaping @Sendable (TransferFailure) -> Void) {
        guard let entry = registry[id], let run = entry.run, let file = run.file, entry.checkpoint == nil,
            !entry.transfer.spec.isUpload, entry.transfer.partial?.isContinuable == true,
            entry.transfer.bytesDone - run.syncAskedAt >= environment.sync.interval,
            case .running(let attempt) = entry.transfer.state
        else { return }
        let (done, held) = (entry.transfer.bytesDone, run.attempt.held)
        registry[id]?.run?.syncAskedAt = done
        // A duplicate descriptor: the attempt may end and close its descriptor during this sync.
        let descriptor = fcntl(file.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { return }
        let path = entry.transfer.spec.path
        registry[id]?.isSyncing = true
        registry[id]?.checkpoint = registry.loop.startTask { () async -> TransferFailure? in
            let code = await self.sync(descriptor, on: self.lanes.lane(for: path).workers)
            self.registry[id]?.isSyncing = false
            guard let code else {
                self.registry[id]?.checkpoint = nil
                self.succeeded(id, attempt: attempt.number, done: done, held: held)
                return nil
            }
            // It stays on record: the file may be about to be saved.
            let failure = FileTrouble.ofTarget(code, path)
            self.record(failure, id)
            failed(failure)
            return failure
        }
    }

    private func sync(_ descriptor: Int32, on workers: WorkerPool) async -> Int32? {
        let sync = environment.sync
        return await workers.run {
            defer { close(descriptor) }
            return sync.run(descriptor, .content)
        }
    }

    private func succeeded(_ id: TransferID, attempt number: Int, done: Int64, held: ByteSpans?) {
        guard let entry = registry[id] else { return }
        if let held {
            registry[id]?.transfer.synced(held, attempt: number)
        } else {
            registry[id]?.transfer.progressed(
                attempt: number,
                done: entry.transfer.bytesDone,
                total: nil,
                synced: done
            )
        }
        persist(id)
    }

    /// Makes the transfer trust only the bytes that were synced before.
    private func record(_ failure: TransferFailure, _ id: TransferID) {
        environment.log.error(
            "a sync of a download failed: what has arrived since the last one is fetched again",
            ["transfer": id, "reason": failure]
        )
        registry.step(id) { transfer, _ in FailedSync(failure).record(in: &transfer) }
        persist(id)
    }

    private func persist(_ id: TransferID) {
        registry.loop.startTask {
            await self.registry.persist(id)
            // The transfer may have ended during the sync, which kept it in memory.
            self.registry.release(id)
        }
    }
}
