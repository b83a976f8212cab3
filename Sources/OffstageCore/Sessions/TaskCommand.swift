// SPDX-License-Identifier: Apache-2.0

/// A command of an app for one of its tasks.
package enum TaskCommand: Sendable, Equatable {
    case suspend
    case resume
    case cancel
    case cancelProducingResumeData
    /// The person has quit the app.
    case cancelForQuit
    case setPriority(Double)
    case setDescription(String?)
    case answer(DelegateAnswer)
}

extension Transfer {
    /// Carries out a command of its app. Returns nil if there is nothing left to do, which is no error: the task may
    /// have ended in the meantime.
    package mutating func carryOut(_ command: TaskCommand, now: Moment) -> [TransferAction]? {
        guard spec.sessionTask != nil, !isFinished else { return nil }
        switch command {
        case .suspend:
            return pause(reached: bytesDone, now: now)
        case .resume:
            // Only a suspended task: one that waits for its next attempt is not hurried.
            guard case .paused = state else { return nil }
            return resume(now: now)
        case .cancel:
            return cancel(now: now)
        case .cancelProducingResumeData:
            return cancelProducingResumeData(now: now)
        case .cancelForQuit:
            return cancelForQuit(now: now)
        case .setPriority(let priority):
            guard (0...1).contains(priority), priority != spec.priority else { return nil }
            spec.priority = priority
            // It gets another place in line.
            if case .queued = state { return [.dequeue, .enqueue] }
            return []
        case .setDescription(let text):
            guard text != spec.label else { return nil }
            spec.label = text
            return []
        case .answer(.useNewRequest(let url, let method, let headers)):
            var wanted = spec
            wanted.takeNewRequest(url: url, method: method, headers: headers)
            do throws(RequestError) { try wanted.validate() } catch {
                guard case .waiting(let wait) = state, case .delegate = wait.cause else { return nil }
                let detail = String(error.sentence.dropLast())
                return finish(.failed(TransferFailure(.internalError, detail), nil), now: now)
            }
            return delegateAnswered(.useNewRequest(url: url, method: method, headers: headers), now: now)
        case .answer(let answer):
            return delegateAnswered(answer, now: now)
        }
    }
}
