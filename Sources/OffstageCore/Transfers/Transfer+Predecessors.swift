// SPDX-License-Identifier: Apache-2.0

/// What becomes of a transfer that comes after others.
///
/// One that fails or is cancelled keeps those after it waiting: whoever mends it and has it tried again wants them to
/// follow. A person who does not want to wait says `retry`.
extension Transfer {
    /// How one that others come after stands.
    package enum PredecessorStanding: Sendable, Equatable {
        case unfinished, completed
        case ended(PredecessorEnd)

        /// - Parameter transfer: nil when it is not on record.
        package init(_ transfer: Transfer?) {
            guard let transfer else {
                self = .ended(.forgotten)
                return
            }
            self =
                switch transfer.outcome {
                case nil: .unfinished
                case .completed: .completed
                case .failed: .ended(.failed)
                case .cancelled, .cancelledByQuit: .ended(.cancelled)
                }
        }
    }

    /// Those that have to complete before it begins, also while it is paused; empty when it does not wait for any.
    package var awaitedPredecessors: [TransferID] {
        switch state {
        case .waiting(let wait): if case .predecessors(let all) = wait.cause { all.map(\.id) } else { [] }
        case .paused: spec.predecessors
        case .queued, .running, .saving, .finished: []
        }
    }

    /// Somebody has looked at some of those it comes after. What is known of the others stays so.
    ///
    /// One that has completed is named no more, so that it may be forgotten before the rest have.
    package mutating func predecessorsStand(
        _ standings: [TransferID: PredecessorStanding],
        now: Moment
    ) -> [TransferAction] {
        guard !awaitedPredecessors.isEmpty else { return [] }
        let left = spec.predecessors.filter { standings[$0] != .completed }
        // Only where something changes: the specification is written anew then.
        if left.count < spec.predecessors.count { spec.predecessors = left }
        guard case .waiting(let wait) = state, case .predecessors(let all) = wait.cause else { return [] }
        let awaited = all.filter { standings[$0.id] != .completed }.map { one in
            switch standings[one.id] {
            case .ended(let end): TransferState.Predecessor(id: one.id, end: end)
            case .unfinished: TransferState.Predecessor(id: one.id)
            case .completed, nil: one
            }
        }
        guard awaited.isEmpty else {
            if awaited != all { state = .waiting(.init(cause: .predecessors(awaited), since: wait.since)) }
            return []
        }
        return leavePredecessors(now: now)
    }

    /// It waits for no other any more.
    mutating func leavePredecessors(now: Moment) -> [TransferAction] {
        spec.predecessors = []
        if let date = spec.earliestBegin, date > now.wall {
            state = .waiting(.init(cause: .earliestBegin(date), since: now.wall))
            return [.wakeAt(date)]
        }
        return beginDateCame(now: now)
    }

    /// It waits for those that the specification names.
    mutating func awaitPredecessors(now: Moment) -> [TransferAction] {
        let all = spec.predecessors.map { TransferState.Predecessor(id: $0) }
        state = .waiting(.init(cause: .predecessors(all), since: now.wall))
        return [.awaitPredecessors]
    }
}
