// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore
import OffstageProtocol

/// Calls to the delegate. All of this runs on the delegate queue, one call at a time.
extension SessionCore {
    func perform(_ delivery: Delivery) {
        switch delivery {
        case .progress(let progress): deliver(progress)
        case .ended(let end): deliver(end)
        case .failed(let number, let error): deliverFailure(number, error)
        case .question(let id, let number, let question): ask(id, number, question)
        case .finishedEvents: deliverFinished()
        case .callback(let callback): callback()
        case .invalidated: deliverInvalidation()
        }
    }

    var audience: SessionAudience? {
        let (session, delegate) = state.withLock { ($0.session, $0.delegate) }
        return session.map { SessionAudience(session: $0, delegate: delegate) }
    }

    // MARK: - Progress

    private func deliver(_ progress: SessionEvent.Progress) {
        guard let audience, let task = task(progress.key.task), task.core.phase != .completed else { return }
        if let fields = progress.heard { return audience.deliver(fields, of: task) }
        let calls = DelegateCalls.progress(
            task.core.standing,
            done: progress.bytesDone,
            total: progress.bytesTotal,
            offset: progress.offset
        )
        task.core.recordProgress(done: progress.bytesDone, total: progress.bytesTotal)
        task.core.showProgress(of: task)
        for call in calls { audience.perform(call, of: task) }
        events?.offer(.progress(task))
    }

    // MARK: - Ends

    private func deliver(_ end: SessionTaskEnd) {
        guard let audience, let task = task(end.key.task) else { return finishDelivery() }
        let standing = task.core.standing
        let events = events
        guard audience.delegate != nil || standing.hasHandler || events != nil else {
            return hold(end, task)
        }
        let details = EndDetails(end, task.core)
        if let response = details.response { settings.storeCookies(of: response) }
        task.core.begin(details)
        for call in DelegateCalls.end(standing, details.ending) {
            audience.perform(call, of: task, details)
            if call == .finishedDownloading { deleteTakenFile(details) }
        }
        task.core.takeResumeDataHandlers(details.error?.taskResumeData)
        guard let events, !standing.hasHandler else { return finish(end, task) }
        let completion = BackgroundSessionEvent.Completion(
            task: task,
            file: details.fileToTake,
            body: details.body,
            error: details.error
        )
        events.offer(.completed(completion)) { self.finish(end, task) }
    }

    /// Deletes the downloaded file that the delegate has received.
    private func deleteTakenFile(_ details: EndDetails) {
        // A reader of the events keeps the file until it requests the next event.
        guard events == nil, let file = details.fileToTake else { return }
        unlink(file.path)
        if let id = details.id { _ = try? hub.append(.fileTaken(id)) }
    }

    /// Keeps an end that cannot be delivered to anyone. If the task was created with a completion handler whose process
    /// is gone, the end can never be delivered: as on a phone, it is dropped. Any other end is kept until events are
    /// requested or the session is gone; it does not keep other ends from being fetched.
    private func hold(_ end: SessionTaskEnd, _ task: any SessionTask) {
        if task.core.hadHandler { return finish(end, task) }
        state.withLock { state in
            state.held.append(end)
            if case .none = state.invalidation { return }
            state.dropHeld()
        }
        finishDelivery()
        finishIfPossible()
    }

    /// Finishes an end that has been delivered to all its receivers.
    private func finish(_ end: SessionTaskEnd, _ task: any SessionTask) {
        if let path = end.filePath(task.core) { unlink(path) }
        acknowledge(end.id, task: end.key.task)
        finishDelivery()
        remove(end.key.task)
    }

    func acknowledge(_ id: TransferID, task: Int) {
        let position = try? hub.append(.acknowledge(id))
        state.withLock { state in
            state.told[task] = position.map { .acknowledged($0) } ?? .unacknowledged
            state.forgetTold()
        }
    }

    private func deliverFailure(_ number: Int, _ error: URLError) {
        guard let audience, let task = task(number) else { return }
        let standing = task.core.standing
        let error = SessionTaskErrors.error(error, request: task.core.currentRequest)
        let details = EndDetails(error, task.core)
        task.core.begin(details)
        for call in DelegateCalls.end(standing, details.ending) { audience.perform(call, of: task, details) }
        task.core.takeResumeDataHandlers(nil)
        if !standing.hasHandler {
            let completion = BackgroundSessionEvent.Completion(task: task, file: nil, body: Data(), error: error)
            events?.offer(.completed(completion))
        }
        remove(number)
    }

    // MARK: - The session

    private func deliverFinished() {
        guard let audience else { return }
        audience.own?.urlSessionDidFinishEvents(forBackgroundURLSession: audience.session)
        events?.offer(.finishedEvents)
        LaunchEvents.finished(identifier)
    }

    private func deliverInvalidation() {
        guard let audience else { return }
        BackgroundSessions.remove(self)
        hub.send(.close(self))
        audience.delegate?.urlSession(audience.session, didBecomeInvalidWithError: nil)
        let events = events
        state.withLock { state in
            state.delegate = nil
            state.session = nil
            state.dataTasks = nil
            state.events = nil
            state.held = []
        }
        events?.finish()
    }

    var events: EventChannel? { state.withLock { $0.events } }
}
