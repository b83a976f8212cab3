// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
package import OffstageProtocol
import OffstageRuntime

/// What apps ask: requests come in, are listed and cancelled. The app is who the kernel says the process is.
extension TaskCenter {
    /// Takes a request, or refuses it; returns when either is durable. One that is sent once more, since its answer was
    /// lost with a daemon before, and that was taken already is answered, and nothing else.
    ///
    /// - Throws: `WireFailure` for a request that no library makes, and when the daemon ends first.
    package func submit(_ request: SubmitTask, of facts: AppFacts) async throws -> SubmitTask.Reply {
        let draft = request.draft
        if let problem = draft.problem { throw WireFailure(.badRequest, problem) }
        await waitUntilReady()
        if request.isRepeated, let nonce = request.nonce {
            try await untilDurable()
            let isTaken = try await store.hasTask(app: facts.app, identifier: draft.identifier, nonce: nonce)
            if isTaken { return SubmitTask.Reply(refusal: nil) }
        }
        if refusal(of: draft, by: facts) == nil { try await register(facts) }
        if let refusal = refusal(of: draft, by: facts) {
            record(refusal, of: draft, app: facts.app)
            try await untilDurable()
            return SubmitTask.Reply(refusal: TaskRefusal(code: refusal.code, sentence: refusal.sentence))
        }
        take(draft, nonce: request.nonce, app: facts.app)
        try await untilDurable()
        return SubmitTask.Reply(refusal: nil)
    }

