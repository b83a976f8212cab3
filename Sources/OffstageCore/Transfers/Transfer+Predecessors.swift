// SPDX-License-Identifier: Apache-2.0

/// A transfer that waits for others to complete.
///
/// A predecessor that fails or is cancelled keeps its successors waiting: a person who fixes and retries it wants them
/// to follow. A person who does not want to wait uses `retry`.
extension Transfer {
    /// The transfers that must complete before this one begins, also while it is paused; empty if it waits for none.
    package var awaitedPredecessors: [TransferID] {
        switch state {
        case .waiting(let wait): if case .predecessors(let all) = wait.cause { all.map(\.id) } else { [] }
        case .paused: spec.predecessors
        case .queued, .running, .saving, .finished: []
        }
    }

    /// Records the states of some predecessors; nothing changes for the others.
    ///
    /// A completed predecessor is no longer listed, so that it may be forgotten before the others complete.
    package mutating func predecessorsStand(
        _ standings: [TransferID: PredecessorStanding],
        now: Moment
    ) -> [TransferAction] {
        guard !awaitedPredecessors.isEmpty else { return [] }
        let left = spec.predecessors.filter { standings[$0] != .completed }
        // Only on a change, because the specification is then rewritten.
        if left.count < spec.predecessors.count { spec.predecessors = left }
        guard case .waiting(let wait) = state, case .predecessors(let all) = wait.cause else { return [] }
        let awaited = all.compactMap { $0.standing(standings[$0.id]) }
        guard awaited.isEmpty else {
            if awaited != all { state = .waiting(.init(cause: .predecessors(awaited), since: wait.since)) }
            return []
        }
        return leavePredecessors(now: now)
    }

    /// Stops waiting for other transfers.
    mutating func leavePredecessors(now: Moment) -> [TransferAction] {
        spec.predecessors = []
        if let date = spec.earliestBegin, date > now.wall {
            state = .waiting(.init(cause: .earliestBegin(date), since: now.wall))
            return [.wakeAt(date)]
        }
        return beginDateCame(now: now)
    }

    /// Waits for the transfers that the specification names.
    mutating func awaitPredecessors(now: Moment) -> [TransferAction] {
        let all = spec.predecessors.map { TransferState.Predecessor(id: $0) }
        state = .waiting(.init(cause: .predecessors(all), since: now.wall))
        return [.awaitPredecessors]
    }
}
