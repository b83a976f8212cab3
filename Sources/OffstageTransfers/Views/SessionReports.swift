// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What background sessions receive of the transfers that are their tasks.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
package final class SessionReports: @unchecked Sendable {
    private let registry: TransferRegistry
    private var sink: (@Sendable (SessionNotice) -> Void)?
    /// How many unfinished tasks the daemon before left, until somebody is told.
    private var initialTasks: [SessionName: Int]

    /// - Parameters:
    ///   - registry: where the tasks are.
    ///   - initialTasks: how many unfinished tasks the daemon before left of each session.
    package init(_ registry: TransferRegistry, initialTasks: [SessionName: Int]) {
        self.registry = registry
        self.initialTasks = initialTasks
    }

    /// Names who is told, on the loop.
    package func start(_ sink: @escaping @Sendable (SessionNotice) -> Void) {
        self.sink = sink
        if !initialTasks.isEmpty { sink(.taken(initialTasks)) }
        initialTasks = [:]
    }

    /// Tells how many tasks of which sessions have just become durable.
    package func taken(_ transfers: [Transfer]) {
        guard let sink else { return }
        var tasks: [SessionName: Int] = [:]
        for transfer in transfers {
            if let session = transfer.sessionName { tasks[session, default: 0] += 1 }
        }
        if !tasks.isEmpty { sink(.taken(tasks)) }
    }

    /// Tells how far tasks have got.
    func progressed(_ notices: [TransferNotice.Progress]) {
        guard let sink else { return }
        let progress = notices.compactMap { notice -> SessionNotice.Progress? in
            guard let transfer = registry[notice.id]?.transfer, let key = transfer.spec.sessionTask,
                case .running(let attempt) = transfer.state
            else { return nil }
            return SessionNotice.Progress(
                owner: transfer.spec.owner,
                key: key,
                bytesDone: notice.bytesDone,
                bytesTotal: notice.bytesTotal,
                offset: attempt.offset
            )
        }
        if !progress.isEmpty { sink(.progress(progress)) }
    }

    /// Tells the end of a task; of any other transfer, nothing.
    package func ended(_ transfer: Transfer) {
        if transfer.spec.sessionTask != nil { sink?(.ended(transfer)) }
    }

    /// Has the app of a task asked.
    package func ask(_ question: DelegateQuestion, of transfer: Transfer) { sink?(.question(transfer, question)) }

    /// Tells which sessions' delegates have heard of ends.
    ///
    /// - Parameter ended: the tasks whose ends they have heard of.
    package func acknowledged(_ ended: [Transfer]) {
        let sessions = Set(ended.compactMap(\.sessionName))
        if !sessions.isEmpty { sink?(.acknowledged(sessions)) }
    }
}
