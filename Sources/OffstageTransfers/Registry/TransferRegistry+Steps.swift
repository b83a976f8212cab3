// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Decisions about transfers: made in memory, committed, and then acted on.
extension TransferRegistry {
    /// Lets one rule decide for a transfer in memory, commits what it decided, then has done what it asked for.
    ///
    /// Breaking off and leaving the line do not wait for the commit: they are safe to repeat, and a pause takes
    /// effect at once. Everything else happens only when the decision is durable.
    ///
    /// - Returns: the commit, which is false when the daemon stops before it is durable; nil where nothing is written.
    @discardableResult
    func step(
        _ id: TransferID,
        _ decide: (inout Transfer, Moment) -> [TransferAction]?
    ) -> Task<Bool, Never>? {
        guard var entry = self[id] else { return nil }
        let before = entry.transfer
        // What ends an attempt stores what is across, and not what has been sent of the request under way.
        entry.transfer = before.reaching(entry.kept)
        let decided = Doing.transfer(id, .deciding) {
            Doing.faultPoint("trap-in-decision", id)
            return decide(&entry.transfer, now())
        }
        guard let actions = decided else { return nil }
        if before.isRunning { entry.transfer = entry.transfer.reaching(before.bytesDone) }
        entry.note(before: before)
        // Given up: what stands in its place is its record from now on.
        if before.isUnreadable, entry.transfer.isFinished { crashes.forget(.transfer(id)) }
        self[id] = entry
        follower?.perform(actions.filter { !$0.waitsForCommit }, for: entry.transfer)
        guard entry.transfer != before || !actions.isEmpty else { return nil }
        follower?.decided(entry.transfer, before: before)
        let later = actions.filter(\.waitsForCommit)
        // A start is not written before it happens: if the daemon dies it is simply in line again.
        let isStart = entry.transfer.isRunning && later.contains(where: \.isBegin)
        if isStart || entry.transfer == before {
            follower?.perform(later, for: entry.transfer)
            return nil
        }
        return commit(entry.transfer, before: before, later)
    }

    /// Has a decision written, and then what it asked for done.
    private func commit(_ decided: Transfer, before: Transfer, _ actions: [TransferAction]) -> Task<Bool, Never> {
        let id = decided.id
        // Counted here and not when the task begins: an attempt that is let go of in between would release the
        // transfer, and the decision would never be written.
        self[id]?.pendingCommits += 1
        let mustKeepFile = actions.contains(.keepPartialFile)
        if mustKeepFile { self[id]?.keepsPartialFile = true }
        return loop.startTask {
            if mustKeepFile { await self.follower?.keepPartialFile(of: id) }
            let isDurable = await self.persist(id)
            self[id]?.pendingCommits -= 1
            // The next daemon decides anew, and needs what this one would have deleted or renamed.
            guard isDurable else { return false }
            self[id]?.stateUntilCommitted = nil
            self.follower?.committed(decided, before: before, actions)
            return true
        }
    }

    /// A transfer does not exist any more.
    func forgotten(_ id: TransferID) { self[id] = nil }

    /// Reads a record once more that could not be read, or must not be: a person asks for it.
    ///
    /// - Returns: whether there is such a transfer.
    func readAgain(_ id: TransferID) async -> Bool {
        crashes.release(.transfer(id))
        self[id] = nil
        await load([id])
        return self[id] != nil
    }
}

extension LiveTransfer {
    /// Notes what a decision has changed.
    fileprivate mutating func note(before: Transfer) {
        if transfer.isFinished { stateUntilCommitted = before.state }
        if transfer.spec != before.spec || before.isUnreadable { isSpecChanged = true }
    }
}

extension Transfer {
    /// Whether an attempt runs; what is being saved has all its bytes.
    fileprivate var isRunning: Bool {
        if case .running = state { true } else { false }
    }
}

extension TransferAction {
    /// Whether it happens only when the decision is durable.
    fileprivate var waitsForCommit: Bool { self != .stop && self != .dequeue }

    fileprivate var isBegin: Bool {
        if case .begin = self { true } else { false }
    }
}
