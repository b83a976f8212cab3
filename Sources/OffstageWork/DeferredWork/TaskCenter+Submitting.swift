// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
package import OffstageProtocol
import OffstageRuntime

/// Apps' requests: submitted, listed and cancelled. The kernel identifies the app's process.
extension TaskCenter {
    /// Accepts or refuses a request; returns when either is durable. A request that is sent again, because the answer
    /// was lost with the daemon before, is only answered if it was accepted.
    ///
    /// - Throws: `WireFailure` for a request that no library makes, and if the daemon stops first.
    package func submit(_ request: SubmitTask, of facts: AppFacts) async throws -> SubmitTask.Reply {
        let draft = request.draft
        if let problem = draft.problem { throw WireFailure(.badRequest, problem) }
        await waitUntilReady()
        if request.isRepeated, let nonce = request.nonce {
            let isTaken = try await records.has(draft.identifier, nonce: nonce, of: facts.app)
            if isTaken { return SubmitTask.Reply(refusal: nil) }
        }
        if refusal(of: draft, by: facts) == nil { try await register(facts) }
        if let refusal = refusal(of: draft, by: facts) {
            records.add(refusal, of: draft, app: facts.app)
            try await untilDurable()
            return SubmitTask.Reply(refusal: TaskRefusal(code: refusal.code, sentence: refusal.sentence))
        }
        accept(draft, nonce: request.nonce, app: facts.app)
        try await untilDurable()
        return SubmitTask.Reply(refusal: nil)
    }

    /// Registers the app: only registered apps can be launched later.
    func register(_ facts: AppFacts) async throws {
        let isKnown = await apps.register(facts)
        guard isKnown else { throw WireFailure.isStopping }
    }

    func refusal(of draft: TaskDraft, by facts: AppFacts, isFetch: Bool = false) -> TaskPermission.Refusal? {
        let permission = TaskPermission(
            app: facts.app,
            permittedIdentifiers: facts.information.permittedTaskIdentifiers,
            backgroundModes: facts.information.backgroundModes,
            policy: policy
        )
        let kinds = draft.kind.sharingLimit
        var pending = schedule.pendingCount(app: facts.app, kinds: kinds)
        // The request that it replaces.
        if let number = schedule.number(of: draft.identifier, app: facts.app),
            let kind = schedule.record(number)?.request.kind, kinds.contains(kind)
        {
            pending -= 1
        }
        let app = facts.app
        return permission.refusal(
            of: .init(
                identifier: draft.identifier,
                kind: draft.kind,
                failsUnlessImmediate: draft.failsUnlessImmediate,
                requiresGPU: draft.requiresGPU,
                isFetch: isFetch
            ),
            pending: pending,
            isFront: apps.assumeIsolated { $0.isInFront(app) },
            canRunNow: runs.continuedCount(in: schedule) < policy.runningContinuedLimit
        )
    }

    func accept(_ draft: TaskDraft, nonce: UInt64?, app: String) {
        if let older = schedule.number(of: draft.identifier, app: app), let record = schedule.record(older) {
            forget(record, .replaced, as: .removed(older))
        }
        let request = TaskRequest(
            draft,
            number: runs.makeNumber(),
            app: app,
            lead: clock.lead.seconds,
            submitted: clock.now()
        )
        persist(.insert(request, nonce: nonce), of: request.number)
        step(.added(TaskRecord(request: request)))
        // The task must run immediately or be refused.
        if request.kind == .continued, draft.failsUnlessImmediate, runs[request.number] == nil {
            step(.force(request.number))
        }
    }

    /// Cancels pending requests, and starting ones if they come back; running ones are left alone.
    package func cancel(_ request: CancelTasks, of facts: AppFacts) async throws {
        await waitUntilReady()
        var cancelled: [TaskRecord] = []
        if let identifier = request.identifier {
            cancelled = [schedule.number(of: identifier, app: facts.app).flatMap { schedule.record($0) }]
                .compactMap { $0 }
        } else {
            cancelled = pending(of: facts.app).filter { !isFetch($0.request) }
        }
        for record in runs.starting(request.identifier, of: facts.app, in: schedule) where !isFetch(record.request) {
            cancelStarting(record, .cancelled)
        }
        for record in cancelled { forget(record, .cancelled, as: .removed(record.request.number)) }
        try await untilDurable()
    }

    /// The app's pending requests, as it submitted them.
    package func pendingDrafts(of facts: AppFacts) async -> [TaskDraft] {
        await waitUntilReady()
        let lead = clock.lead.seconds
        return pending(of: facts.app).map(\.request).filter { !isFetch($0) }.map { $0.draft(lead: lead) }
    }

    package nonisolated func rules(of facts: AppFacts) -> TaskRules.Reply {
        TaskRules.Reply(
            app: facts.app,
            permittedIdentifiers: facts.information.permittedTaskIdentifiers,
            backgroundModes: facts.information.backgroundModes,
            candidates: AppIdentity(link: facts.executable).candidates
        )
    }

    /// The facts about a connection's peer, from `TaskClients`.
    package func facts(
        of connection: ConnectionID,
        peer: @Sendable () -> (process: Int32, pidfd: Int32)?
    ) async throws -> AppFacts {
        try await clients.facts(of: connection, peer: peer)
    }
}

extension TaskDraft {
    /// Why the request is invalid; nil if it is valid.
    fileprivate var problem: String? {
        if identifier.isEmpty { return "A task request needs an identifier." }
        if identifier.utf8.count > 1024 { return "The identifier of a task may have at most 1024 bytes." }
        if title.utf8.count > 4096 || subtitle.utf8.count > 4096 {
            return "The title and the subtitle of a task may have at most 4096 bytes."
        }
        return nil
    }
}
