// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The credential helper's answer to a 401.
///
/// Fields that were already refused start no attempt: the helper is asked again later, less and less often, since it
/// may soon have others. A server that refuses every answer of the helper is not asked without a pause, either.
package struct HelperAnswer: Sendable {
    /// The header fields; empty if the helper had none.
    let fields: [HeaderField]

    /// Seconds between two useless answers.
    private static let pauses = Backoff(first: 5, longest: 600)

    /// - Parameter fields: the header fields; empty if the helper had none.
    package init(_ fields: [HeaderField]) { self.fields = fields }

    /// Whether a transfer's requests already carry exactly these fields.
    package func isKnown(to transfer: Transfer) -> Bool {
        fields.lastOfEachName.allSatisfy { field in
            let name = field.name.lowercased()
            return transfer.spec.headers.filter { $0.name.lowercased() == name }.map(\.value) == [field.value]
        }
    }

    /// Decides what a transfer does with the answer.
    ///
    /// - Parameters:
    ///   - transfer: the transfer for which the helper was asked.
    ///   - now: the time.
    /// - Returns: the actions to carry out; nil if the transfer has ended.
    package func apply(to transfer: inout Transfer, now: Moment) -> [TransferAction]? {
        guard !transfer.isFinished else { return nil }
        guard case .waiting(let wait) = transfer.state, case .credentials(let host) = wait.cause else { return [] }
        if isKnown(to: transfer) { return askAgain(&transfer, wait, now) }
        transfer.spec.replaceHeaders(fields)
        // The helper's first fields are tried at once.
        let before = transfer.past.refusals.subtractingClamped(1)
        guard before > 0 else { return transfer.goOn(now: now) }
        let waited = max(0, now.wall.timeIntervalSince(wait.since))
        let left = Self.pauses.delay(after: before) - waited  // checked: of type Double
        guard left > 0 else { return transfer.goOn(now: now) }
        let failure =
            transfer.past.lastFailure ?? TransferFailure(.unauthorized, "\(host) answered 401 Unauthorized")
        return transfer.waitToRetry(after: failure, seconds: left, now: now)
    }

    private func askAgain(_ transfer: inout Transfer, _ wait: TransferState.Wait, _ now: Moment) -> [TransferAction] {
        // Asked twice, such as by a daemon that has just started.
        if let again = wait.askAgain, !again.isDue(at: now) { return [] }
        let again = Deadline(setAt: now, delay: Self.pauses.delay(following: wait.askAgain?.delay ?? 0))
        var wait = wait
        wait.askAgain = again
        transfer.state = .waiting(wait)
        return [.wake(again)]
    }
}

extension PastAttempts {
    /// How many times in a row the transfer was refused for its credentials, as far as the history goes back.
    fileprivate var refusals: Int { history.reversed().prefix { $0.failure?.code == .unauthorized }.count }
}

extension TransferState.Wait.Cause {
    /// Whether other credentials end the wait: a wait for credentials, or for the next try of refused ones.
    var isForCredentials: Bool {
        switch self {
        case .credentials: true
        case .retry(let failure, _): failure.code == .unauthorized
        default: false
        }
    }
}
