// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Why a task does not run now.
extension TaskSchedule {
    /// The cause that holds a task, its beginning on the boot-time clock, and the time of the next check on either
    /// clock.
    private struct Hold {
        var cause: TaskReason.Cause
        var since: Double
        /// On the boot-time clock.
        var until: Double?
    }

    /// A request's state, or why it has not started: the first `TaskReason.Cause` that applies.
    ///
    /// `since` is when the condition began or the task was due, whichever was later. A hold of the app itself counts
    /// from the submission. The date is counted back from the present, which keeps it correct if the wall clock was set
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - number: the request's number.
    ///   - now: not before the last event.
    /// - Returns: nil for an unknown request.
    package func why(_ number: UInt64, now: Moment) -> TaskReason? {
        guard let index = slots.slot(number) else { return nil }
        let slot = slots[Int(index)]
        if let run = runs[number] {
            let since = now.wall.addingTimeInterval(-now.seconds(since: run.since))
            return TaskReason(cause: run.hasEntered ? .running : .starting, since: since)
        }
        let submitted = submitted(slot, now: now)
        // Checked before its date, because a person should know in advance of a cause that only a person can remove.
        if let hold = appHold(of: slot, now: now.uptime) { return reason(hold, notBefore: submitted, now: now) }
        let begin = Date(timeIntervalSinceReferenceDate: slot.begin)
        if begin > now.wall { return TaskReason(cause: .earliestBegin, since: submitted, nextLook: begin) }
        let due = max(submitted, begin)
        guard let hold = hold(of: slot, now: now.uptime) else {
            // It became due after the last event, and starts as soon as that is noticed.
            return TaskReason(cause: .starting, since: due, nextLook: now.wall)
        }
        return reason(hold, notBefore: due, now: now)
    }

    private func reason(_ hold: Hold, notBefore start: Date, now: Moment) -> TaskReason {
        TaskReason(
            cause: hold.cause,
            since: max(start, now.wall.addingTimeInterval(-max(0, now.uptime - hold.since))),
            nextLook: hold.until.map { now.wall.addingTimeInterval(max(0, $0 - now.uptime)) }
        )
    }

    /// When a request was submitted, on the present wall clock.
    private func submitted(_ slot: TaskScheduleSlot, now: Moment) -> Date {
        guard Int(slot.boot) < boots.count, boots[Int(slot.boot)] == now.bootID else {
            return Date(timeIntervalSinceReferenceDate: slot.submittedWall)
        }
        return now.wall.addingTimeInterval(-max(0, now.uptime - slot.submittedUptime))
    }

    private func appHold(of slot: TaskScheduleSlot, now: Double) -> Hold? {
        let app = appList[Int(slot.app)]
        switch app.hold(for: slot.queue, at: now) {
        case .quit: return Hold(cause: .appQuit, since: app.holdSince)
        case .ending: return Hold(cause: .appEnding, since: app.holdSince)
        case .backedOff(let until, let crashes):
            return Hold(cause: .appBackedOff(crashes: crashes), since: app.holdSince, until: until)
        case nil: return nil
        }
    }

    private func hold(of slot: TaskScheduleSlot, now: Double) -> Hold? {
        let app = appList[Int(slot.app)]
        let kind = slot.queue
        guard !kind.isContinued else { return hold(ofContinued: slot) }
        if kind.isRefresh, !policy.allowsRefresh(app.id) {
            return Hold(cause: .refreshOff, since: times.refresh(of: app.id))
        }
        if let hold = machineHold(kind) { return hold }
        if let emptied = app.budget.empty(at: now) {
            return Hold(
                cause: .budgetSpent(seconds: policy.dailySeconds),
                since: emptied,
                until: app.budget.refillTime(at: now)
            )
        }
        if runs.counted >= policy.runningLimit {
            return Hold(cause: .othersRun(running: runs.counted, limit: policy.runningLimit), since: times.full ?? now)
        }
        return pauseHold(slot)
    }

    private func hold(ofContinued slot: TaskScheduleSlot) -> Hold? {
        if runs.continued >= policy.runningContinuedLimit {
            let cause = TaskReason.Cause.othersRun(running: runs.continued, limit: policy.runningContinuedLimit)
            return Hold(cause: cause, since: times.fullContinued ?? now.uptime)
        }
        return pauseHold(slot)
    }

    private func machineHold(_ kind: TaskScheduleQueue.Kind) -> Hold? {
        if kind.needsNetwork, conditions.network == .none { return Hold(cause: .noNetwork, since: times.network) }
        if kind.needsExternalPower, !conditions.hasExternalPower {
            return Hold(cause: .noExternalPower, since: times.power)
        }
        if isBatteryLow {
            let charge = conditions.batteryCharge ?? 0
            return Hold(cause: .lowBattery(charge: charge, least: policy.leastCharge), since: times.battery)
        }
        if conditions.isDiskFull { return Hold(cause: .diskFull, since: times.disk) }
        if kind.needsIdleMachine, conditions.isBusy { return Hold(cause: .machineBusy, since: times.busy) }
        return nil
    }

    private func pauseHold(_ slot: TaskScheduleSlot) -> Hold? {
        guard slot.place == .pausing, slot.key > now.uptime else { return nil }
        let pause = Self.pause(attempts: slot.attempts)
        return Hold(cause: .retry(attempts: slot.attempts), since: slot.key - pause, until: slot.key)
    }
}
