// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageRuntime

/// The interface for background sessions. A failing store is not an error here: operations are retried until the daemon
/// stops.
extension TransferQueue: SessionTransfers {
    /// Sets the receiver, called on the loop, of notices about background sessions' tasks.
    package func setSessionSink(_ sink: @escaping @Sendable (SessionNotice) -> Void) { notices.sessions.start(sink) }

    /// Accepts a batch with one commit; see `TransferHandOver.accept`.
    package func accept(_ batch: HandOverBatch) async -> [RefusedSessionTask]? { await handOver.accept(batch) }

    /// Carries out an app's commands for its tasks, in order. Returns false if the daemon stops before they are
    /// durable.
    package func carryOut(_ commands: [(task: SessionTaskKey, command: SessionTaskCommand)], for app: String) async
        -> Bool
    {
        guard let ids = await transferIDs(of: commands.map(\.task), app: app) else { return false }
        return await carryOut(zip(ids, commands).compactMap { id, entry in id.map { ($0, entry.command) } }, for: app)
    }

    /// Carries out an app's commands for its transfers, in order.
    package func carryOut(_ commands: [(id: TransferID, command: SessionTaskCommand)], for app: String) async -> Bool {
        _ = await applied(commands, for: app)
        return !registry.isStopping
    }

    /// - Returns: how many commands had an effect.
    private func applied(_ commands: [(id: TransferID, command: SessionTaskCommand)], for app: String) async -> Int {
        var count = 0
        for start in stride(from: 0, to: commands.count, by: Self.commandsAtOnce) {
            let some = commands[start..<min(start + Self.commandsAtOnce, commands.count)]
            await registry.load(some.map(\.id))
            var commits: [Task<Bool, Never>] = []
            for (id, command) in some {
                guard registry[id]?.transfer.spec.owner == app else { continue }
                if let commit = registry.step(id, { command.apply(to: &$0, now: $1) }) {
                    commits.append(commit)
                    count += 1
                } else if let earlier = registry[id]?.lastCommit {
                    // The decision that it repeats is not durable yet.
                    commits.append(earlier)
                }
            }
            for commit in commits { _ = await commit.value }
            for (id, _) in some { registry.release(id) }
        }
        turns.fill()
        return count
    }

    /// The questions for these transfers' apps; none for a transfer that no longer waits for its app.
    package func questions(
        of ids: [TransferID]
    ) async -> [(id: TransferID, key: SessionTaskKey, question: DelegateQuestion)] {
        await registry.load(ids)
        defer { for id in ids { registry.release(id) } }
        return ids.compactMap { id in
            guard let transfer = registry[id]?.transfer, let key = transfer.spec.sessionTask,
                case .waiting(let wait) = transfer.state, case .delegate(let question) = wait.cause
            else { return nil }
            return (id, key, question)
        }
    }

    /// Cancels every unfinished task of a session.
    package func cancelAll(_ session: String, of app: String) async -> Bool {
        var last = 0
        while !registry.isStopping {
            let page = await registry.reading { store throws(StoreError) in
                try await store.sessionTasks(session, of: app, after: last, limit: 500)
            }
            guard let page else { return false }
            guard let end = page.last else { return true }
            last = end.task
            guard await carryOut(page.map { ($0.id, SessionTaskCommand.cancel) }, for: app) else { return false }
        }
        return false
    }

    /// Cancels every current unfinished task of an app, because the user quit the app. Durable when this returns.
    ///
    /// - Returns: how many were cancelled.
    package func cancelAllForQuit(_ app: String) async -> Int {
        let unfinished: [TransferState.Kind] = [.queued, .waiting, .running, .paused]
        var before = handOver.nextID
        var count = 0
        while !registry.isStopping {
            let query = TransferQuery(kinds: unfinished, owner: app, before: before, limit: 500)
            let page = await registry.reading { store throws(StoreError) in
                try await store.page(query).transfers
            }
            guard let page, let last = page.last else { break }
            before = last.id
            let tasks = page.filter { $0.spec.sessionTask != nil }.map(\.id)
            count += await applied(tasks.map { ($0, SessionTaskCommand.cancelForQuit) }, for: app)
        }
        return count
    }

    /// Makes a change of journals or sessions durable.
    package func commit(_ change: TransferChange) async -> CommitOutcome {
        registry.isStopping ? .stopped : await registry.ledger.write([change])
    }

    private func transferIDs(of keys: [SessionTaskKey], app: String) async -> [TransferID?]? {
        guard !registry.isStopping else { return nil }
        return await registry.reading { store throws(StoreError) in
            try await store.transferIDs(of: keys, owner: app)
        }
    }

    /// How many steps run on the loop at once: it must not be blocked for long.
    private static let commandsAtOnce = 64

    // MARK: Progress and files

    /// The progress of the transfers that are in memory.
    package func progress(of ids: [TransferID]) -> [TransferID: (done: Int64, total: Int64?)] {
        notices.views.progress(of: ids)
    }

    package func sweepSnapshots() async { await housekeeping.leftovers.sweepSnapshots() }

    package func deleteUnclaimed(
        _ names: [String],
        in folder: String,
        prefix: String,
        kinds: [TransferState.Kind]?
    ) async {
        await housekeeping.leftovers.deleteUnclaimed(names, in: folder, prefix: prefix, kinds: kinds)
    }

    package func deleteUnclaimedResponses(_ names: [String], in folder: String) async {
        await housekeeping.leftovers.deleteUnclaimedResponses(names, in: folder)
    }
}
