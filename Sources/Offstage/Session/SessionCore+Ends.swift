// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageCore
import OffstageProtocol

/// Ends that the daemon kept until somebody listens.
extension SessionCore {
    /// The daemon has given the session and said how many such ends there are.
    ///
    /// - Returns: whether they are to be fetched.
    func endsPending(_ count: Int) -> Bool {
        let (isFinished, mustPull) = state.withLock { state in
            state.ends.opened(pendingEnds: count)
            return (state.ends.takeFinish(), state.ends.mayPull)
        }
        if isFinished { deliver(.finishedEvents) }
        finishIfPossible()
        return mustPull
    }

    func connectionLost() {
        state.withLock { $0.ends.connectionLost() }
    }

    /// The page to ask for; nil when none is wanted now.
    func beginPull() -> EndsCursor.Pull? {
        state.withLock { state in
            // What is committed by now is in no page that is asked for from now on.
            state.forgetTold()
            return state.ends.begin()
        }
    }

    func pullFailed(_ number: Int) {
        state.withLock { $0.ends.failed(number) }
    }

    func pulled(_ number: Int, _ page: [TaskEnd], hasMore: Bool) {
        let (fresh, silent, isFinished, mustPull) = state.withLock { state in
            guard state.ends.came(number, last: page.last?.id, hasMore: hasMore) else {
                return ([TaskEnd](), [TaskEnd](), false, false)
            }
            let silent = page.filter { end in
                if case .unacknowledged = state.told[end.key.task] { true } else { false }
            }
            let fresh = page.filter { state.take($0) }
            state.ends.untold += fresh.count
            return (fresh, silent, state.ends.takeFinish(), state.ends.mayPull)
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
                state.ends.missed()
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
            questions.ended(task)
            // Holds up the session's end until it has been told.
            if entries[task] == nil {
                entries[task] = .row(.init(id: end.id, task: task, kind: .finished, spec: end.spec ?? ""))
            }
            return true
        }
    }
}
