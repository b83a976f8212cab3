// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Which tasks start, and which are told to end.
extension TaskSchedule {
    private struct Candidate {
        var slot: Int32
        /// Seconds of its app's budget.
        var left: Double
        var due: Double
        var number: UInt64

        func isBefore(_ other: Candidate) -> Bool {
            left != other.left ? left > other.left : (due, number) < (other.due, other.number)
        }
    }

    mutating func startWhatMay(_ actions: inout [TaskScheduleAction]) {
        let continued = TaskScheduleLane.Kind.continued
        while runs.continued < policy.runningContinuedLimit, let lane = lanes.full[continued.index].first,
            let slot = lanes[Int(lane)].line.first
        {
            actions.append(.start(slots[Int(slot)].number))
            begin(slot, since: now, isForced: false)
        }
        while runs.counted < policy.runningLimit, let next = next() {
            actions.append(.start(next.number))
            begin(next.slot, since: now, isForced: false)
        }
    }

    /// The next task to start, apart from the limit of simultaneous ones.
    private mutating func next() -> Candidate? {
        var best: Candidate?
        func consider(_ candidate: Candidate?) {
            guard let candidate, candidate.left > 0 else { return }
            if let found = best, !candidate.isBefore(found) { return }
            best = candidate
        }
        for index in 0..<TaskScheduleLane.Kind.continued.index where isOpen(.init(index: index)) {
            consider(firstCandidate(index))
        }
        for app in charging {
            for index in 0..<TaskScheduleLane.Kind.continued.index {
                let lane = appList[Int(app)].lanes[index]
                guard lane >= 0, isOpen(.init(index: index)), !isHeld(app, for: .init(index: index)) else { continue }
                consider(candidate(lane))
            }
        }
        return best
    }

    /// The first lane of a kind whose app runs nothing at present.
    private mutating func firstCandidate(_ kind: Int) -> Candidate? {
        while let lane = lanes.filling[kind].first, lanes[Int(lane)].fullAt <= now.uptime { refile(lane) }
        return (lanes.full[kind].first ?? lanes.filling[kind].first).flatMap(candidate)
    }

    private func candidate(_ lane: Int32) -> Candidate? {
        let wall = now.wall.timeIntervalSinceReferenceDate
        guard let slot = lanes[Int(lane)].first(slots.all, wall: wall) else { return nil }
        let first = slots[Int(slot)]
        let left = appList[Int(first.app)].budget.left(at: now.uptime)
        return Candidate(slot: slot, left: left, due: first.key, number: first.number)
    }

    mutating func endWhatMustEnd(_ actions: inout [TaskScheduleAction]) {
        // If nothing may run, the schedule only collects requests: the policy that lets tasks begin also ends them.
        guard policy.runningLimit > 0 else { return }
        var told: [(number: UInt64, expiry: TaskExpiry)] = []
        for (number, run) in runs.all where run.hasEntered && !run.isForced && !run.isToldToEnd {
            let lane = slots[Int(run.slot)].lane
            if lane.needsExternalPower, !conditions.hasExternalPower {
                told.append((number, .powerLost))
            } else if lane.needsIdleMachine, conditions.isBusy {
                told.append((number, .machineBusy))
            }
        }
        for (number, expiry) in told.sorted(by: { $0.number < $1.number }) {
            runs.askToEnd(number)
            actions.append(.expire(number, expiry))
        }
    }

    /// When to ask it again without an event, on each clock; nil if only an event decides.
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
            // The load is not watched before it can decide anything, so its known state may be outdated.
            for index in 0..<TaskScheduleLane.Kind.continued.index where isOpenWhenIdle(.init(index: index)) {
                if let lane = lanes.filling[index].first {
                    consider(appList[Int(lanes[Int(lane)].app)].budget.refillTime(at: now.uptime))
                }
            }
            for app in charging where hasOpenLane(app) {
                consider(appList[Int(app)].budget.refillTime(at: now.uptime))
            }
        }
        return (uptime, lanes.nextDate.map { Self.sinceEpoch($0.date) })
    }

    /// Seconds since 1970 of a date in seconds since the reference date: never before it, however it is rounded.
    private static func sinceEpoch(_ time: Double) -> Double {
        let seconds = Date(timeIntervalSinceReferenceDate: time).timeIntervalSince1970
        let back = Date(timeIntervalSince1970: seconds).timeIntervalSinceReferenceDate
        return back < time ? seconds.nextUp : seconds
    }

    private func hasOpenLane(_ app: Int32) -> Bool {
        (0..<TaskScheduleLane.Kind.continued.index).contains { index in
            let lane = appList[Int(app)].lanes[index]
            return lane >= 0 && candidate(lane) != nil && isOpen(.init(index: index))
                && !isHeld(app, for: .init(index: index))
        }
    }
}
