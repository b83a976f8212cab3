// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore
import OffstageProtocol

/// Questions that only the app can decide. The delegate answers in its own time; the answer goes through the journal.
extension SessionCore {
    /// The question that an answer belongs to.
    private struct Inquiry {
        let id: TransferID
        let task: Int
        let number: Int
    }

    /// Receives a question from the daemon. Until the tasks are listed, it is unknown which task the question is about.
    func asked(_ id: TransferID, _ number: Int, _ question: DelegateQuestion) {
        let delivery = Delivery.question(id, task: number, question)
        let isListed = state.withLock { state in
            if !state.listing.isComplete { state.listing.questions.append(delivery) }
            return state.listing.isComplete
        }
        if isListed { deliver(delivery) }
    }

    /// Asks the delegate, on the delegate queue.
    func ask(_ id: TransferID, _ number: Int, _ question: DelegateQuestion) {
        // A process that does not know the task cannot decide about it: the next process that has the session will be
        // asked.
        guard let audience, let task = task(number) else { return }
        let ruling = state.withLock { $0.questions.ask(number, question, committed: $0.committed) }
        switch ruling {
        case .ignore: break
        case .repeated(let answer): _ = try? hub.append(.answer(id, answer))
        case .ask(let serial):
            let inquiry = Inquiry(id: id, task: number, number: serial)
            guard audience.delegate != nil else { return answer(inquiry, Self.defaultAnswer(to: question)) }
            switch question {
            case .challenge(let challenge): ask(inquiry, task, challenge, audience)
            case .willBeginDelayedRequest: askToBegin(inquiry, task, audience)
            }
        }
    }

    /// Hands the answer over, unless something else has been asked in the meantime.
    private func answer(_ inquiry: Inquiry, _ answer: DelegateAnswer) {
        guard state.withLock({ $0.questions.isAwaited(inquiry.task, number: inquiry.number) }) else { return }
        let position = try? hub.append(.answer(inquiry.id, answer))
        state.withLock { $0.questions.answered(inquiry.task, number: inquiry.number, answer, at: position) }
    }

    private static func defaultAnswer(to question: DelegateQuestion) -> DelegateAnswer {
        switch question {
        case .challenge: .performDefaultHandling
        case .willBeginDelayedRequest: .continueLoading
        }
    }

    // MARK: - Challenges

    private func ask(
        _ inquiry: Inquiry,
        _ task: any SessionTask,
        _ challenge: Challenge,
        _ audience: SessionAudience
    ) {
        let shown = ShownChallenge(challenge, settings.credentials)
        let sender = ChallengeSender { [self] disposition, credential in
            answer(inquiry, shown.answer(disposition, credential))
        }
        let question = shown.question(sender)
        let completion: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            sender.decide($0, $1)
        }
        // Challenges about the connection go to the session, and challenges about the request to the task, never both.
        switch challenge.method {
        case .serverTrust:
            guard let delegate = audience.delegate else { return completion(.performDefaultHandling, nil) }
            delegate.urlSession(audience.session, didReceive: question, completionHandler: completion)
        case .httpBasic, .httpDigest:
            guard let delegate = audience.task else { return completion(.performDefaultHandling, nil) }
            delegate.urlSession(audience.session, task: task, didReceive: question, completionHandler: completion)
        }
    }

    // MARK: - Delayed requests

    private func askToBegin(_ inquiry: Inquiry, _ task: any SessionTask, _ audience: SessionAudience) {
        // A delegate that conforms only to FoundationNetworking's protocol may have its default implementation, which
        // never answers.
        guard let delegate = audience.ownTask, let request = task.core.currentRequest else {
            return answer(inquiry, .continueLoading)
        }
        delegate.urlSession(audience.session, task: task, willBeginDelayedRequest: request) { [self] choice, new in
            switch choice {
            case .continueLoading: answer(inquiry, .continueLoading)
            case .cancel: answer(inquiry, .cancel)
            // The app cannot change the data sent to an account, or its destination.
            case .useNewRequest where task.core.isToAccount: answer(inquiry, .continueLoading)
            case .useNewRequest:
                guard let new, let text = new.url?.absoluteString, let url = try? RequestURL(text) else {
                    return answer(inquiry, .cancel)
                }
                task.core.replaceCurrentRequest(new)
                let headers = settings.headers(of: new)
                answer(inquiry, .useNewRequest(url: url, method: new.httpMethod ?? "GET", headers: headers))
            }
        }
    }
}
