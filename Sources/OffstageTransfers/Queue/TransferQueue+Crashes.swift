// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// What becomes of transfers that were running at crashes of the daemon: `CrashContainment` decides.
extension TransferQueue {
    /// Seconds that a suspect is watched alone, however long its attempt takes.
    private static let trialTime = 30.0

    /// Puts a transfer in line for its turn; a suspect behind other suspects, or aside.
    func lineUp(_ transfer: Transfer) {
        switch crashes.standing(of: .transfer(transfer.id)) {
        case .free: enqueue(transfer)
        case .alone:
            // Once it is being tried it is in line as any other, for each of its attempts.
            if trials.current == transfer.id { return enqueue(transfer) }
            trials.add(transfer.id)
            beginTrial()
        case .setAside(let crashes):
            let id = transfer.id
            // A turn later: this step is being finished.
            loop.startTask {
                await load([id])
                self.step(id) { $0.setAside(crashes: crashes, now: $1) }
            }
        }
    }

    private func enqueue(_ transfer: Transfer) {
        schedule.enqueue(
            transfer.id,
            owner: transfer.spec.owner,
            session: transfer.spec.sessionTask?.session,
            hostKey: transfer.spec.url.hostKey,
            priority: transfer.spec.priority,
            perHost: transfer.spec.connectionsPerHost,
            needs: transfer.spec.needs
        )
    }

    private func beginTrial() {
        guard !isStopping, let id = trials.next() else { return }
        loop.startTask {
            await load([id])
            guard let transfer = live[id]?.transfer, case .queued = transfer.state else { return trialEnded(id) }
            enqueue(transfer)
            fill()
            await loop.sleep(seconds: Self.trialTime)
            // It may run on: others have waited long enough.
            trialEnded(id)
        }
    }

    /// A suspect's turn to be watched is over.
    func trialEnded(_ id: TransferID) {
        if trials.end(id) { beginTrial() }
    }

    /// An attempt has come to an end, of whatever kind, and so has a suspicion.
    func survived(_ id: TransferID) {
        crashes.survived(.transfer(id))
        trialEnded(id)
    }

    /// Reads a record once more that could not be read, or must not be: a person asks for it.
    func readAgain(_ id: TransferID) async throws(QueueError) {
        crashes.release(.transfer(id))
        live[id] = nil
        await load([id])
        guard let transfer = live[id]?.transfer else { throw .notFound(id) }
        if transfer.isUnreadable {
            throw .notApplicable("The record of transfer \(id) still cannot be read: 'offstage doctor' says more.")
        }
        // As a daemon that starts would have gone on with it.
        _ = await step(id) { $0.restored(now: $1) }?.value
        fill()
    }
}
