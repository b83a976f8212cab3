// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Decides which tasks start, and which are asked to end.
extension TaskSchedule {
    private struct Candidate {
        var slot: Int32
        /// Seconds left of its app's budget.
        var left: Double
        var due: Double
        var number: UInt64

        func isBefore(_ other: Candidate) -> Bool {
            left != other.left ? left > other.left : (due, number) < (other.due, other.number)
        }
    }

    mutating func startWhatMay(_ actions: inout [TaskScheduleAction]) {
        let continued = TaskScheduleQueue.Kind.continued
        while runs.continued < policy.runningContinuedLimit, let queue = queues.full[continued.index].first,
            let slot = queues[Int(queue)].line.first
        {
            actions.append(.start(slots[Int(slot)].number))
            begin(slot, since: now, isForced: false)
        }
        while runs.counted < policy.runningLimit, let next = next() {
            actions.append(.start(next.number))
            begin(next.slot, since: now, isForced: false)
        }
    }

    /// The next task to start, regardless of the limit of simultaneous tasks.
    private mutating func next() -> Candidate? {
        var best: Candidate?
        func consider(_ candidate: Candidate?) {
            guard let candidate, candidate.left > 0 else { return }
            if let found = best, !candidate.isBefore(found) { return }
            best = candidate
        }
        for index in 0..<TaskScheduleQueue.Kind.continued.index where isOpen(.init(index: index)) {
            consider(firstCandidate(index))
        }
        for app in charging {
            for index in 0..<TaskScheduleQueue.Kind.continued.index {
                let queue = appList[Int(app)].queues[index]
                guard queue >= 0, isOpen(.init(index: index)), !isHeld(app, for: .init(index: index)) else { continue }
                consider(candidate(queue))
            }
        }
        return best
    }

    /// The first queue of a kind whose app runs nothing at present.
    private mutating func firstCandidate(_ kind: Int) -> Candidate? {
        while let queue = queues.filling[kind].first, queues[Int(queue)].fullAt <= now.uptime { refile(queue) }
        return (queues.full[kind].first ?? queues.filling[kind].first).flatMap(candidate)
    }

    private func candidate(_ queue: Int32) -> Candidate? {
        let wall = now.wall.timeIntervalSinceReferenceDate
        guard let slot = queues[Int(queue)].first(slots.all, wall: wall) else { return nil }
        let first = slots[Int(slot)]
        let left = appList[Int(first.app)].budget.left(at: now.uptime)
        return Candidate(slot: slot, left: left, due: first.key, number: first.number)
    }

    mutating func endWhatMustEnd(_ actions: inout [TaskScheduleAction]) {
        // If nothing may run, the schedule only collects requests: the policy that lets tasks begin also ends them.
        guard policy.runningLimit > 0 else { return }
        var told: [(number: UInt64, expiry: TaskExpiry)] = []
        for (number, run) in runs.all where run.hasEntered && !run.isForced && !run.isToldToEnd {
            let queue = slots[Int(run.slot)].queue
            if queue.needsExternalPower, !conditions.hasExternalPower {
                told.append((number, .powerLost))
            } else if queue.needsIdleMachine, conditions.isBusy {
                told.append((number, .machineBusy))
            }
        }
        for (number, expiry) in told.sorted(by: { $0.number < $1.number }) {
            runs.askToEnd(number)
            actions.append(.expire(number, expiry))
        }
    }

    /// When to run it again without an event, on each clock; nil if only an event matters.
    ///
    /// Seconds on the boot-time clock, and seconds since 1970.
    package var nextLook: (uptime: Double?, wall: Double?) {
        var uptime = pausing.first.map { slots[Int($0)].key }
        func consider(_ time: Double?) {
            guard let time else { return }
            uptime = min(uptime ?? time, time)
        }
        consider(backedOff.first.map { appList[Int($0)].backedOffUntil })
        if runs.counted < policy.runningLimit {
            // The load is not watched until it matters, so its known state may be outdated.
            for index in 0..<TaskScheduleQueue.Kind.continued.index where isOpenWhenIdle(.init(index: index)) {
                if let queue = queues.filling[index].first {
                    consider(appList[Int(queues[Int(queue)].app)].budget.refillTime(at: now.uptime))
                }
            }
            for app in charging where hasOpenLane(app) {
                consider(appList[Int(app)].budget.refillTime(at: now.uptime))
            }
        }
        return (uptime, queues.nextDate.map { Self.sinceEpoch($0.date) })
    }

    /// Seconds since 1970 of a date in seconds since the reference date: never before it, however it is rounded.
    private static func sinceEpoch(_ time: Double) -> Double {
        let seconds = Date(timeIntervalSinceReferenceDate: time).timeIntervalSince1970
        let back = Date(timeIntervalSince1970: seconds).timeIntervalSinceReferenceDate
        return back < time ? seconds.nextUp : seconds
    }

    private func hasOpenLane(_ app: Int32) -> Bool {
        (0..<TaskScheduleQueue.Kind.continued.index).contains { index in
            let queue = appList[Int(app)].queues[index]
            return queue >= 0 && candidate(queue) != nil && isOpen(.init(index: index))
                && !isHeld(app, for: .init(index: index))
        }
    }
}
