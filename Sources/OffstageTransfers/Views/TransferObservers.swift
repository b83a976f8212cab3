// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The observers that are notified of transfers' events.
struct TransferObservers {
    private struct Observer {
        var ids: Set<TransferID>?
        var onlyOutcomes: Bool
        var send: @Sendable (TransferNotice, UInt64) -> Void
    }

    private var observers: [UInt64: Observer] = [:]
    private var next: UInt64 = 1
    private let numbers = Numbers()

    /// Numbers notices: observers of the same notice get the same number. A reference type, because an observer may be
    /// removed while being notified.
    private final class Numbers {
        private var last: UInt64 = 0

        func next() -> UInt64 {
            last += 1
            return last
        }
    }

    var isEmpty: Bool { observers.isEmpty }
    /// Whether any observer is notified of more than how transfers end.
    var areToldOfChanges: Bool { observers.values.contains { !$0.onlyOutcomes } }

    /// Adds an observer, or adds these transfers to `known`, one of the same kind; see `TransferQueue.observe`.
    mutating func add(
        _ ids: [TransferID]?,
        onlyOutcomes: Bool,
        extending known: UInt64?,
        send: @escaping @Sendable (TransferNotice, UInt64) -> Void
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
        let number = numbers.next()
        for observer in interested { observer.send(notice, number) }
    }

    func send(_ list: [TransferNotice.Progress]) {
        guard !list.isEmpty else { return }
        let interested = observers.values.filter { !$0.onlyOutcomes }
        let number = numbers.next()
        for observer in interested where observer.ids == nil { observer.send(.progress(list), number) }
        for observer in interested {
            guard let ids = observer.ids else { continue }
            let mine = list.filter { ids.contains($0.id) }
            if !mine.isEmpty { observer.send(.progress(mine), numbers.next()) }
        }
    }
}
