// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Adds, removes and moves requests.
extension TaskSchedule {
    /// The pause before a returned request is started again.
    private static let backoff = Backoff(first: 5, longest: 3600)

    /// Seconds that a request waits after so many returns.
    package static func pause(attempts: Int) -> Double {
        attempts < 1 ? 0 : backoff.delay(after: attempts)
    }

    mutating func add(_ record: TaskRecord) {
        let request = record.request
        remove(request.number)
        let app = app(request.app)
        if record.phase == .pending {
            while let former = slots.pendingNumber(of: request.identifier, app: app) { remove(former) }
        }
        let boot = boot(request.submitted.bootID)
        let slot = slots.insert(TaskScheduleSlot(record, app: app, boot: boot))
        if request.kind == .continued {
            texts[request.number] = TaskScheduleTexts(title: request.title, subtitle: request.subtitle)
        }
        countPending(slot, 1)
        switch record.phase {
        case .pending: record.attempts > 0 ? pause(slot) : file(slot)
        case .starting(let since): begin(slot, since: since, isForced: false)
        case .running(let since):
            begin(slot, since: since, isForced: false)
            enter(request.number, since: since)
        }
    }

    /// Removes a request, wherever it is.
    mutating func remove(_ number: UInt64) {
        guard let slot = slots.slot(number) else { return }
        if slots[Int(slot)].place == .active {
            finishRun(slot)
        } else {
            unplace(slot)
            countPending(slot, -1)
        }
        texts[number] = nil
        slots.remove(slot)
    }

    /// The request's run had no result, and it waits again.
    mutating func giveBack(_ number: UInt64) {
        guard let slot = slots.slot(number), slots[Int(slot)].place == .active else { return }
        finishRun(slot)
        slots[Int(slot)].attempts += 1
        countPending(slot, 1)
        pause(slot)
    }

    /// The request is starting from now on.
    mutating func begin(_ slot: Int32, since: Moment, isForced: Bool) {
        unplace(slot)
        countPending(slot, -1)
        slots[Int(slot)].place = .active
        let run = TaskScheduleRun(slot: slot, since: since, isForced: isForced)
        runs.begin(slots[Int(slot)].number, run, isContinued: slots[Int(slot)].kind == .continued)
        appList[Int(slots[Int(slot)].app)].active += 1
    }

    /// Its handler was entered: from then on it uses its app's budget, for at most the time of such a run. Any excess
    /// is not the app's fault: the machine was suspended, or a debugger held the process.
    mutating func enter(_ number: UInt64, since: Moment) {
        guard let slot = slots.slot(number) else { return }
        if slots[Int(slot)].isPending { begin(slot, since: since, isForced: false) }
        guard runs[number]?.hasEntered == false else { return }
        let app = slots[Int(slot)].app
        guard slots[Int(slot)].kind != .continued else {
            return runs.enter(number, since: since, chargedUntil: nil)
        }
        let limit = policy.seconds(for: slots[Int(slot)].kind)
        let isOfThisBoot = since.bootID == now.bootID
        let ran = isOfThisBoot ? now.seconds(since: since) : 0
        let end = limit.map { now.uptime - ran + $0 }
        runs.enter(number, since: since, chargedUntil: end)
        if ran > 0 { appList[Int(app)].budget.charge(min(ran, limit ?? ran), at: now.uptime) }
        appList[Int(app)].budget.runBegan(at: now.uptime, until: end)
        if appList[Int(app)].budget.runs == 1 {
            charging.append(app)
            refileLanes(of: app)
        }
    }

    private mutating func finishRun(_ slot: Int32) {
        let number = slots[Int(slot)].number
        let isContinued = slots[Int(slot)].kind == .continued
        guard let run = runs.end(number, isContinued: isContinued) else { return }
        let app = slots[Int(slot)].app
        slots[Int(slot)].place = .free
        appList[Int(app)].active -= 1
        guard run.hasEntered, !isContinued else { return }
        let limit = policy.seconds(for: slots[Int(slot)].kind)
        let seconds = now.seconds(since: run.since)
        appList[Int(app)].recordRun(seconds: min(seconds, limit ?? seconds))
        appList[Int(app)].budget.runEnded(at: now.uptime, until: run.chargedUntil)
        if appList[Int(app)].budget.runs == 0 {
            charging.removeAll { $0 == app }
            refileLanes(of: app)
        }
    }

    // MARK: - Places

    /// Files a request that does not pause.
    mutating func file(_ slot: Int32) {
        let queue = queue(of: slot)
        let begin = slots[Int(slot)].begin
        let isFirst: Bool
        if begin.isFinite {
            slots[Int(slot)].place = .dated
            slots[Int(slot)].key = begin
            queues[Int(queue)].dated.insert(slot, &slots.all)
            isFirst = queues[Int(queue)].dated.first == slot
        } else {
            slots[Int(slot)].place = .due
            slots[Int(slot)].key = slots[Int(slot)].submittedWall
            queues[Int(queue)].line.insert(slot, &slots.all)
            isFirst = queues[Int(queue)].line.first == slot
        }
        if isFirst { refile(queue) }
    }

    private mutating func pause(_ slot: Int32) {
        slots[Int(slot)].place = .pausing
        slots[Int(slot)].key = now.uptime + Self.pause(attempts: slots[Int(slot)].attempts)
        pausing.insert(slot, &slots.all)
    }

    mutating func unplace(_ slot: Int32) {
        switch slots[Int(slot)].place {
        case .dated:
            let queue = queue(of: slot)
            let wasFirst = queues[Int(queue)].dated.first == slot
            queues[Int(queue)].dated.remove(slot, &slots.all)
            if wasFirst { refile(queue) }
        case .pausing: pausing.remove(slot, &slots.all)
        case .due:
            let queue = queue(of: slot)
            let wasFirst = queues[Int(queue)].line.first == slot
            queues[Int(queue)].line.remove(slot, &slots.all)
            if wasFirst { refile(queue) }
        case .free, .active: break
        }
        slots[Int(slot)].place = .free
    }

    /// Moves requests whose time has come.
    mutating func passTime() {
        let wall = now.wall.timeIntervalSinceReferenceDate
        while let next = queues.nextDate, next.date <= wall { refile(next.queue) }
        while let slot = pausing.first, slots[Int(slot)].key <= now.uptime {
            pausing.remove(slot, &slots.all)
            file(slot)
        }
        while let app = backedOff.first, appList[Int(app)].backedOffUntil <= now.uptime {
            backedOff.remove(app, &appList)
            refileLanes(of: app)
        }
    }

    private mutating func countPending(_ slot: Int32, _ change: Int32) {
        appList[Int(slots[Int(slot)].app)].pending[slots[Int(slot)].kind.ordinal] += change
    }

    private mutating func boot(_ id: String) -> UInt16 {
        if let known = boots.lastIndex(of: id) { return UInt16(known) }
        // More boots than this are not distinguished: their requests belong to an unknown boot.
        guard boots.count < UInt16.max else { return UInt16.max - 1 }
        boots.append(id)
        return UInt16(boots.count - 1)
    }
}
