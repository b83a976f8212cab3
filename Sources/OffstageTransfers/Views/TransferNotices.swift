// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Reports what happens to transfers: to observers of any, and to sessions about their tasks.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class TransferNotices: @unchecked Sendable {
    let views: TransferViews
    let sessions: SessionReports
    private var observers = TransferObservers()
    /// What a person is told of transfers that say nothing about it, and who tells it.
    private let notify: NotifyChoice
    private var tell: (@Sendable (TransferNews) -> Void)?

    init(_ views: TransferViews, sessions: SessionReports, notify: NotifyChoice = .never) {
        self.views = views
        self.sessions = sessions
        self.notify = notify
    }

    /// Sets the receiver of news for a person, called on the loop.
    func setNewsSink(_ tell: @escaping @Sendable (TransferNews) -> Void) { self.tell = tell }

    /// Reports a transfer that has begun to wait, if it waits for a person; ignores any other.
    func waits(_ transfer: Transfer, before: TransferState) {
        guard let tell, case .waiting = transfer.state else { return }
        if let news = TransferNews(transfer, before: before, setting: notify) { tell(news) }
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

    /// Reports a change of a transfer that has not ended.
    func changed(_ transfer: Transfer) {
        guard !observers.isEmpty, !transfer.isFinished else { return }
        // A host may be mistyped: an observer of outcomes alone would wait for a week.
        observers.send(about: transfer.id, toAll: transfer.isUnreached) { .changed(views.snapshot(transfer)) }
    }

    /// Reports the progress of attempts.
    func progressed(_ list: [TransferNotice.Progress]) {
        observers.send(list)
        sessions.progressed(list)
    }

    /// Reports a transfer that has ended, and whose end is durable.
    func finished(_ transfer: Transfer) {
        observers.send(about: transfer.id, toAll: true) { .finished(views.snapshot(transfer)) }
        sessions.ended(transfer)
        if let tell, let news = TransferNews(transfer, before: nil, setting: notify) { tell(news) }
    }

    /// Reports that a transfer was forgotten.
    func removed(_ id: TransferID) { observers.send(about: id, toAll: true) { .removed(id) } }
}
