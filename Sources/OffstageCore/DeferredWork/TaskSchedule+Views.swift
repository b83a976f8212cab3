// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Views of the schedule.
extension TaskSchedule {
    /// The pending request with an identifier, the newest if there are several.
    package func number(of identifier: String, app: String) -> UInt64? {
        guard let index = appIndex[app] else { return nil }
        return slots.pendingNumber(of: identifier, app: index)
    }

    package func pendingCount(app: String, kinds: [TaskRequest.Kind]) -> Int {
        guard let index = appIndex[app] else { return 0 }
        return kinds.reduce(0) { $0 + Int(appList[Int(index)].pending[$1.ordinal]) }
    }

    /// All requests, pending and running.
    package var count: Int { slots.count }

    /// Whether a task is starting or running, including continued processing.
    package var isRunning: Bool { !runs.all.isEmpty }

    /// Starting and running tasks, by number.
    package var underWay: [UInt64] { runs.all.keys.sorted() }

    /// The first requests, of one app if given: running ones by number, then the others by when they were or will be
    /// due, then by number. Visits every request, but sorts only as many as are wanted.
    package func numbers(app: String?, limit: Int) -> [UInt64] {
        var wanted: Int32?
        if let app {
            guard let index = appIndex[app] else { return [] }
            wanted = index
        }
        let ahead = now.wall.timeIntervalSinceReferenceDate - now.uptime
        var first = TaskScheduleFirst(limit: limit)
        slots.all.withUnsafeBufferPointer { slots in
            for index in slots.indices where slots[index].place != .free {
                if let wanted, slots[index].app != wanted { continue }
                let due: Double =
                    switch slots[index].place {
                    case .active: -.infinity
                    case .pausing: slots[index].key + ahead
                    case .dated, .due, .free: slots[index].key
                    }
                first.consider(due: due, number: slots[index].number)
            }
        }
        return first.numbers
    }

    /// A request as it was added, in its present phase.
    package func record(_ number: UInt64) -> TaskRecord? {
        guard let index = slots.slot(number) else { return nil }
        let slot = slots[Int(index)]
        let text = texts[number]
        let request = TaskRequest(
            number: number,
            app: appList[Int(slot.app)].id,
            identifier: slot.identifier,
            kind: slot.kind,
            earliestBegin: slot.earliest.isFinite ? Date(timeIntervalSinceReferenceDate: slot.earliest) : nil,
            requiresNetwork: slot.requiresNetwork,
            requiresExternalPower: slot.requiresExternalPower,
            title: text?.title ?? "",
            subtitle: text?.subtitle ?? "",
            submitted: Moment(
                wall: Date(timeIntervalSinceReferenceDate: slot.submittedWall),
                bootID: Int(slot.boot) < boots.count ? boots[Int(slot.boot)] : "",
                uptime: slot.submittedUptime
            )
        )
        let phase: TaskRecord.Phase =
            if let run = runs[number] {
                run.hasEntered ? .running(since: run.since) : .starting(since: run.since)
            } else {
                .pending
            }
        return TaskRecord(request: request, phase: phase, attempts: slot.attempts)
    }

    /// Seconds left for an app's runs in its day; less than 0 after a run that took more than was left.
    package func budgetLeft(of app: String, now: Moment) -> Double {
        guard let index = appIndex[app] else { return max(0, policy.dailySeconds) }
        return appList[Int(index)].budget.left(at: now.uptime)
    }

    /// Apps with pending or running requests, or a budget that is not full, by name.
    package var apps: [String] {
        appList.filter { app in
            app.active > 0 || (0..<app.pending.count).contains { app.pending[$0] > 0 }
                || app.budget.runs > 0 || app.budget.fullAt > now.uptime
        }.map(\.id).sorted()
    }

    /// The time that an app has used, except by present runs, which count again after the daemon's start.
    ///
    /// - Returns: nil for an app without deferred work.
    package func budgetUse(of app: String, now: Moment) -> TaskBudgetUse? {
        guard let index = appIndex[app] else { return nil }
        let known = appList[Int(index)]
        var used = known.budget.used(at: now.uptime)
        for run in runs.all.values where run.hasEntered {
            let slot = slots[Int(run.slot)]
            guard slot.app == index, slot.kind != .continued else { continue }
            let seconds = now.seconds(since: run.since)
            used -= min(seconds, policy.seconds(for: slot.kind) ?? seconds)
        }
        return TaskBudgetUse(app: app, used: max(0, used), typicalSeconds: known.typicalSeconds, moment: now)
    }

    /// Subtracts the time used before the daemon's start from an app's budget, as far as it was not refilled. Times in
    /// this boot's future came from an advanced clock.
    package mutating func recall(_ use: TaskBudgetUse, now: Moment) {
        if use.moment.bootID == now.bootID, use.moment.uptime > now.uptime { return }
        let back = now.seconds(since: use.moment) * max(0, policy.dailySeconds) / 86_400
        let app = app(use.app)
        if let seconds = use.typicalSeconds, seconds >= 0, seconds.isFinite {
            appList[Int(app)].recordRun(seconds: seconds)
        }
        // A time in the future came from an advanced clock.
        if use.moment.bootID == now.bootID, use.moment.uptime > now.uptime { return }
        appList[Int(app)].budget.charge(max(0, use.used - back), at: now.uptime)
        refileLanes(of: app)
    }
}
