// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageCore
import OffstageProtocol

/// Ends that the daemon kept until somebody listens.
extension SessionCore {
    /// The daemon has given the session and said how many such ends there are, or that it withholds them.
    ///
    /// - Returns: whether they are to be fetched.
    func endsPending(_ count: Int, isWithheld: Bool) -> Bool {
        let mustPull = state.withLock { state in
            state.ends.opened(pendingEnds: count, isWithheld: isWithheld)
            return state.ends.mayPull
        }
        finishEvents()
        finishIfPossible()
        return mustPull
    }

    /// The daemon withholds nothing any more.
    ///
    /// - Returns: whether ends are to be fetched.
    func released() -> Bool {
        state.withLock { state in
            state.ends.released()
            return state.ends.mayPull
        }
    }

    /// The app is called for the session's events, if somebody has said so and it has not been noted yet. A session that
    /// is just ending with nobody to tell leaves that to the next one.
    func takeExpectation() {
        state.withLock { state in
            switch state.invalidation {
            case .finishing where state.isUnheard, .done: return
            case .none, .finishing: if LaunchEvents.take(identifier) { state.ends.expect() }
            }
        }
    }

    /// Tells the delegate that it has heard of all, where that is due. After what it is to hear before.
    func finishEvents() {
        if state.withLock({ $0.takeFinish() }) { deliver(.finishedEvents) }
    }

    func connectionLost() {
        state.withLock { $0.ends.connectionLost() }
    }

    /// The page to ask for; nil when none is wanted now.
    func beginPull() -> EndsCursor.Pull? {
        state.withLock { state in
            // Not before the tasks are listed: who asks for them is to have them before it hears of their ends.
            guard state.isListed else { return nil }
            // What is committed by now is in no page that is asked for from now on.
            state.forgetTold()
            return state.ends.begin()
        }
    }

    func pullFailed(_ number: Int) {
        state.withLock { $0.ends.failed(number) }
    }

    func pulled(_ number: Int, _ reply: ListPendingEnds.Reply) {
        let page = reply.ends
        let (fresh, silent, mustPull) = state.withLock { state in
            let isWithheld = reply.isWithheld ?? false
            guard state.ends.came(number, last: page.last?.id, hasMore: reply.hasMore, isWithheld: isWithheld) else {
                return ([TaskEnd](), [TaskEnd](), false)
            }
            let silent = page.filter { end in
                if case .unacknowledged = state.told[end.key.task] { true } else { false }
            }
            let fresh = page.filter { state.take($0) }
            state.ends.untold += fresh.count
            return (fresh, silent, state.ends.mayPull)
        }
        for end in silent { deliver(.callback { self.acknowledge(end.id, task: end.key.task) }) }
        for end in fresh { deliver(.ended(end)) }
        finishEvents()
        if mustPull { hub.send(.pullEnds(self)) }
        finishIfPossible()
    }

    /// An end that has just come about.
    func ended(_ end: TaskEnd) {
        let (isFresh, mustPull) = state.withLock { state in
            // Who has asked for the tasks is to have them first: it comes with the kept ends, after the list.
            guard state.isListed else {
                state.ends.missed()
                return (false, false)
            }
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
    /// Whether `urlSessionDidFinishEvents` is due, for the first time. What the daemon asks is told once the tasks are
    /// listed, and an app that was called for it is to hear it before.
    fileprivate mutating func takeFinish() -> Bool {
        guard isListed || !ends.isSupervised else { return false }
        return ends.takeFinish()
    }

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
