// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension TransferQueue {
    /// Tells `send`, on the loop and in order, what happens to these transfers, or to all when nil; with
    /// `onlyOutcomes`, only how they end, and when nothing answers for long.
    ///
    /// An observation of the same kind that is `known` is told of these as well, and its token returned: many of them
    /// would cost every notice a look at each.
    package func observe(
        _ ids: [TransferID]?,
        onlyOutcomes: Bool = false,
        extending known: UInt64? = nil,
        send: @escaping @Sendable (TransferNotice) -> Void
    ) -> UInt64 {
        if let known, observers[known] != nil {
            if let ids { observers[known]?.ids?.formUnion(ids) }
            return known
        }
        let token = nextObserver
        nextObserver += 1
        observers[token] = Observer(ids: ids.map(Set.init), onlyOutcomes: onlyOutcomes, send: send)
        return token
    }

    package func stopObserving(_ token: UInt64) {
        observers[token] = nil
    }

    func notifyChanged(_ transfer: Transfer) {
        guard !observers.isEmpty, !transfer.isFinished else { return }
        // A host may be mistyped: whoever waits for the end alone would wait for a week.
        let isUnreached = transfer.isUnreached
        let interested = observers.values.filter {
            (isUnreached || !$0.onlyOutcomes) && $0.ids?.contains(transfer.id) ?? true
        }
        guard !interested.isEmpty else { return }
        let notice = TransferNotice.changed(snapshot(transfer))
        for observer in interested { observer.send(notice) }
    }

    func notifyFinished(_ transfer: Transfer) {
        guard !observers.isEmpty else { return }
        notify(.finished(snapshot(transfer)), about: transfer.id)
    }

    func notify(_ notice: TransferNotice, about id: TransferID) {
        for observer in observers.values where observer.ids?.contains(id) ?? true { observer.send(notice) }
    }

    func notifyProgress(_ list: [TransferNotice.Progress]) {
        for observer in observers.values where !observer.onlyOutcomes {
            let mine = observer.ids.map { ids in list.filter { ids.contains($0.id) } } ?? list
            if !mine.isEmpty { observer.send(.progress(mine)) }
        }
    }
}
