// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The observers that are told what happens to transfers.
struct TransferObservers {
    private struct Observer {
        var ids: Set<TransferID>?
        var onlyOutcomes: Bool
        var send: @Sendable (TransferNotice) -> Void
    }

    private var observers: [UInt64: Observer] = [:]
    private var next: UInt64 = 1

    var isEmpty: Bool { observers.isEmpty }

    /// Adds an observer, or adds these transfers to `known`, one of the same kind; see `TransferQueue.observe`.
    mutating func add(
        _ ids: [TransferID]?,
        onlyOutcomes: Bool,
        extending known: UInt64?,
        send: @escaping @Sendable (TransferNotice) -> Void
    ) -> UInt64 {
        if let known, observers[known] != nil {
            if let ids { observers[known]?.ids?.formUnion(ids) }
            return known
        }
        let token = next
        next += 1
        observers[token] = Observer(ids: ids.map(Set.init), onlyOutcomes: onlyOutcomes, send: send)
        return token
    }

    mutating func remove(_ token: UInt64) { observers[token] = nil }

    /// Notifies the observers of a transfer. The notice is created only if there are any.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - toAll: whether to include observers of outcomes only.
    ///   - notice: the notice to send.
    func send(about id: TransferID, toAll: Bool, _ notice: () -> TransferNotice) {
        let interested = observers.values.filter { (toAll || !$0.onlyOutcomes) && $0.ids?.contains(id) ?? true }
        guard !interested.isEmpty else { return }
        let notice = notice()
        for observer in interested { observer.send(notice) }
    }

    func send(_ list: [TransferNotice.Progress]) {
        for observer in observers.values where !observer.onlyOutcomes {
            let mine = observer.ids.map { ids in list.filter { ids.contains($0.id) } } ?? list
            if !mine.isEmpty { observer.send(.progress(mine)) }
        }
    }
}
