// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Creates, finds and releases the session's tasks.
extension SessionCore {
    /// Creates a task with the next number; `call` is the API that creates it, for the message about misuse.
    func make<T: SessionTask>(
        _ call: String,
        _ draft: SessionTaskDraft,
        _ handler: SessionTaskHandler?,
        _ wrap: (SessionTaskCore) -> T
    ) -> T {
        waitUntilOpened()
        let (task, session, delegate) = state.withLock { state in
            let number = nextNumber(call, &state)
            var draft = draft
            if case .unreachable(let error) = state.opening {
                // Its number may belong to an older task, so the task must not be handed over later either.
                draft = draft.failing(SessionTaskErrors.disconnected(error))
            }
            let task = wrap(SessionTaskCore(draft, handler: handler, number: number, session: self))
            state.entries[number] = .task(task)
            return (task, state.session, state.delegate)
        }
        if let session, let delegate = delegate as? any URLSessionTaskDelegate {
            delegate.urlSession(session, didCreateTask: task)
        }
        return task
    }

    func nextNumber(_ call: String, _ state: inout State) -> Int {
        guard case .none = state.invalidation else {
            Misuse.stop(call, "attempted to create a task in a session that has been invalidated")
        }
        state.highestTask += 1
        return state.highestTask
    }

    /// Returns the object of a task that has not been released, created if it has not been needed before.
    func task(_ number: Int) -> (any SessionTask)? {
        state.withLock { $0.task(number, of: self) }
    }

    /// Calls back on the delegate queue with the tasks that have not ended, or with an empty array if they were
    /// cancelled with the session.
    func withTasks(_ done: @escaping @Sendable ([URLSessionTask]) -> Void) {
        whenListed { [self] in
            deliver(
                .callback { [self] in
                    let (tasks, dataTasks): ([any SessionTask], InProcessDataTasks?) = state.withLock { state in
                        guard !state.isCancelled else { return ([], nil) }
                        let numbers = state.entries.keys.filter { state.isUntold($0) }.sorted()
                        return (numbers.compactMap { state.task($0, of: self) }, state.dataTasks)
                    }
                    // A task's lock is never acquired while the session's is held, because the opposite order is used
                    // elsewhere.
                    let outstanding: [URLSessionTask] = tasks.filter { $0.core.phase != .completed }
                    done(outstanding + (dataTasks?.outstanding ?? []))
                }
            )
        }
    }

    /// Fails a task that the daemon could not accept.
    func refuse(_ number: Int, _ failure: TransferFailure) {
        let error = SessionTaskErrors.refusal(failure)
        task(number)?.core.refusal.withLock { $0 = error }
        deliver(.failed(task: number, error))
    }

    /// Releases a task whose end has been delivered.
    func remove(_ number: Int) {
        state.withLock { $0.entries[number] = nil }
        finishIfPossible()
    }

    /// Whether there is a delegate to ask.
    var hasDelegate: Bool { state.withLock { $0.delegate != nil } }

    /// - Throws: why the daemon does not open the session.
    func checkOpen() throws(OffstageError) {
        let refusal: OffstageError? = state.withLock { state in
            if case .refused(let error) = state.opening { error } else { nil }
        }
        if let refusal { throw refusal }
    }

    // MARK: - The end of the session

    func invalidate(cancelling: Bool) {
        waitUntilOpened()
        let (tasks, mustTellDaemon): ([any SessionTask], Bool) = state.withLock { state in
            guard case .none = state.invalidation else { return ([], false) }
            state.invalidation = .finishing
            state.isCancelled = cancelling
            state.dropHeld()
            guard cancelling else { return ([], false) }
            var tasks: [any SessionTask] = []
            for case .task(let task) in state.entries.values { tasks.append(task) }
            // If this process did not get the session, the session and its tasks belong to another process.
            if case .open = state.opening { return (tasks, true) }
            return (tasks, false)
        }
        for task in tasks { task.core.cancelWithSession() }
        if mustTellDaemon { hub.hand(.cancelAll(session: identifier)) }
        state.withLock { $0.dataTasks }?.invalidate(cancelling: cancelling)
        finishIfPossible()
    }

    /// Ends the session once it has been invalidated and nothing is left to deliver.
    func finishIfPossible() {
        let isOver = state.withLock { state in
            guard case .finishing = state.invalidation, state.entries.isEmpty, state.ends.untold <= 0,
                state.dataTasks?.isEmpty ?? true
            else { return false }
            switch state.opening {
            case .open:
                guard state.listing.isComplete else { return false }
                // Ends that cannot be delivered stay with the daemon, for a session with that identifier and a
                // delegate.
                guard state.isUnheard || state.ends.isExhausted else { return false }
            case .unreachable, .refused: break
            case .pending: return false
            }
            state.invalidation = .done
            return true
        }
        if isOver { deliver(.invalidated) }
    }

    /// Calls back on the delegate queue once everything that was handed over is on disk, or the daemon cannot be
    /// reached.
    func flush(_ done: @escaping @Sendable () -> Void) {
        hub.send(.whenCommitted(hub.journal.position) { [self] _ in deliver(.callback(done)) })
    }
}

extension SessionCore.State {
    /// Whether ends have no receiver other than completion handlers.
    var isUnheard: Bool { delegate == nil && events == nil }

    /// Releases the ends that could not be delivered: since they are not acknowledged, they stay with the daemon.
    mutating func dropHeld() {
        for end in held { entries[end.key.task] = nil }
        held = []
    }

    mutating func task(_ number: Int, of core: SessionCore) -> (any SessionTask)? {
        switch entries[number] {
        case nil: return nil
        case .task(let task): return task
        case .row(let row):
            // The kind of object depends only on the direction, which is at the beginning.
            let isUpload = row.isUpload
            let taskCore = SessionTaskCore(row, isUpload: isUpload, session: core)
            let task: any SessionTask = isUpload ? BackgroundUploadTask(taskCore) : BackgroundDownloadTask(taskCore)
            entries[number] = .task(task)
            return task
        }
    }
}

extension ListSessionTasks.Row {
    /// Whether the task is an upload, determined from as little of the specification as possible.
    fileprivate var isUpload: Bool {
        // The fast writers of the specification put this first in both cases.
        if spec.hasPrefix("{\"upload\"") { return true }
        if spec.hasPrefix("{\"download\"") { return false }
        return (try? WireCoding.decodeFromDaemon(TransferSpec.self, from: Array(spec.utf8)))?.isUpload ?? false
    }
}
