// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Decisions about transfers: made in memory, committed, and then acted on.
extension TransferRegistry {
    /// Lets a rule decide about a transfer in memory, commits the decision, and then has its actions carried out.
    ///
    /// Breaking off and leaving the line do not wait for the commit: they are safe to repeat, and a pause takes effect
    /// at once. All other actions wait until the decision is durable.
    ///
    /// - Returns: the commit, which is false if the daemon stops before it is durable; nil if nothing is written.
    @discardableResult
    func step(
        _ id: TransferID,
        _ decide: (inout Transfer, Moment) -> [TransferAction]?
    ) -> Task<Bool, Never>? {
        guard var entry = self[id] else { return nil }
        let before = entry.transfer
        // Ending an attempt stores the transferred bytes, not those sent in the current request.
        entry.transfer = before.reaching(entry.kept)
        let now = now()
        let decided = Doing.transfer(id, .deciding) {
            Doing.faultPoint("trap-in-decision", id)
            return decide(&entry.transfer, now)
        }
        guard let actions = decided else { return nil }
        if let span = TimelineSpan(endedBy: entry.transfer, before: before, now: now) { chronicle.record(span) }
        if before.isRunning { entry.transfer = entry.transfer.reaching(before.bytesDone) }
        entry.decided(before: before)
        // Given up: from now on, the placeholder is its record.
        if before.isUnreadable, entry.transfer.isFinished { crashes.forget(.transfer(id)) }
        self[id] = entry
        census.decided(id, from: before.state, to: entry.transfer.state)
        follower?.perform(actions.filter { !$0.waitsForCommit }, for: entry.transfer)
        guard entry.transfer != before || !actions.isEmpty else { return nil }
        follower?.decided(entry.transfer, before: before)
        let later = actions.filter(\.waitsForCommit)
        // A start is not written before it happens: if the daemon dies, the transfer is simply in line again.
        let isStart = entry.transfer.isRunning && later.contains(where: \.isBegin)
        if isStart || entry.transfer == before {
            follower?.perform(later, for: entry.transfer)
            return nil
        }
        let task = commit(entry.transfer, entry.decisions, before: before, later)
        self[id]?.commits(task)
        return task
    }

    /// Returns once every decision about a transfer so far is durable.
    ///
    /// - Returns: false if the daemon stops before that.
    func untilDurable(_ id: TransferID) async -> Bool {
        let last = self[id]?.lastCommit
        return await last?.value ?? true
    }

    /// Writes a decision, then has its actions carried out.
    private func commit(
        _ decided: Transfer,
        _ decision: Int,
        before: Transfer,
        _ actions: [TransferAction]
    ) -> Task<Bool, Never> {
        let id = decided.id
        // Counted here, not when the task begins: an attempt that ends in between would release the transfer, and the
        // decision would never be written.
        self[id]?.pendingCommits += 1
        let mustKeepFile = actions.contains(.keepPartialFile)
        if mustKeepFile { self[id]?.keepsPartialFile = true }
        return loop.startTask {
            if mustKeepFile { await self.follower?.keepPartialFile(of: id) }
            if actions.contains(.awaitRequests) { await self.follower?.awaitRequests(of: id) }
            let isDurable = await self.persist(id)
            self[id]?.pendingCommits -= 1
            // The next daemon decides again, and needs the files that this one would have deleted or renamed.
            guard isDurable else { return false }
            self[id]?.committed(decision)
            self.follower?.committed(decided, before: before, actions)
            return true
        }
    }

    /// Removes a transfer that no longer exists.
    func forgotten(_ id: TransferID) { self[id] = nil }

    /// Rereads, at a user's request, a record that could not or must not be read.
    ///
    /// - Returns: whether the transfer exists.
    func readAgain(_ id: TransferID) async -> Bool {
        crashes.release(.transfer(id))
        self[id] = nil
        await load([id])
        return self[id] != nil
    }
}

extension Transfer {
    /// Whether an attempt runs; a transfer that is being saved already has all its bytes.
    fileprivate var isRunning: Bool {
        if case .running = state { true } else { false }
    }
}

extension TransferAction {
    /// Whether the action waits until the decision is durable.
    fileprivate var waitsForCommit: Bool { self != .stop && self != .dequeue }

    fileprivate var isBegin: Bool {
        if case .begin = self { true } else { false }
    }
}
