// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension TransferQueue {
    /// Brings transfers into memory.
    ///
    /// - Returns: those that were found not to exist.
    @discardableResult
    func load(_ ids: [TransferID]) async -> Set<TransferID> {
        var absent: Set<TransferID> = []
        // Again for those that another task was reading: it may have let go of them before this one went on, and a
        // wake-up or a turn in the line would be lost.
        while true {
            let missing = ids.filter { live[$0] == nil && !absent.contains($0) }
            if missing.isEmpty { return absent }
            let mine = missing.filter { loading[$0] == nil }
            if !mine.isEmpty { absent.formUnion(await read(mine)) }
            for id in missing where loading[id] != nil {
                await withCheckedContinuation { loading[id, default: []].append($0) }
            }
        }
    }

    /// Reads transfers from the store into memory and returns those that are not there.
    private func read(_ ids: [TransferID]) async -> Set<TransferID> {
        for id in ids { loading[id] = [] }
        var found: [Transfer] = []
        while true {
            do {
                found = try await store.transfers(ids)
                break
            } catch {
                noteTrouble(error)
                if isStopping { break }
                await sleep(seconds: 1)
            }
        }
        for transfer in found where live[transfer.id] == nil {
            live[transfer.id] = LiveTransfer(transfer: transfer)
        }
        for id in ids {
            for waiter in loading.removeValue(forKey: id) ?? [] { waiter.resume() }
        }
        return Set(ids.filter { live[$0] == nil })
    }

    /// Makes what memory knows of a transfer durable. A store that fails is tried again: nothing is dropped.
    func persist(_ id: TransferID) async {
        guard live[id] != nil else { return }
        live[id]?.pendingCommits += 1
        defer { live[id]?.pendingCommits -= 1 }
        while let transfer = live[id]?.transfer {
            do {
                try await store.commit([.update(transfer)])
                storeTrouble = nil
                return
            } catch {
                noteTrouble(error)
                if isStopping { return }
                await sleep(seconds: 1)
            }
        }
    }

    /// Drops a transfer from memory when nothing needs it there.
    func release(_ id: TransferID) {
        guard let entry = live[id], entry.pendingCommits == 0, entry.file == nil else { return }
        switch entry.transfer.state {
        case .running, .saving: return
        case .queued:
            if schedule.isRunning(id) || live.count <= Self.liveLimit { return }
        case .waiting, .paused, .finished: break
        }
        live[id] = nil
    }

    func noteTrouble(_ error: any Error) {
        let detail = (error as? StoreError)?.sentence ?? "\(error)"
        if storeTrouble?.detail != detail {
            storeTrouble = (detail, environment.now().wall)
            environment.log(detail)
        }
    }
}
