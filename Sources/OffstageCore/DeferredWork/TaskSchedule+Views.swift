// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What the schedule knows, for those who ask.
extension TaskSchedule {
    /// The pending request with an identifier, the newest where there are several.
    package func number(of identifier: String, app: String) -> UInt64? {
        guard let index = appIndex[app] else { return nil }
        var found: UInt64?
        _ = byIdentifier.first(TaskScheduleSlot.hash(app: index, identifier: identifier)) { slot in
            let slot = slots[Int(slot)]
            if slot.isPending, slot.app == index, slot.identifier == identifier {
                found = max(found ?? 0, slot.number)
            }
            return false
        }
        return found
    }

    package func pendingCount(app: String, kinds: [TaskRequest.Kind]) -> Int {
        guard let index = appIndex[app] else { return 0 }
        return kinds.reduce(0) { $0 + Int(appList[Int(index)].pending[$1.ordinal]) }
    }

    /// All requests, pending and running.
    package var count: Int { slots.count - freeSlots.count }

    /// Whether something is starting or running, continued processing too.
    package var isRunning: Bool { !runs.isEmpty }

    /// The first ones, of one app when that is given: those that run, by number, then the others by when they were or
    /// will be due, then by number. Looks at every request.
    package func numbers(app: String?, limit: Int) -> [UInt64] {
        struct Entry {
            var due: Double
            var number: UInt64
        }
        var wanted: Int32?
        if let app {
            guard let index = appIndex[app] else { return [] }
            wanted = index
        }
        let ahead = now.wall.timeIntervalSinceReferenceDate - now.uptime
        var entries: [Entry] = []
        for slot in slots where slot.place != .free && (wanted == nil || slot.app == wanted) {
            let due: Double =
                switch slot.place {
                case .active: -.infinity
                case .pausing: slot.key + ahead
                case .early, .due, .free: slot.key
                }
            entries.append(Entry(due: due, number: slot.number))
        }
        entries.sort { ($0.due, $0.number) < ($1.due, $1.number) }
        return entries.prefix(max(0, limit)).map(\.number)
    }

    /// A request as it was added, in its present phase.
    package func record(_ number: UInt64) -> TaskRecord? {
        guard let index = slot(number) else { return nil }
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

    /// Seconds of an app's runs that are left of its day; less than 0 after a run that took more than there was.
    package func budgetLeft(of app: String, now: Moment) -> Double {
        guard let index = appIndex[app] else { return max(0, policy.dailySeconds) }
        return appList[Int(index)].budget.left(at: now.uptime)
    }

    /// Apps with anything pending or running, or with a budget that is not full, by name.
    package var apps: [String] {
        appList.filter { app in
            app.active > 0 || (0..<app.pending.count).contains { app.pending[$0] > 0 }
                || app.budget.runs > 0 || app.budget.fullAt > now.uptime
        }.map(\.id).sorted()
    }

    /// Takes off the budgets what runs of former times used, as far as that has not come back: after the daemon's start.
    /// Runs that are still to come have used a test clock's time.
    package mutating func recall(_ entries: [TaskEntry], now: Moment) {
        var used: [String: (seconds: Double, at: Double)] = [:]
        let refill = max(0, policy.dailySeconds) / 86_400
        let present = now.wall.timeIntervalSinceReferenceDate
        let runs = entries.compactMap { entry -> (app: String, seconds: Double, end: Double)? in
            guard entry.kind != .continued, case .ended(_, let started, let seconds) = entry.outcome,
                started.timeIntervalSinceReferenceDate <= present
            else { return nil }
            return (entry.app, max(0, seconds), min(present, started.timeIntervalSinceReferenceDate + max(0, seconds)))
        }
        for run in runs.sorted(by: { $0.end < $1.end }) {
            let former = used[run.app] ?? (0, run.end)
            used[run.app] = (max(0, former.seconds - (run.end - former.at) * refill) + run.seconds, run.end)
            appList[Int(app(run.app))].noteRun(seconds: run.seconds)
        }
        for (id, use) in used.sorted(by: { $0.key < $1.key }) {
            let app = app(id)
            let left = max(0, use.seconds - (present - use.at) * refill)
            appList[Int(app)].budget.charge(left, at: now.uptime)
            refileLanes(of: app)
        }
    }
}
