// SPDX-License-Identifier: Apache-2.0

/// A command of an app for one of its tasks.
package enum SessionTaskCommand: Sendable, Equatable {
    case suspend
    case resume
    case cancel
    case cancelProducingResumeData
    /// The person has quit the app.
    case cancelForQuit
    case setPriority(Double)
    case setDescription(String?)
    case answer(DelegateAnswer)

    /// Carries the command out on a task of its app.
    ///
    /// - Parameters:
    ///   - transfer: the task.
    ///   - now: the time.
    /// - Returns: the actions to carry out; nil if there is nothing left to do, which is not an error: the task may
    ///   have ended in the meantime.
    package func apply(to transfer: inout Transfer, now: Moment) -> [TransferAction]? {
        guard transfer.spec.sessionTask != nil, !transfer.isFinished else { return nil }
        switch self {
        case .suspend:
            return transfer.pause(reached: transfer.bytesDone, now: now)
        case .resume:
            // Only a suspended task: one that waits for its next attempt is not hurried.
            guard case .paused = transfer.state else { return nil }
            return transfer.resume(now: now)
        case .cancel:
            return transfer.cancel(now: now)
        case .cancelProducingResumeData:
            return transfer.cancelProducingResumeData(now: now)
        case .cancelForQuit:
            return transfer.cancelForQuit(now: now)
        case .setPriority(let priority):
            guard (0...1).contains(priority), priority != transfer.spec.priority else { return nil }
            transfer.spec.priority = priority
            // It gets another place in line.
            if case .queued = transfer.state { return [.dequeue, .enqueue] }
            return []
        case .setDescription(let text):
            // The daemon trusts no journal: a longer one would fail the task.
            let label = text?.first(bytes: TransferSpec.Limits.textBytes)
            guard label != transfer.spec.label else { return nil }
            transfer.spec.label = label
            return []
        case .answer(.useNewRequest(let url, let method, let headers)):
            var wanted = transfer.spec
            wanted.applyNewRequest(url: url, method: method, headers: headers)
            do throws(RequestError) { try wanted.validate() } catch {
                return Self.refuse(error, of: &transfer, now: now)
            }
            return transfer.delegateAnswered(.useNewRequest(url: url, method: method, headers: headers), now: now)
        case .answer(let answer):
            var answered = transfer
            guard let actions = answered.delegateAnswered(answer, now: now) else { return nil }
            // The app's decision is subject to the same limits as its hand-overs.
            if !answered.isFinished {
                do throws(RequestError) { try answered.spec.checkSize() } catch {
                    return Self.refuse(error, of: &transfer, now: now)
                }
            }
            transfer = answered
            return actions
        }
    }

    /// Ends a task that waits for a decision, because the decision cannot be carried out.
    private static func refuse(
        _ error: RequestError,
        of transfer: inout Transfer,
        now: Moment
    ) -> [TransferAction]? {
        guard case .waiting(let wait) = transfer.state, case .delegate = wait.cause else { return nil }
        let detail = String(error.sentence.dropLast())
        return transfer.finish(.failed(TransferFailure(.internalError, detail), nil), now: now)
    }
}
