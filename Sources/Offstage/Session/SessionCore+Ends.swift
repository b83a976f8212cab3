// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageCore
import OffstageProtocol

/// Ends that the daemon has kept until a process listens.
extension SessionCore {
    /// Records that the daemon has opened the session, and has reported the number of such ends or that it withholds
    /// them.
    ///
    /// - Returns: whether to fetch them.
    func endsPending(_ count: Int, isWithheld: Bool) -> Bool {
        let mustPull = state.withLock { state in
            state.ends.opened(pendingEnds: count, isWithheld: isWithheld)
            return state.ends.mayPull
        }
        finishEvents()
        finishIfPossible()
        return mustPull
    }

    /// Records that the daemon no longer withholds anything.
    ///
    /// - Returns: whether to fetch ends.
    func released() -> Bool {
        state.withLock { state in
            state.ends.released()
            return state.ends.mayPull
        }
    }

    /// Records that the app is called for the session's events, if that has been reported but not recorded yet. A
    /// session that is just ending, with no receiver for the events, leaves that to the next one.
    func takeExpectation() {
        state.withLock { state in
            switch state.invalidation {
            case .finishing where state.isUnheard, .done: return
            case .none, .finishing: if LaunchEvents.claim(identifier) { state.ends.expect() }
            }
        }
    }

    /// Calls `urlSessionDidFinishEvents` if it is due, after everything that the delegate has to receive first.
    func finishEvents() {
        if state.withLock({ $0.takeFinish() }) { deliver(.finishedEvents) }
    }

    func connectionLost() {
        state.withLock { $0.ends.connectionLost() }
    }

    /// The page to request; nil if none is wanted now.
    func beginPull() -> EndsCursor.Pull? {
        state.withLock { state in
            // Not before the tasks are listed: a caller that asks for them must receive them before their ends.
            guard state.listing.isComplete else { return nil }
            // No page requested from now on contains an end whose acknowledgement is already committed.
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
                return ([SessionTaskEnd](), [SessionTaskEnd](), false)
            }
            let silent = page.filter { end in
                if case .unacknowledged = state.told[end.key.task] { true } else { false }
            }
            let fresh = page.filter { state.beginDelivery($0) }
            state.ends.untold += fresh.count
            return (fresh, silent, state.ends.mayPull)
        }
        for end in silent { deliver(.callback { self.acknowledge(end.id, task: end.key.task) }) }
        for end in fresh { deliver(.ended(end)) }
        finishEvents()
        if mustPull { hub.send(.pullEnds(self)) }
        finishIfPossible()
    }

    /// Handles the end of a task that has just ended.
    func ended(_ end: SessionTaskEnd) {
        let (isFresh, mustPull) = state.withLock { state in
            // A caller that has asked for the tasks must receive them first: the end comes with the kept ends, after
            // the list.
            guard state.listing.isComplete else {
                state.ends.missed()
                return (false, false)
            }
            guard state.entries[end.key.task] != nil || end.spec != nil else {
                // The task ended before it was listed: its details come only with the kept ends.
                guard state.told[end.key.task] == nil else { return (false, false) }
                state.ends.missed()
                return (false, state.ends.mayPull)
            }
            guard state.beginDelivery(end) else { return (false, false) }
            state.ends.untold += 1
            return (true, false)
        }
        if isFresh { deliver(.ended(end)) }
        if mustPull { hub.send(.pullEnds(self)) }
    }

    /// Finishes the delivery of one end.
    func finishDelivery() {
        let mustPull = state.withLock { state in
            state.ends.untold -= 1
            return state.ends.mayPull
        }
        if mustPull { hub.send(.pullEnds(self)) }
    }
}

extension SessionCore.State {
    /// Returns whether `urlSessionDidFinishEvents` is due, for the first time. The daemon's questions are delivered
    /// once the tasks are listed, and an app that was called for one must receive it first.
    fileprivate mutating func takeFinish() -> Bool {
        guard listing.isComplete || !ends.isSupervised else { return false }
        return ends.takeFinish()
    }

    /// Marks an end as being delivered.
    ///
    /// - Returns: whether to deliver the end; false if it has been delivered already.
    mutating func beginDelivery(_ end: SessionTaskEnd) -> Bool {
        let task = end.key.task
        switch told[task] {
        case .telling, .acknowledged, .unacknowledged: return false
        case nil:
            told[task] = .telling
            questions.ended(task)
            // Delays the session's end until this end has been delivered.
            if entries[task] == nil {
                entries[task] = .row(.init(id: end.id, task: task, kind: .finished, spec: end.spec ?? ""))
            }
            return true
        }
    }
}
