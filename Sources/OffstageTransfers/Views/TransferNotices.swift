// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Tells what happens to transfers: observers of any, and sessions of their tasks.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class TransferNotices: @unchecked Sendable {
    let views: TransferViews
    let sessions: SessionReports
    private var observers = TransferObservers()

    init(_ views: TransferViews, sessions: SessionReports) {
        self.views = views
        self.sessions = sessions
    }

    /// See `TransferQueue.observe`.
    func observe(
        _ ids: [TransferID]?,
        onlyOutcomes: Bool,
        extending known: UInt64?,
        send: @escaping @Sendable (TransferNotice) -> Void
    ) -> UInt64 {
        observers.add(ids, onlyOutcomes: onlyOutcomes, extending: known, send: send)
    }

    func stopObserving(_ token: UInt64) { observers.remove(token) }

    /// Something has changed about a transfer that has not ended.
    func changed(_ transfer: Transfer) {
        guard !observers.isEmpty, !transfer.isFinished else { return }
        // A host may be mistyped: whoever waits for the end alone would wait for a week.
        observers.send(about: transfer.id, toAll: transfer.isUnreached) { .changed(views.snapshot(transfer)) }
    }

    /// Attempts have got further.
    func progressed(_ list: [TransferNotice.Progress]) {
        observers.send(list)
        sessions.progressed(list)
    }

    /// A transfer has ended, and its end is durable.
    func finished(_ transfer: Transfer) {
        observers.send(about: transfer.id, toAll: true) { .finished(views.snapshot(transfer)) }
        sessions.ended(transfer)
    }

    /// A transfer was forgotten.
    func removed(_ id: TransferID) { observers.send(about: id, toAll: true) { .removed(id) } }
}