    /// Only an app that is registered can be launched later.
    func register(_ facts: AppFacts) async throws {
        let isKnown = await apps.register(facts)
        guard isKnown else { throw WireFailure(.shuttingDown, "The daemon is stopping: try again.") }
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
        // The one whose place it takes.
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
            canRunNow: runningContinued < policy.runningContinuedLimit
        )
    }

    private var runningContinued: Int {
        runs.keys.count { schedule.record($0)?.request.kind == .continued }
    }

    /// An app's process remembers a task of this number. In a store that was begun anew it may be one that is still to be
    /// given: the process would take the new task for the old one.
    func hasNumber(_ number: UInt64) {
        guard number < Self.highestNumber else { return }
        nextNumber = max(nextNumber, number + 1)
    }

    /// What no store comes to, whatever a process claims.
    private static let highestNumber: UInt64 = 1 << 48

    func take(_ draft: TaskDraft, nonce: UInt64?, app: String) {
        if let older = schedule.number(of: draft.identifier, app: app), let record = schedule.record(older) {
            forget(record, .replaced, as: .removed(older))
        }
        let isContinued = draft.kind == .continued
        let request = TaskRequest(
            number: nextNumber,
            app: app,
            identifier: draft.identifier,
            kind: draft.kind,
            earliestBegin: isContinued ? nil : draft.earliestBegin?.addingTimeInterval(clock.lead.seconds),
            requiresNetwork: draft.requiresNetwork,
            requiresExternalPower: draft.requiresExternalPower,
            title: isContinued ? draft.title : "",
            subtitle: isContinued ? draft.subtitle : "",
            submitted: clock.now()
        )
        nextNumber += 1
        note(.insert(request, nonce: nonce), of: request.number)
        step(.added(TaskRecord(request: request)))
        // It was promised to run at once, or to be refused.
        if isContinued, draft.failsUnlessImmediate, runs[request.number] == nil { step(.force(request.number)) }
    }

    /// A refusal is on record, since many a program throws the error away; of the same one after another only the first.
    func record(_ refusal: TaskPermission.Refusal, of draft: TaskDraft, app: String) {
        let now = clock.now()
        let key = TaskRefusals.Key(app: app, identifier: draft.identifier, code: refusal.code)
        guard refusals.isNew(key, at: now.uptime) else { return }
        let entry = TaskEntry(
            number: nil,
            app: app,
            identifier: draft.identifier,
            kind: draft.kind,
            date: now.wall,
            outcome: .refused(code: refusal.code, refusal.sentence)
        )
        note(.append(entry))
    }

    /// Cancels what is pending, and what comes back of what is starting; what runs is left alone.
    package func cancel(_ request: CancelTasks, of facts: AppFacts) async throws {
        await waitUntilReady()
        var cancelled: [TaskRecord] = []
        if let identifier = request.identifier {
            cancelled = [schedule.number(of: identifier, app: facts.app).flatMap { schedule.record($0) }]
                .compactMap { $0 }
        } else {
            cancelled = pending(of: facts.app).filter { !isFetch($0.request) }
        }
        for record in starting(request.identifier, of: facts.app) where !isFetch(record.request) {
            cancelStarting(record, .cancelled)
        }
        for record in cancelled { forget(record, .cancelled, as: .removed(record.request.number)) }
        try await untilDurable()
    }

    /// An app's tasks whose handlers have not been entered, as far as is known; of one identifier if that is given.
    func starting(_ identifier: String?, of app: String) -> [TaskRecord] {
        runs.keys.sorted().compactMap { number in
            guard runs[number]?.hasEntered == false, let record = schedule.record(number) else { return nil }
            let isMeant = identifier == nil || record.request.identifier == identifier
            return record.request.app == app && isMeant ? record : nil
        }
    }

    /// The app's pending requests, as it made them.
    package func pendingDrafts(of facts: AppFacts) async -> [TaskDraft] {
        await waitUntilReady()
        let lead = clock.lead.seconds
        return pending(of: facts.app).filter { !isFetch($0.request) }.map { record in
            TaskDraft(
                identifier: record.request.identifier,
                kind: record.request.kind,
                earliestBegin: record.request.earliestBegin?.addingTimeInterval(-lead),
                requiresNetwork: record.request.requiresNetwork,
                requiresExternalPower: record.request.requiresExternalPower,
                title: record.request.title,
                subtitle: record.request.subtitle
            )
        }
    }

    package nonisolated func rules(of facts: AppFacts) -> TaskRules.Reply {
        TaskRules.Reply(
            app: facts.app,
            permittedIdentifiers: facts.information.permittedTaskIdentifiers,
            backgroundModes: facts.information.backgroundModes,
            candidates: AppIdentity(link: facts.executable).candidates
        )
    }

    // MARK: Who asks

    /// What is known of the process at the other end of a connection; asked for once for each.
    ///
    /// - Parameters:
    ///   - connection: the connection.
    ///   - peer: the process's number, and a pidfd or -1, which is closed here; nil when the connection has ended.
    /// - Returns: what the kernel and the bundle say.
    /// - Throws: `WireFailure` when nobody can tell.
    package func facts(
        of connection: ConnectionID,
        peer: @Sendable () -> (process: Int32, pidfd: Int32)?
    ) async throws -> AppFacts {
        let asked: Task<AppFacts?, Never>
        if let known = clients[connection] {
            asked = known
        } else {
            guard let peer = peer() else {
                throw WireFailure(.badRequest, "The connection of this app has ended.")
            }
            let apps = apps
            asked = loop.startTask { await apps.facts(ofProcess: peer.process, pidfd: peer.pidfd) }
            clients[connection] = asked
        }
        guard let facts = await asked.value else {
            clients[connection] = nil
            throw WireFailure.unknownProcess
        }
        return facts
    }

    /// A connection is gone.
    package func connectionEnded(_ connection: ConnectionID) {
        clients[connection] = nil
        watchers.remove(connection)
    }
}

extension TaskDraft {
    /// Why no request can be made of it; nil when one can.
    fileprivate var problem: String? {
        if identifier.isEmpty { return "A task request needs an identifier." }
        if identifier.utf8.count > 1024 { return "The identifier of a task may have 1024 bytes at most." }
        if title.utf8.count > 4096 || subtitle.utf8.count > 4096 {
            return "The title and the subtitle of a task may have 4096 bytes at most."
        }
        return nil
    }
}
