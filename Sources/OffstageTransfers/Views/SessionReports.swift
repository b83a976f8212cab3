// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Notifies background sessions about the transfers that are their tasks.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
package final class SessionReports: @unchecked Sendable {
    private let registry: TransferRegistry
    private var sink: (@Sendable (SessionNotice) -> Void)?
    /// The number of unfinished tasks that the previous daemon left, until it is reported.
    private var initialTasks: [SessionName: Int]

    /// - Parameters:
    ///   - registry: the registry that contains the tasks.
    ///   - initialTasks: the number of unfinished tasks that the previous daemon left in each session.
    package init(_ registry: TransferRegistry, initialTasks: [SessionName: Int]) {
        self.registry = registry
        self.initialTasks = initialTasks
    }

    /// Sets the receiver of notices, called on the loop.
    package func start(_ sink: @escaping @Sendable (SessionNotice) -> Void) {
        self.sink = sink
        if !initialTasks.isEmpty { sink(.taken(initialTasks)) }
        initialTasks = [:]
    }

    /// Reports how many tasks of which sessions have just become durable.
    package func reportAccepted(_ transfers: [Transfer]) {
        guard let sink else { return }
        var tasks: [SessionName: Int] = [:]
        for transfer in transfers {
            if let session = transfer.sessionName { tasks[session, default: 0] += 1 }
        }
        if !tasks.isEmpty { sink(.taken(tasks)) }
    }

    /// Reports the progress of tasks.
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

    /// Reports an interim response to the upload of a task; ignores any other transfer.
    func reportInterim(_ fields: [HeaderField], _ transfer: Transfer, position: Int64) {
        guard let sink, let key = transfer.spec.sessionTask, case .running(let attempt) = transfer.state else { return }
        var progress = SessionNotice.Progress(
            owner: transfer.spec.owner,
            key: key,
            bytesDone: position,
            bytesTotal: transfer.bytesTotal,
            offset: attempt.offset
        )
        progress.heard = fields
        sink(.progress([progress]))
    }

    /// Reports the end of a task; ignores any other transfer.
    package func ended(_ transfer: Transfer) {
        if transfer.spec.sessionTask != nil { sink?(.ended(transfer)) }
    }

    /// Asks a task's app a question.
    package func ask(_ question: DelegateQuestion, of transfer: Transfer) { sink?(.question(transfer, question)) }

    /// Reports the sessions whose delegates have been notified of ends.
    ///
    /// - Parameter ended: the tasks of whose ends the delegates have been notified.
    package func acknowledged(_ ended: [Transfer]) {
        let sessions = Set(ended.compactMap(\.sessionName))
        if !sessions.isEmpty { sink?(.acknowledged(sessions)) }
    }
}
