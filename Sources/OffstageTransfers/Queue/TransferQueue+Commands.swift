// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A user's commands; each returns once its effect is durable.
extension TransferQueue {
    package func pause(_ id: TransferID) async throws(QueueError) {
        try await change(id, refusal: "can no longer be paused") {
            $0.pause(reached: registry.kept(of: $0), hasSent: registry.mayHaveSent($0.id), now: $1)
        }
    }

    package func resume(_ id: TransferID) async throws(QueueError) {
        try await change(id, refusal: "is not paused") { $0.resume(now: $1) }
    }

    package func cancel(_ id: TransferID) async throws(QueueError) {
        try await change(id, refusal: "can no longer be cancelled") { $0.cancel(now: $1) }
    }

    /// Ends a session's download as cancelled. Received data that another task can resume is kept: the end then carries
    /// `Transfer.resumeData`.
    package func cancelProducingResumeData(_ id: TransferID) async throws(QueueError) {
        try await change(id, refusal: "can no longer be cancelled") { $0.cancelProducingResumeData(now: $1) }
    }

    package func retry(_ id: TransferID) async throws(QueueError) {
        await registry.load([id])
        if let transfer = registry[id]?.visible, transfer.isFinished, transfer.spec.sessionTask != nil {
            // Its delegate is notified of only one end: a restarted task would have a second.
            registry.release(id)
            throw .notApplicable(
                "Transfer \(id) is a task of the app \(transfer.spec.owner) and has ended: only the app can hand it over again."
            )
        }
        if case .waiting(let wait)? = registry[id]?.transfer.state, case .delegate = wait.cause {
            let owner = registry[id]?.transfer.spec.owner ?? ""
            registry.release(id)
            throw .notApplicable("Transfer \(id) is waiting for the app \(owner) to decide: start the app.")
        }
        if registry[id]?.transfer.isUnreadable == true { return try await readAgain(id) }
        registry.crashes.release(.transfer(id))
        try await change(id, refusal: "is not waiting and has not failed") { $0.retry(now: $1) }
    }

    /// Rereads, at a user's request, a record that could not or must not be read.
    private func readAgain(_ id: TransferID) async throws(QueueError) {
        guard await registry.readAgain(id), let transfer = registry[id]?.transfer else { throw .notFound(id) }
        if transfer.isUnreadable {
            throw .notApplicable("The record of transfer \(id) still cannot be read: 'offstage doctor' says more.")
        }
        // Continued as a starting daemon would have continued it.
        _ = await registry.step(id) { $0.restored(now: $1) }?.value
        turns.fill()
    }

    /// Sets header fields; a transfer that waits for credentials continues. The credential helper's fields count only
    /// for such a transfer, and only if they have not already been refused.
    package func setHeaders(
        _ fields: [HeaderField],
        of id: TransferID,
        fromHelper: Bool = false
    ) async throws(QueueError) {
        do throws(RequestError) { try TransferSpec.checkSize(of: fields) } catch {
            throw .notApplicable(error.sentence)
        }
        var problem: RequestError?
        do throws(QueueError) {
            try await change(id, refusal: "has ended") { transfer, now in
                var changed = transfer
                let decided =
                    fromHelper
                    ? HelperAnswer(fields).apply(to: &changed, now: now) : changed.setHeaders(fields, now: now)
                guard let actions = decided else { return nil }
                // Fields can be added one at a time until there are too many.
                do throws(RequestError) { try TransferSpec.checkSize(of: changed.spec.headers) } catch {
                    problem = error
                    return nil
                }
                transfer = changed
                return actions
            }
        } catch {
            throw problem.map { .notApplicable($0.sentence) } ?? error
        }
    }

    /// Continues the transfers that wait for an account that can be used again. Reads all waiting transfers, once per
    /// sign-in of a person.
    package func accountAdded(_ name: String) async {
        var query = TransferQuery(kinds: [.waiting], limit: 256)
        while let page = try? await page(query) {
            for snapshot in page.snapshots {
                let transfer = snapshot.transfer
                guard case .waiting(let wait) = transfer.state, case .account = wait.cause,
                    (try? Dialects.account(of: transfer.spec)) == name
                else { continue }
                // A transfer that has continued in the meantime is left out.
                try? await change(transfer.id, refusal: "is not waiting") { $0.accountAdded(now: $1) }
            }
            guard page.hasMore, let last = page.snapshots.last?.transfer.id else { return }
            query.before = last
        }
    }

