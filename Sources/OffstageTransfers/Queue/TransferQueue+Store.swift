// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension TransferQueue {
    /// Brings transfers into memory: all that exist are there when this returns.
    ///
    /// - Returns: those that were found not to exist.
    @discardableResult
    func load(_ ids: [TransferID]) async -> Set<TransferID> {
        var absent: Set<TransferID> = []
        // Looked at again after every wait: whoever read a transfer may have let go of it before this task goes on.
        while true {
            let missing = ids.filter { live[$0] == nil && !absent.contains($0) }
            guard let first = missing.first else { return absent }
            let mine = missing.filter { loading[$0] == nil }
            if mine.isEmpty {
                await withCheckedContinuation { loading[first, default: []].append($0) }
            } else {
                await read(mine)
                absent.formUnion(mine.filter { live[$0] == nil })
            }
        }
    }

    /// Reads transfers that nobody else is reading. A store that fails is tried again.
    private func read(_ ids: [TransferID]) async {
        for id in ids { loading[id] = [] }
        let found = await trouble.waitOut(.reading, unless: { isStopping }) { () throws(StoreError) in
            try await store.transfers(ids)
        }
        for transfer in found ?? [] where live[transfer.id] == nil {
            live[transfer.id] = LiveTransfer(transfer: transfer)
        }
        for id in ids {
            for waiter in loading.removeValue(forKey: id) ?? [] { waiter.resume() }
        }
    }

    /// Makes what memory knows of a transfer durable. A store that fails is tried again: nothing is dropped.
    ///
    /// - Returns: false when the daemon stops before it is durable: nothing may follow from it then.
    @discardableResult
    func persist(_ id: TransferID) async -> Bool {
        guard live[id] != nil else { return true }
        live[id]?.pendingCommits += 1
        defer { live[id]?.pendingCommits -= 1 }
        let durable: Void? = await trouble.waitOut(.writing, unless: { isStopping }) { () throws(StoreError) in
            guard let entry = live[id] else { return }
            let transfer = entry.transfer.reaching(kept(of: entry.transfer))
            let change: TransferChange = entry.isSpecChanged ? .updateWithSpec(transfer) : .update(transfer)
            live[id]?.isSpecChanged = false
            do throws(StoreError) {
                try await store.commit([change])
            } catch {
                if entry.isSpecChanged { live[id]?.isSpecChanged = true }
                throw error
            }
        }
        return durable != nil
    }

    /// Drops a transfer from memory when nothing needs it there.
    func release(_ id: TransferID) {
        guard let entry = live[id], entry.pendingCommits == 0, entry.run == nil else { return }
        switch entry.transfer.state {
        case .running, .saving: return
        case .queued:
            if schedule.isRunning(id) || live.count <= Self.liveLimit { return }
        case .waiting, .paused, .finished: break
        }
        live[id] = nil
    }
}
