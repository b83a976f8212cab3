// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageRuntime

/// What apps hand over. Nothing here fails for want of a store: it is tried again until the daemon stops.
extension TransferQueue {
    /// Takes a batch in with one commit. Returns false when the daemon stops first: then it was not taken in.
    package func takeIn(_ batch: HandOverBatch) async -> Bool {
        var tasks = batch.tasks
        let now = environment.now()
        let ended = await ends(batch.filesTaken + batch.acknowledged, of: batch.app)
        while !isStopping {
            let transfers = Doing.named(.journal, .takingIn, batch.journal) {
                tasks.map { task in
                    defer { nextID += 1 }
                    return Transfer(id: TransferID(rawValue: nextID), spec: task.spec, now: now)
                }
            }
            let changes = Self.changes(for: batch, zip(transfers, tasks))
            let duplicate = await trouble.waitOut(.writing, unless: { isStopping }) {
                () throws(StoreError) -> SessionTaskKey? in
                do throws(StoreError) {
                    try await store.commit(changes)
                    return nil
                } catch {
                    guard case .duplicateTask(let key, _) = error, tasks.contains(where: { $0.spec.sessionTask == key })
                    else { throw error }
                    // Imported once already: a task is what its number says, whatever record it came by.
                    environment.log.error("a task was handed over twice: it counts once", ["reason": error])
                    return key
                }
            }
            guard let duplicate else { return false }
            if let duplicate {
                tasks = Self.withoutDuplicate(duplicate, tasks)
                continue
            }
            Doing.named(.journal, .takingIn, batch.journal) { enter(transfers, now: now) }
            let files = leftovers.files(of: ended, filesTaken: batch.filesTaken, acknowledged: batch.acknowledged)
            leftovers.delete(files)
            let heard = Set(batch.acknowledged.compactMap { ended[$0]?.sessionName })
            if !heard.isEmpty { sessionSink?(.acknowledged(heard)) }
            // Only now may they be forgotten.
            pruning.note(ended: batch.acknowledged.count)
            pruneIfDue()
            return true
        }
        return false
    }

    /// The first of several tasks with one number is the one that counts, unless the store has had it before.
    private static func withoutDuplicate(_ key: SessionTaskKey, _ tasks: [HandOverBatch.Task]) -> [HandOverBatch.Task] {
        let same = tasks.indices.filter { tasks[$0].spec.sessionTask == key }
        let dropped = Set(same.count > 1 ? same.dropFirst() : same[...])
        return tasks.indices.filter { !dropped.contains($0) }.map { tasks[$0] }
    }

    private static func changes(
        for batch: HandOverBatch,
        _ tasks: Zip2Sequence<[Transfer], [HandOverBatch.Task]>
    ) -> [TransferChange] {
        var changes: [TransferChange] = []
        changes.reserveCapacity(batch.tasks.count + batch.filesTaken.count + batch.acknowledged.count + 1)
        for (transfer, task) in tasks { changes.append(.insert(transfer, encodedSpec: task.json)) }
        for id in batch.filesTaken { changes.append(.fileTaken(id, owner: batch.app)) }
        for id in batch.acknowledged { changes.append(.acknowledge(id, owner: batch.app)) }
        changes.append(.advanceJournal(name: batch.journal, sequence: batch.sequence))
        return changes
    }

    /// Puts what was just made durable where it belongs.
    private func enter(_ transfers: [Transfer], now: Moment) {
        guard !transfers.isEmpty else { return }
        tellTaken(transfers)
        for transfer in transfers {
            if live.count < Self.liveLimit { live[transfer.id] = LiveTransfer(transfer: transfer) }
            var fresh = transfer
            perform(fresh.restored(now: now), for: transfer)
            notifyChanged(transfer)
        }
        armAlarm()
        fill()
    }

    /// Tells how many tasks of which sessions have just become durable.
    func tellTaken(_ transfers: [Transfer]) {
        guard let sessionSink else { return }
        var tasks: [SessionName: Int] = [:]
        for transfer in transfers {
            if let session = transfer.sessionName { tasks[session, default: 0] += 1 }
        }
        if !tasks.isEmpty { sessionSink(.taken(tasks)) }
    }

    /// Tells apps how far their tasks have got.
    func tellSessions(_ notices: [TransferNotice.Progress]) {
        guard let sessionSink else { return }
        let progress = notices.compactMap { notice -> SessionNotice.Progress? in
            guard let transfer = live[notice.id]?.transfer, let key = transfer.spec.sessionTask,
                case .running(let attempt) = transfer.state
            else { return nil }
            return SessionNotice.Progress(
                owner: transfer.spec.owner,
                key: key,
                bytesDone: notice.bytesDone,
                bytesTotal: notice.bytesTotal,
                offset: attempt.offset
            )
        }
        if !progress.isEmpty { sessionSink(.progress(progress)) }
    }

