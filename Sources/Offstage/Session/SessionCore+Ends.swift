// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageCore
import OffstageProtocol

/// Ends that the daemon kept until somebody listens.
extension SessionCore {
    /// There are such ends: they are fetched from the first on.
    func endsPending() {
        state.withLock { state in
            state.ends.hasMore = true
            state.ends.isPulling = false
            state.ends.last = nil
            // What came while the daemon was gone and the app was not is told like any other end.
            state.ends.owesFinish = state.ends.owesFinish || !state.ends.hasBegun
            state.ends.hasBegun = true
        }
    }

    func noEndsPending() {
        state.withLock { state in
            state.ends.hasMore = false
            state.ends.isPulling = false
            state.ends.hasBegun = true
        }
        finishIfPossible()
    }

    /// The page to ask for; nil when none is wanted now.
    func beginPull() -> EndsCursor? {
        state.withLock { state in
            guard state.ends.mayPull else { return nil }
            state.forgetTold()
            state.ends.isPulling = true
            return state.ends
        }
    }

    func pullFailed() {
        state.withLock { $0.ends.isPulling = false }
    }

    func pulled(_ page: [TaskEnd], hasMore: Bool) {
        let (fresh, silent, isFinished, mustPull) = state.withLock { state in
            state.ends.isPulling = false
            let silent = page.filter { end in
                if case .unacknowledged = state.told[end.key.task] { true } else { false }
            }
            state.ends.hasMore = hasMore || state.ends.hasMoreSince
            state.ends.hasMoreSince = false
            state.ends.last = page.last?.id ?? state.ends.last
            let fresh = page.filter { state.take($0) }
            state.ends.untold += fresh.count
            return (fresh, silent, state.takeFinish(), state.ends.mayPull)
        }
        for end in silent { deliver(.callback { self.acknowledge(end.id, task: end.key.task) }) }
        for end in fresh { deliver(.ended(end)) }
        if isFinished { deliver(.finishedEvents) }
        if mustPull { hub.send(.pullEnds(self)) }
        finishIfPossible()
    }

    /// An end that has just come about.
    func ended(_ end: TaskEnd) {
        let (isFresh, mustPull) = state.withLock { state in
            guard state.entries[end.key.task] != nil || end.spec != nil else {
                // It ended before it was listed: what it was comes with the kept ends only.
                guard state.told[end.key.task] == nil else { return (false, false) }
                state.ends.hasMore = true
                state.ends.hasMoreSince = state.ends.isPulling
                return (false, state.ends.mayPull)
            }
            guard state.take(end) else { return (false, false) }
            state.ends.untold += 1
            return (true, false)
        }
        if isFresh { deliver(.ended(end)) }
        if mustPull { hub.send(.pullEnds(self)) }
    }

    /// The delegate has heard of one.
    func toldEnd() {
        let mustPull = state.withLock { state in
            state.ends.untold -= 1
            return state.ends.mayPull
        }
        if mustPull { hub.send(.pullEnds(self)) }
    }
}

extension SessionCore.State {
    /// Marks an end as being told.
    ///
    /// - Returns: whether it is to be told; false when it has been already.
    mutating func take(_ end: TaskEnd) -> Bool {
        let task = end.key.task
        switch told[task] {
        case .telling, .acknowledged, .unacknowledged: return false
        case nil:
            told[task] = .telling
            // Holds up the session's end until it has been told.
            if entries[task] == nil {
                entries[task] = .row(.init(id: end.id, task: task, kind: .finished, spec: end.spec ?? ""))
            }
            return true
        }
    }

    /// Whether the last of the kept ends has been handed on, for the first time.
    mutating func takeFinish() -> Bool {
        guard ends.owesFinish, !ends.hasMore else { return false }
        ends.owesFinish = false
        return true
    }
}