    /// Applies a user's edit.
    ///
    /// - Returns: the parts of the transfer that were dropped because they were for another server, as names for
    ///   display.
    package func edit(_ id: TransferID, _ edit: TransferEdit) async throws(QueueError) -> [String] {
        var refusal: String?
        var dropped: [String] = []
        do throws(QueueError) {
            try await change(id, refusal: "cannot be changed") { transfer, now in
                refusal = edit.refusal(by: transfer).map { "Transfer \(id) \($0)." }
                guard refusal == nil else { return nil }
                var changed = transfer
                let done = edit.apply(to: &changed, now: now)
                do throws(RequestError) { try changed.spec.validate() } catch {
                    refusal = error.sentence
                    return nil
                }
                transfer = changed
                dropped = done.dropped
                return done.actions
            }
        } catch {
            throw refusal.map { .notApplicable($0) } ?? error
        }
        return dropped
    }

    /// Removes the record of a finished transfer; refused until its app has been notified of the end.
    package func forget(_ id: TransferID) async throws {
        await registry.load([id])
        guard let transfer = registry[id]?.transfer else { throw QueueError.notFound(id) }
        guard transfer.isFinished else {
            throw QueueError.notApplicable("Transfer \(id) has not ended: cancel it first, then forget it.")
        }
        // A change that is still on its way would arrive after the record is gone.
        if registry.trouble.standing == nil, registry[id]?.pendingCommits != 0 {
            _ = await registry.ledger.untilDurable()
        }
        do {
            try await registry.ledger.writeNow([.delete(id)])
        } catch StoreError.endNotTold(let id, let owner) {
            registry.release(id)
            throw QueueError.notApplicable(StoreError.endNotTold(id, owner: owner).sentence)
        }
        housekeeping.forget(transfer)
    }

    /// Changes the limit of one transfer, or of all together if `id` is nil. In bytes a second; nil for no limit.
    package func setRateLimit(_ limit: Int64?, of id: TransferID?) async throws(QueueError) {
        if let id {
            try await change(id, refusal: "has ended") { transfer, _ in transfer.setRateLimit(limit) }
        } else {
            if turns.limits.set(limit) { turns.fill() }
        }
        runner.shareBandwidth()
    }

    /// Has a transfer's rule decide on a caller's request, and returns once the decision is durable. If the request
    /// changes nothing or is refused because of an earlier decision, returns once that one is durable.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - refusal: why nothing can be done if the rule does not apply, as the middle of a sentence.
    ///   - decide: the rule; nil if it does not apply.
    /// - Throws: `QueueError` if there is no such transfer, the rule does not apply, or the daemon stops first.
    func change(
        _ id: TransferID,
        refusal: String,
        _ decide: (inout Transfer, Moment) -> [TransferAction]?
    ) async throws(QueueError) {
        await registry.load([id])
        guard let state = registry[id]?.transfer.state else { throw .notFound(id) }
        var isApplicable = false
        let task = registry.step(id) { transfer, now in
            let actions = decide(&transfer, now)
            isApplicable = actions != nil
            return actions
        }
        let isDurable = if let task { await task.value } else { await registry.untilDurable(id) }
        guard isDurable else { throw .stopping }
        // If there is a decision, its commit releases the transfer.
        if task == nil { registry.release(id) }
        guard isApplicable else { throw .notApplicable("Transfer \(id) \(refusal): \(Self.standing(state)).") }
        turns.fill()
    }

    /// The state of a transfer that refuses an operation, as the end of a sentence.
    private static func standing(_ state: TransferState) -> String {
        guard case .finished(let outcome, _) = state else { return "it is \(state.kind.rawValue)" }
        return switch outcome {
        case .completed: "it is complete"
        case .failed: "it has failed"
        case .cancelled: "it was cancelled"
        case .released: "it was let go: another machine goes on with it"
        case .cancelledByQuit: "it was cancelled when its app was quit"
        }
    }
}
