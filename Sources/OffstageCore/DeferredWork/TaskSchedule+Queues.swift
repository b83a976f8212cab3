// SPDX-License-Identifier: Apache-2.0

/// Apps and their queues.
extension TaskSchedule {
    /// The index of an app, added if it is new.
    mutating func app(_ id: String) -> Int32 {
        if let known = appIndex[id] { return known }
        let index = Int32(appList.count)
        appList.append(TaskScheduleApp(id: id, daily: policy.dailySeconds, now: now.uptime))
        appIndex[id] = index
        return index
    }

    mutating func queue(of slot: Int32) -> Int32 {
        let app = slots[Int(slot)].app
        let kind = slots[Int(slot)].queue
        let known = appList[Int(app)].queues[kind.index]
        if known >= 0 { return known }
        let index = queues.add(TaskScheduleQueue(app: app, kind: kind))
        appList[Int(app)].queues[kind.index] = index
        return index
    }

    mutating func refileLanes(of app: Int32) {
        for kind in 0..<TaskScheduleQueue.Kind.count {
            let queue = appList[Int(app)].queues[kind]
            if queue >= 0 { refile(queue) }
        }
    }

    /// Files a queue among the candidates, ordered by its first request and its app's remaining time, or sets it aside.
    mutating func refile(_ queue: Int32) {
        let kind = queues[Int(queue)].kind
        queues.setAside(queue)
        let app = queues[Int(queue)].app
        let wall = now.wall.timeIntervalSinceReferenceDate
        let date = queues[Int(queue)].dated.first.map { slots[Int($0)].key }
        queues.setDate(date.flatMap { $0 > wall ? $0 : nil }, of: queue)
        guard let first = queues[Int(queue)].first(slots.all, wall: wall), !isHeld(app, for: kind) else { return }
        // A budget in use changes constantly. Such apps are few, and are checked one by one.
        guard kind.isContinued || appList[Int(app)].budget.runs == 0 else { return }
        let fullAt = kind.isContinued ? 0 : appList[Int(app)].budget.fullAt
        queues.makeCandidate(
            queue,
            due: slots[Int(first)].key,
            number: slots[Int(first)].number,
            fullAt: fullAt <= now.uptime ? nil : fullAt
        )
    }

    /// Whether something about the app, except its budget, holds its tasks of a kind.
    func isHeld(_ app: Int32, for kind: TaskScheduleQueue.Kind) -> Bool {
        appList[Int(app)].hold(for: kind, at: now.uptime) != nil
            || (kind.isRefresh && !policy.allowsRefresh(appList[Int(app)].id))
    }

    /// Whether the machine's conditions let tasks of a kind start.
    func isOpen(_ kind: TaskScheduleQueue.Kind) -> Bool {
        isOpenWhenIdle(kind) && !(kind.needsIdleMachine && conditions.isBusy)
    }

    /// The same, assuming an idle machine.
    func isOpenWhenIdle(_ kind: TaskScheduleQueue.Kind) -> Bool {
        guard !kind.isContinued else { return true }
        return !(kind.needsNetwork && conditions.network == .none)
            && !(kind.needsExternalPower && !conditions.hasExternalPower)
            && !isBatteryLow && !conditions.isDiskFull
    }
}

extension TaskRequest.Kind {
    /// Its index among all kinds.
    var ordinal: Int {
        switch self {
        case .refresh: 0
        case .processing: 1
        case .healthResearch: 2
        case .continued: 3
        }
    }
}
