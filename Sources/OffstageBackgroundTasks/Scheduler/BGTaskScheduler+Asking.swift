// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Requests to the daemon.
extension BGTaskScheduler {
    /// Runs blocking work on the library's own queue.
    func onQueue<Result: Sendable>(_ work: @escaping @Sendable (BGTaskScheduler) -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work(self)) }
        }
    }

    /// Submits a request and waits for the answer.
    ///
    /// - Parameters:
    ///   - draft: the request.
    ///   - call: the method that the app called, for the message about a mistake.
    /// - Throws: why the request was not accepted.
    func place(_ draft: TaskDraft, _ call: String) throws(Error) {
        let identifier = draft.identifier
        guard port.standing != .offStage else {
            throw refusal(
                .unavailable,
                identifier,
                "The request for '\(identifier)' was not accepted: this program is not an app that could be launched for it, so call UIApplicationMain, or UIApplication.takeStage(with:perform:), first."
            )
        }
        // A task that is not permitted cannot have a handler: the daemon refuses the request, and records the refusal.
        guard handlers.has(identifier) || !isPermitted(identifier) else {
            Misuse.stop(
                "BGTaskScheduler.\(call)",
                "No launch handler registered for task with identifier \(identifier). Register one in application(_:didFinishLaunchingWithOptions:)"
            )
        }
        let answer: SubmitTask.Reply
        do throws(OffstageError) {
            let request = SubmitTask(draft: draft, nonce: .random(in: .min ... .max))
            answer = try client.ask(request, again: request.repeated)
        } catch {
            // A request that every daemon would always refuse is not merely unavailable.
            let code = error.code == .badRequest ? Error.Code.notPermitted : .unavailable
            throw refusal(code, identifier, "The request for '\(identifier)' was not accepted: \(error)")
        }
        guard let refused = answer.refusal else { return }
        throw refusal(Error.Code(rawValue: refused.code) ?? .unavailable, identifier, refused.sentence)
    }

    /// Whether the app may register a handler for an identifier, as far as is known.
    private func isPermitted(_ identifier: String) -> Bool {
        guard let rules = client.permissions() else { return true }
        return TaskPermission.isRegistrable(identifier, permitted: rules.permittedIdentifiers)
    }

    /// Creates an error and also writes it to standard error, since the app's code may discard it with `try?`.
    private func refusal(_ code: Error.Code, _ identifier: String, _ sentence: String) -> Error {
        complaints.make(about: "submit \(identifier) \(code)", sentence)
        return Error(code, sentence)
    }

    /// Cancels the pending request for an identifier, or all of them.
    func cancel(_ identifier: String?) {
        guard port.standing != .offStage else { return }
        do throws(OffstageError) {
            _ = try client.ask(CancelTasks(identifier: identifier))
        } catch {
            let what = identifier.map { "The request for '\($0)' was" } ?? "The pending requests were"
            Complaints.write("\(what) not cancelled: \(error)")
        }
    }

    func pendingDrafts() -> [TaskDraft] {
        guard port.standing != .offStage else { return [] }
        do throws(OffstageError) {
            return try client.ask(PendingTasks()).drafts
        } catch {
            complaints.make(about: "pending", "The pending requests are not known: \(error)")
            return []
        }
    }
}
