// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// What is asked for in one turn of the loop shares one commit, and what arrives during that is the next: so the store
/// hears everything in the order in which it was decided, whatever it does.
extension TaskCenter {
    /// Has a change made durable.
    ///
    /// - Parameters:
    ///   - change: what has changed in memory already.
    ///   - number: the task that watchers are told of then; nil for none.
    func note(_ change: TaskChange, of number: UInt64? = nil) {
        batch.changes.append(change)
        if let number, !watchers.isEmpty { batch.followers.append(.tell(number)) }
        scheduleCommit()
    }

    /// Has something follow when everything that was noted is durable.
    func follow(_ follower: TaskBatch.Follower) {
        batch.followers.append(follower)
        scheduleCommit()
    }

    /// Returns when everything that was noted is durable.
    ///
    /// - Throws: `WireFailure` when the daemon ends first.
    func untilDurable() async throws(WireFailure) {
        let isDurable = await withCheckedContinuation { follow(.answer($0)) }
        if !isDurable { throw WireFailure(.shuttingDown, "The daemon is just stopping: try again.") }
    }

    private func scheduleCommit() {
        guard !isCommitScheduled, !isCommitting else { return }
        isCommitScheduled = true
        // At the end of this turn: what else it asks for comes with it.
        loop.post { [weak self] in self?.assumeIsolated { $0.commit() } }
    }

    private func commit() {
        isCommitScheduled = false
        let batch = batch
        self.batch = TaskBatch()
        isCommitting = true
        loop.startTask {
            let isDurable = await write(batch.changes)
            isCommitting = false
            for follower in batch.followers { carryOut(follower, isDurable: isDurable) }
            if self.batch.isEmpty { lookForRest() } else { scheduleCommit() }
        }
    }

    private func carryOut(_ follower: TaskBatch.Follower, isDurable: Bool) {
        switch follower {
        case .begin(let number): if isDurable { hand(number) }
        case .tell(let number): if isDurable { tellWatchers(of: number) }
        case .answer(let continuation): continuation.resume(returning: isDurable)
        }
    }

    /// Commits until it succeeds; false when the daemon stops first.
    private func write(_ changes: [TaskChange]) async -> Bool {
        while !changes.isEmpty {
            do throws(StoreError) {
                try await store.commit(tasks: changes)
                trouble = nil
                return true
            } catch {
                if error.isOfRequest { return await writeOneByOne(changes, error) }
                if trouble != error.sentence {
                    trouble = error.sentence
                    log(error.sentence)
                }
                if isStopping { return false }
                await queue.wait(seconds: 1)
            }
        }
        return true
    }

    /// What the store will never take holds up nothing behind it.
    private func writeOneByOne(_ changes: [TaskChange], _ error: StoreError) async -> Bool {
        guard changes.count > 1 else {
            log("A change of deferred work is lost when the daemon ends. " + error.sentence)
            return true
        }
        for change in changes {
            guard await write([change]) else { return false }
        }
        return true
    }
}
