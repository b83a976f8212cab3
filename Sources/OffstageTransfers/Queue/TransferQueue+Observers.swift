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
        observers.add(ids, onlyOutcomes: onlyOutcomes, extending: known, send: send)
    }

    package func stopObserving(_ token: UInt64) { observers.remove(token) }

    func notifyChanged(_ transfer: Transfer) {
        guard !observers.isEmpty, !transfer.isFinished else { return }
        // A host may be mistyped: whoever waits for the end alone would wait for a week.
        observers.send(about: transfer.id, toAll: transfer.isUnreached) { .changed(snapshot(transfer)) }
    }

    func notifyFinished(_ transfer: Transfer) {
        observers.send(about: transfer.id, toAll: true) { .finished(snapshot(transfer)) }
    }
}
