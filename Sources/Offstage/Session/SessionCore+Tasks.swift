// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageClient
import OffstageCore
import OffstageProtocol

/// The session's tasks: made, found again, let go.
extension SessionCore {
    /// Makes a task with the next number; `call` is the API that makes it, for the sentence at misuse.
    func make<T: BackgroundTask>(
        _ call: String,
        _ draft: TaskDraft,
        _ handler: TaskHandler?,
        _ wrap: (TaskCore) -> T
    ) -> T {
        waitUntilOpened()
        let (task, session, delegate) = state.withLock { state in
            let number = nextNumber(call, &state)
            var draft = draft
            if case .unreachable(let error) = state.opening {
                // Its number may be that of an older task, so it must not be handed over later either.
                draft = draft.failing(TaskErrors.disconnected(error))
            }
            let task = wrap(TaskCore(draft, handler: handler, number: number, session: self))
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

    /// The object of a task that has not been let go; made when nobody has looked at it before.
    func task(_ number: Int) -> (any BackgroundTask)? {
        state.withLock { $0.task(number, of: self) }
    }

    /// Calls back on the delegate queue with the tasks that have not ended; none once they were cancelled with the session.
    func withTasks(_ done: @escaping @Sendable ([URLSessionTask]) -> Void) {
        whenListed { [self] in
            deliver(
                .callback { [self] in
                    let (tasks, dataTasks): ([any BackgroundTask], InProcessDataTasks?) = state.withLock { state in
                        guard !state.isCancelled else { return ([], nil) }
                        let numbers = state.entries.keys.filter { state.isUntold($0) }.sorted()
                        return (numbers.compactMap { state.task($0, of: self) }, state.dataTasks)
                    }
                    // A task's lock is never taken within the session's, since the other way round it is.
                    let outstanding: [URLSessionTask] = tasks.filter { $0.core.phase != .completed }
                    done(outstanding + (dataTasks?.outstanding ?? []))
                }
            )
        }
    }

    /// The daemon could not take a task in.
    func refuse(_ number: Int, _ failure: TransferFailure) {
        let error = TaskErrors.refusal(failure)
        task(number)?.core.refusal.withLock { $0 = error }
        deliver(.failed(task: number, error))
    }

    /// Lets go of a task whose end has been told.
    func remove(_ number: Int) {
        state.withLock { $0.entries[number] = nil }
        finishIfPossible()
    }

    /// Whether there is somebody who can be asked.
    var hasDelegate: Bool { state.withLock { $0.delegate != nil } }

    /// - Throws: why the daemon does not give the session.
    func checkOpen() throws(OffstageError) {
        let refusal: OffstageError? = state.withLock { state in
            if case .refused(let error) = state.opening { error } else { nil }
        }
        if let refusal { throw refusal }
    }

    // MARK: - The end of the session

    func invalidate(cancelling: Bool) {
        waitUntilOpened()
        let (tasks, mustTellDaemon): ([any BackgroundTask], Bool) = state.withLock { state in
            guard case .none = state.invalidation else { return ([], false) }
            state.invalidation = .finishing
            state.isCancelled = cancelling
            state.dropHeld()
            guard cancelling else { return ([], false) }
            var tasks: [any BackgroundTask] = []
            for case .task(let task) in state.entries.values { tasks.append(task) }
            // A session that this process was not given is another's, and so are its tasks.
            if case .open = state.opening { return (tasks, true) }
            return (tasks, false)
        }
        for task in tasks { task.core.cancelWithSession() }
        if mustTellDaemon { hub.hand(.cancelAll(session: identifier)) }
        state.withLock { $0.dataTasks }?.invalidate(cancelling: cancelling)
        finishIfPossible()
    }

    /// Ends the session once it was invalidated and nothing is left to tell.
    func finishIfPossible() {
        let isOver = state.withLock { state in
            guard case .finishing = state.invalidation, state.entries.isEmpty, state.ends.untold <= 0,
                state.dataTasks?.isEmpty ?? true
            else { return false }
            switch state.opening {
            case .open:
                guard state.isListed else { return false }
                // What nobody listens to stays at the daemon, for a session of that identifier with a delegate.
                guard state.isUnheard || state.ends.isExhausted else { return false }
            case .unreachable, .refused: break
            case .pending: return false
            }
            state.invalidation = .done
            return true
        }
        if isOver { deliver(.invalidated) }
    }

    /// Calls back on the delegate queue when everything that was handed over is on the disk, or the daemon cannot be
    /// reached.
    func flush(_ done: @escaping @Sendable () -> Void) {
        hub.send(.whenCommitted(hub.journal.position) { [self] _ in deliver(.callback(done)) })
    }
}

extension SessionCore.State {
    /// Whether there is nobody to hear of ends, but for completion handlers.
    var isUnheard: Bool { delegate == nil && events == nil }

    /// Lets go of the ends that nobody was there to hear of: not acknowledged, they stay at the daemon.
    mutating func dropHeld() {
        for end in held { entries[end.key.task] = nil }
        held = []
    }

    mutating func task(_ number: Int, of core: SessionCore) -> (any BackgroundTask)? {
        switch entries[number] {
        case nil: return nil
        case .task(let task): return task
        case .row(let row):
            // Only the direction is needed to know what object it is, and it stands at the beginning.
            let isUpload = row.isUpload
            let taskCore = TaskCore(row, isUpload: isUpload, session: core)
            let task: any BackgroundTask = isUpload ? BackgroundUploadTask(taskCore) : BackgroundDownloadTask(taskCore)
            entries[number] = .task(task)
            return task
        }
    }
}

extension ListSessionTasks.Row {
    /// Whether the task uploads, read from the specification with as little as possible.
    fileprivate var isUpload: Bool {
        // Both are written first by those who write the specification quickly.
        if spec.hasPrefix("{\"upload\"") { return true }
        if spec.hasPrefix("{\"download\"") { return false }
        return (try? WireCoding.decodeFromDaemon(TransferSpec.self, from: Array(spec.utf8)))?.isUpload ?? false
    }
}
