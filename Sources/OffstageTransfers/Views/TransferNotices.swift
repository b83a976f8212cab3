// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Reports transfers' events: to the observers of any transfer, and to sessions about their tasks.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class TransferNotices: @unchecked Sendable {
    let views: TransferViews
    let sessions: SessionReports
    private var observers = TransferObservers()
    /// The news for a person about transfers without their own choice, and who delivers it.
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
        send: @escaping @Sendable (TransferNotice, UInt64) -> Void
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

    /// How many transfers observers are notified of per turn of the loop.
    private static let toldAtOnce = 128

    /// Reports accepted transfers, in order. If there are very many, other work runs in between: a transfer that has
    /// progressed by then is reported in its current state, or not at all if its end has been reported.
    func accepted(_ transfers: [Transfer]) {
        guard observers.areToldOfChanges else { return }
        for transfer in transfers.prefix(Self.toldAtOnce) {
            changed(views.registry[transfer.id]?.visible ?? transfer)
        }
        let rest = transfers.dropFirst(Self.toldAtOnce).map(\.id)
        guard !rest.isEmpty else { return }
        views.registry.loop.startTask {
            for start in stride(from: 0, to: rest.count, by: Self.toldAtOnce) {
                await Task.yield()
                let some = Array(rest[start..<min(start + Self.toldAtOnce, rest.count)])
                for snapshot in await self.views.snapshots(some) where !snapshot.transfer.isFinished {
                    let (id, isUnreached) = (snapshot.transfer.id, snapshot.transfer.isUnreached)
                    self.observers.send(about: id, toAll: isUnreached) { .changed(snapshot) }
                }
            }
        }
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
