// SPDX-License-Identifier: Apache-2.0
import CCurl
import COffstageLinux
import OffstageCore
import OffstageRuntime

/// Saves downloads whose bytes have all arrived under their names.
extension AttemptRunner {
    /// Checks, syncs and renames a file whose answer is committed.
    ///
    /// A save that fails temporarily is retried for a few minutes: the bytes are there and should not be fetched again.
    func save(_ id: TransferID, tries: Int = 0) {
        guard let entry = registry[id], case .download(var target) = entry.transfer.spec.direction else { return }
        target.checksum = Checksum(expectedOf: entry.transfer)
        // A transfer that was being saved during those crashes gets here first.
        if case .setAside(let crashes) = registry.crashes.standing(of: .transfer(id)) {
            registry.step(id) { $0.setAside(crashes: crashes, now: $1) }
            return
        }
        let path = places.partialPath(of: entry.transfer)
        let descriptor = entry.run?.file?.fileDescriptor
        registry[id]?.run?.file = nil
        let expected = entry.transfer.partialFile
        let length = entry.transfer.bytesTotal
        let isTrusted = entry.transfer.holdsPartialFile(bootID: registry.now().bootID)
        let wantsDigest = entry.transfer.spec.digest != nil
        let modifiedAt = target.keepsRemoteTime == true ? Self.modification(of: entry.transfer) : nil
        registry.loop.startTask { [target] in
            let result =
                if let descriptor {
                    await self.saver.save(
                        .init(
                            fileDescriptor: descriptor,
                            partialPath: path,
                            target: target,
                            wantsDigest: wantsDigest,
                            modifiedAt: modifiedAt
                        )
                    )
                } else {
                    await self.saver.recover(
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
            await self.took(result, of: id, tries: tries)
        }
    }

    private func took(_ result: Result<FileSaver.Saved, TransferFailure>, of id: TransferID, tries: Int) async {
        switch result {
        case .success(let saved):
            handle(.saved, of: id)
            registry.step(id) { $0.saved(nil, bytes: saved.length, digest: saved.digest, now: $1) }
        case .failure(let failure):
            guard failure.code == .daemonInterrupted, tries < Self.saveTries else {
                handle(.saved, of: id)
                registry.step(id) { $0.saved(failure, bytes: nil, now: $1) }
                return
            }
            // This may take minutes: the other transfers must not wait for it.
            turns.settled(id)
            if tries == 0 {
                environment.log.error("a file is not saved yet: tried again", ["transfer": id, "reason": failure])
            }
            if registry.isStopping { return }
            await registry.loop.sleep(seconds: Double(1 << min(tries, 5)))
            guard case .saving? = registry[id]?.transfer.state else { return }
            save(id, tries: tries + 1)  // checked: our own
        }
    }

    /// The server's `Last-Modified` time in seconds since 1970; nil if absent.
    private static func modification(of transfer: Transfer) -> Int? {
        guard case .saving(let answer, _) = transfer.state, let text = answer.headers["Last-Modified"] else {
            return nil
        }
        let seconds = curl_getdate(text, nil)
        return seconds >= 0 ? seconds : nil
    }

    /// How many times a save is retried: for about three minutes.
    private static let saveTries = 9
}
