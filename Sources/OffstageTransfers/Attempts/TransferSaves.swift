// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageRuntime

/// Saves completely received downloads under their names.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class TransferSaves: @unchecked Sendable {
    private let registry: TransferRegistry
    private let turns: TransferTurns
    private let places: TransferPlaces
    private let lanes: FileLanes
    private let log: Log

    /// How many times a save is retried: for about three minutes.
    private static let mostTries = 9
    private static let backoff = Backoff(first: 1, longest: 32)

    /// - Parameters:
    ///   - registry: the transfers.
    ///   - turns: a transfer that has survived its save is no longer suspect, and a long save must not hold up other
    ///     transfers.
    ///   - leftovers: where partial files are, and the threads that work with them.
    ///   - environment: provides the log for saves that must be retried.
    init(
        _ registry: TransferRegistry,
        _ turns: TransferTurns,
        _ leftovers: TransferLeftovers,
        _ environment: TransferQueue.Environment
    ) {
        self.registry = registry
        self.turns = turns
        log = environment.log
        places = leftovers.places
        lanes = leftovers.lanes
    }

    /// Checks, syncs and renames a file whose answer is committed.
    ///
    /// A save that fails temporarily is retried for a few minutes: the bytes are there and should not be fetched again.
    /// After a failed sync they may not be there, and the next sync would not report that: it is not retried.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - done: called on the loop with the saved file, or the reason for the failure. It is not called for a transfer
    ///     that was set aside or no longer wants the save, nor while the daemon stops.
    func save(_ id: TransferID, done: @escaping @Sendable (Result<FileSaver.Saved, SaveFailure>) -> Void) {
        save(id, tries: 0, done)
    }

    private func save(
        _ id: TransferID,
        tries: Int,
        _ done: @escaping @Sendable (Result<FileSaver.Saved, SaveFailure>) -> Void
    ) {
        guard let entry = registry[id], case .download(var target) = entry.transfer.spec.direction else { return }
        target.checksum = Checksum(expectedOf: entry.transfer)
        // A transfer that was being saved during the crashes gets here first.
        if case .setAside(let crashes) = registry.crashes.standing(of: .transfer(id)) {
            registry.step(id) { $0.setAside(crashes: crashes, now: $1) }
            return
        }
        let path = places.partialPath(of: entry.transfer)
        let saver = lanes.lane(for: path).saver
        let (descriptor, checkpoint) = (entry.run?.file?.fileDescriptor, entry.checkpoint)
        registry[id]?.run?.file = nil
        let expected = entry.transfer.partialFile
        let length = entry.transfer.bytesTotal
        let isTrusted = entry.transfer.holdsPartialFile(bootID: registry.now().bootID)
        let wantsDigest = entry.transfer.spec.digest != nil
        let modifiedAt = target.keepsRemoteTime == true ? entry.transfer.modificationAtSource : nil
        registry.loop.startTask { [target] in
            let result =
                if let lost = await checkpoint?.value {
                    await self.unsynced(descriptor, lost, path)
                } else if let descriptor {
                    await saver.save(
                        .init(
                            fileDescriptor: descriptor,
                            partialPath: path,
                            target: target,
                            wantsDigest: wantsDigest,
                            modifiedAt: modifiedAt
                        )
                    )
                } else {
                    await saver.recover(
                        partialPath: path,
                        target: target,
                        file: expected,
                        length: length,
                        wantsDigest: wantsDigest,
                        modifiedAt: modifiedAt,
                        isTrusted: isTrusted
                    )
                }
            offstage_under_way(id.rawValue, 0)
            self.turns.survived(id)
            guard case .failure(let failed) = result, !failed.isOfSync, failed.failure.code == .daemonInterrupted,
                tries < Self.mostTries
            else {
                self.report(result, id)
                return done(result)
            }
            guard await self.isStillMeant(id, after: failed.failure, tries: tries) else { return }
            self.save(id, tries: tries + 1, done)  // checked: our own
        }
    }

    /// Called when a sync of the file failed before all of it had arrived: the file is not saved.
    private func unsynced(
        _ descriptor: Int32?,
        _ lost: TransferFailure,
        _ path: String
    ) async -> Result<FileSaver.Saved, SaveFailure> {
        if let descriptor { await lanes.lane(for: path).workers.run { _ = close(descriptor) } }
        return .failure(SaveFailure(lost, isOfSync: true))
    }

    private func report(_ result: Result<FileSaver.Saved, SaveFailure>, _ id: TransferID) {
        guard case .failure(let failed) = result, failed.isOfSync else { return }
        log.error(
            "a sync of a file failed: what was not synced before is fetched again",
            ["transfer": id, "reason": failed.failure]
        )
    }

    /// Waits before a save is retried.
    ///
    /// - Returns: whether the save is still wanted.
    private func isStillMeant(_ id: TransferID, after failure: TransferFailure, tries: Int) async -> Bool {
        // This may take minutes: the other transfers must not wait for it.
        turns.settled(id)
        if tries == 0 {
            log.error("a file is not saved yet: tried again", ["transfer": id, "reason": failure])
        }
        if registry.isStopping { return false }
        await registry.loop.sleep(seconds: Self.backoff.delay(after: tries + 1))
        guard case .saving? = registry[id]?.transfer.state else { return false }
        return true
    }
}
