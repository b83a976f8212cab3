// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol

/// The app's operations on a task. Each step is in the journal before the lock is released, so the journal has the
/// steps in the order in which the task took them.
extension SessionTaskCore {
    func resume() {
        let problem: URLError? = state.withLock { state in
            guard state.phase == .suspended, state.suspensions > 0 else { return nil }
            state.suspensions -= 1
            guard state.suspensions == 0 else { return nil }
            state.phase = .running
            if state.handOver.isSubmitted {
                hand(.act(key, .resume))
                return nil
            }
            return handOver(&state)
        }
        if let problem { session.deliver(.failed(task: number, problem)) }
    }

    func suspend() {
        state.withLock { state in
            guard state.phase == .running || state.phase == .suspended else { return }
            state.suspensions += 1
            guard state.suspensions == 1 else { return }
            state.phase = .suspended
            if state.handOver.isSubmitted { hand(.act(key, .suspend)) }
        }
    }

    func cancel() { cancel(.cancel) }

    func cancelProducingResumeData(_ handler: @escaping (Data?) -> Void) {
        let call = ResumeDataHandler(call: handler)
        let isOver = state.withLock { state in
            guard state.phase == .running || state.phase == .suspended else { return true }
            state.callbacks.resumeData.append(call)
            return false
        }
        guard !isOver else { return session.deliver(.callback { call.call(nil) }) }
        cancel(.cancelProducingResumeData)
    }

    /// Cancels the task with its whole session: one entry cancels all tasks that the daemon has.
    func cancelWithSession() {
        let mustFail = state.withLock { state in
            guard state.phase == .running || state.phase == .suspended else { return false }
            state.phase = .canceling
            return !state.handOver.isSubmitted
        }
        if mustFail { session.deliver(.failed(task: number, URLError(.cancelled))) }
    }

    private func cancel(_ verb: JournalEntry.Verb) {
        let mustFail = state.withLock { state in
            guard state.phase == .running || state.phase == .suspended else { return false }
            state.phase = .canceling
            guard state.handOver.isSubmitted else { return true }
            hand(.act(key, verb))
            return false
        }
        if mustFail { session.deliver(.failed(task: number, URLError(.cancelled))) }
    }

    /// Resumes the task and waits until it is on disk.
    func submit() async throws {
        state.withLock { $0.handOver.mustSyncBody = true }
        resume()
        let (position, problem, isSubmitted) = state.withLock { state in
            (state.handOver.position, state.handOver.problem, state.handOver.isSubmitted)
        }
        if let problem { throw problem }
        guard let position else {
            // A task of a previous process is already on disk; any other has not been handed over.
            if isSubmitted { return }
            throw URLError(.cancelled)
        }
        try await session.hub.untilCommitted(position)
        if let refusal = refusal.withLock({ $0 }) { throw refusal }
    }

    /// Writes the task's specification to the journal.
    ///
    /// - Returns: the reason if the specification cannot be written.
    private func handOver(_ state: inout State) -> URLError? {
        guard let draft = state.handOver.draft else { return nil }
        do {
            let spec = try specification(draft, state)
            switch spec.direction {
            case .upload(let source): state.counts.expectedToSend = source.identity.size
            case .form(let form): state.counts.expectedToSend = form.body.count
            case .download(let target): state.download.path = target.path
            }
            do {
                state.handOver.position = try session.hub.append(.submit(spec))
            } catch {
                // Nothing else knows about the spooled files.
                for source in spec.sources where source.isSnapshot { unlink(source.path) }
                throw error
            }
            state.handOver.isSubmitted = true
            state.handOver.draft = nil
            return nil
        } catch {
            let problem = SessionTaskErrors.notHandedOver(error)
            state.handOver.problem = problem
            return problem
        }
    }
}
