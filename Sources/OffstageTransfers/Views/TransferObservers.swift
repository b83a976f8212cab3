// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Who is told what happens to transfers.
struct TransferObservers {
    private struct Observer {
        var ids: Set<TransferID>?
        var onlyOutcomes: Bool
        var send: @Sendable (TransferNotice) -> Void
    }

    private var observers: [UInt64: Observer] = [:]
    private var next: UInt64 = 1

    var isEmpty: Bool { observers.isEmpty }

    /// Adds one, or has one of the same kind that is `known` told of these as well; see `TransferQueue.observe`.
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

    /// Tells those who want to know of a transfer. The notice is made only where somebody does.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - toAll: whether those who want to know the end alone are told as well.
    ///   - notice: what they are told.
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