    /// Which of these transfers are ended tasks of the app.
    private func ends(_ ids: [TransferID], of app: String) async -> [TransferID: Transfer] {
        guard !ids.isEmpty else { return [:] }
        let found = await trouble.waitOut(.reading, unless: { isStopping }) { () throws(StoreError) in
            try await store.transfers(Array(Set(ids)))
        }
        let ended = (found ?? []).filter { $0.spec.owner == app && $0.spec.sessionTask != nil && $0.isFinished }
        return Dictionary(ended.map { ($0.id, $0) }) { $1 }
    }

    /// Does what an app asks for some of its tasks, in order. Returns false when the daemon stops before it is durable.
    package func carryOut(_ commands: [(task: SessionTaskKey, command: TaskCommand)], for app: String) async -> Bool {
        guard let ids = await transferIDs(of: commands.map(\.task), app: app) else { return false }
        return await carryOut(zip(ids, commands).compactMap { id, entry in id.map { ($0, entry.command) } }, for: app)
    }

    /// Does what an app asks for some of its transfers, in order.
    package func carryOut(_ commands: [(id: TransferID, command: TaskCommand)], for app: String) async -> Bool {
        _ = await applied(commands, for: app)
        return !isStopping
    }

    /// - Returns: how many of them made a difference.
    private func applied(_ commands: [(id: TransferID, command: TaskCommand)], for app: String) async -> Int {
        var count = 0
        for start in stride(from: 0, to: commands.count, by: Self.commandsAtOnce) {
            let some = commands[start..<min(start + Self.commandsAtOnce, commands.count)]
            await load(some.map(\.id))
            var commits: [Task<Void, Never>] = []
            for (id, command) in some {
                guard live[id]?.transfer.spec.owner == app else { continue }
                guard let commit = step(id, { $0.carryOut(command, now: $1) }) else { continue }
                commits.append(commit)
                count += 1
            }
            for commit in commits { await commit.value }
            for (id, _) in some { release(id) }
        }
        fill()
        return count
    }

    /// What the apps of these transfers are to be asked; nothing of a transfer that does not wait for its app any more.
    package func questions(
        of ids: [TransferID]
    ) async -> [(id: TransferID, key: SessionTaskKey, question: DelegateQuestion)] {
        await load(ids)
        defer { for id in ids { release(id) } }
        return ids.compactMap { id in
            guard let transfer = live[id]?.transfer, let key = transfer.spec.sessionTask,
                case .waiting(let wait) = transfer.state, case .delegate(let question) = wait.cause
            else { return nil }
            return (id, key, question)
        }
    }

    /// Cancels every task of a session that has not ended.
    package func cancelAll(_ session: String, of app: String) async -> Bool {
        var last = 0
        while !isStopping {
            let page = await trouble.waitOut(.reading, unless: { isStopping }) { () throws(StoreError) in
                try await store.sessionTasks(session, of: app, after: last, limit: 500)
            }
            guard let page else { return false }
            guard let end = page.last else { return true }
            last = end.task
            guard await carryOut(page.map { ($0.id, TaskCommand.cancel) }, for: app) else { return false }
        }
        return false
    }

    /// Cancels every task of an app that is here now and has not ended, because the person quit the app: durable when
    /// this returns.
    ///
    /// - Returns: how many were cancelled.
    package func cancelAllForQuit(_ app: String) async -> Int {
        let unfinished: [TransferState.Kind] = [.queued, .waiting, .running, .paused]
        var before = TransferID(rawValue: nextID)
        var count = 0
        while !isStopping {
            let query = TransferQuery(kinds: unfinished, owner: app, before: before, limit: 500)
            let page = await trouble.waitOut(.reading, unless: { isStopping }) { () throws(StoreError) in
                try await store.page(query).transfers
            }
            guard let page, let last = page.last else { break }
            before = last.id
            let tasks = page.filter { $0.spec.sessionTask != nil }.map(\.id)
            count += await applied(tasks.map { ($0, TaskCommand.cancelForQuit) }, for: app)
        }
        return count
    }

    /// Makes journal changes durable. Returns false when the daemon stops first.
    package func commit(_ change: TransferChange) async -> Bool {
        guard !isStopping else { return false }
        return await trouble.waitOut(.writing, unless: { isStopping }) { () throws(StoreError) in
            try await store.commit([change])
        } != nil
    }

    private func transferIDs(of keys: [SessionTaskKey], app: String) async -> [TransferID?]? {
        guard !isStopping else { return nil }
        return await trouble.waitOut(.reading, unless: { isStopping }) { () throws(StoreError) in
            try await store.transferIDs(of: keys, owner: app)
        }
    }

    /// Steps on the loop in one go: it must not be held for long.
    private static let commandsAtOnce = 64
}
