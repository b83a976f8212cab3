// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Adds, removes and moves requests.
extension TaskSchedule {
    /// Seconds before the first restart of a request that came back; doubled with each further one.
    package static let firstPause = 5.0
    package static let longestPause = 3600.0

    /// Seconds that a request waits after so many returns.
    package static func pause(attempts: Int) -> Double {
        attempts < 1 ? 0 : min(longestPause, firstPause * Double(1 << min(attempts - 1, 20)))
    }

    mutating func add(_ record: TaskRecord) {
        let request = record.request
        remove(request.number)
        let app = app(request.app)
        let hash = TaskScheduleSlot.hash(app: app, identifier: request.identifier)
        if record.phase == .pending {
            while let former = pendingNumber(of: request.identifier, app: app, hash: hash) { remove(former) }
        }
        let slot = newSlot(TaskScheduleSlot(record, app: app, boot: boot(request.submitted.bootID), hash: hash))
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
        guard let slot = slot(number) else { return }
        if slots[Int(slot)].place == .active {
            finishRun(slot)
        } else {
            unplace(slot)
            countPending(slot, -1)
        }
        takeOffIndexes(slot)
        texts[number] = nil
        slots[Int(slot)] = TaskScheduleSlot()
        freeSlots.append(slot)
    }

    /// Its run had no result, and it waits again.
    mutating func giveBack(_ number: UInt64) {
        guard let slot = slot(number), slots[Int(slot)].place == .active else { return }
        finishRun(slot)
        slots[Int(slot)].attempts += 1
        countPending(slot, 1)
        pause(slot)
    }

    /// It is starting from now on.
    mutating func begin(_ slot: Int32, since: Moment, isForced: Bool) {
        unplace(slot)
        countPending(slot, -1)
        slots[Int(slot)].place = .active
        runs[slots[Int(slot)].number] = TaskScheduleRun(slot: slot, since: since, isForced: isForced)
        appList[Int(slots[Int(slot)].app)].active += 1
        if slots[Int(slot)].kind == .continued { runningContinued += 1 } else { running += 1 }
    }

    /// Its handler was entered: from then on it uses its app's budget, for at most the time of such a run. Anything
    /// beyond is not the app's fault: the machine was suspended, or a debugger held the process.
    mutating func enter(_ number: UInt64, since: Moment) {
        guard let slot = slot(number) else { return }
        if slots[Int(slot)].isPending { begin(slot, since: since, isForced: false) }
        guard runs[number]?.hasEntered == false else { return }
        runs[number]?.hasEntered = true
        runs[number]?.since = since
        let app = slots[Int(slot)].app
        guard slots[Int(slot)].kind != .continued else { return }
        let limit = policy.seconds(for: slots[Int(slot)].kind)
        let isOfThisBoot = since.bootID == now.bootID
        let ran = isOfThisBoot ? now.seconds(since: since) : 0
        let end = limit.map { now.uptime - ran + $0 }
        runs[number]?.chargedUntil = end
        if ran > 0 { appList[Int(app)].budget.charge(min(ran, limit ?? ran), at: now.uptime) }
        appList[Int(app)].budget.runBegan(at: now.uptime, until: end)
        if appList[Int(app)].budget.runs == 1 {
            charging.append(app)
            refileLanes(of: app)
        }
    }

    private mutating func finishRun(_ slot: Int32) {
        let number = slots[Int(slot)].number
        guard let run = runs.removeValue(forKey: number) else { return }
        let app = slots[Int(slot)].app
        let isContinued = slots[Int(slot)].kind == .continued
        slots[Int(slot)].place = .free
        appList[Int(app)].active -= 1
        if isContinued { runningContinued -= 1 } else { running -= 1 }
        guard run.hasEntered, !isContinued else { return }
        let limit = policy.seconds(for: slots[Int(slot)].kind)
        let seconds = now.seconds(since: run.since)
        appList[Int(app)].noteRun(seconds: min(seconds, limit ?? seconds))
        appList[Int(app)].budget.runEnded(at: now.uptime, until: run.chargedUntil)
        if appList[Int(app)].budget.runs == 0 {
            charging.removeAll { $0 == app }
            refileLanes(of: app)
        }
    }

    // MARK: - Places

    /// Puts a request that does not pause where it belongs.
    mutating func file(_ slot: Int32) {
        let lane = lane(of: slot)
        let begin = slots[Int(slot)].begin
        let isFirst: Bool
        if begin.isFinite {
            slots[Int(slot)].place = .dated
            slots[Int(slot)].key = begin
            lanes[Int(lane)].dated.insert(slot, &slots)
            isFirst = lanes[Int(lane)].dated.first == slot
        } else {
            slots[Int(slot)].place = .due
            slots[Int(slot)].key = slots[Int(slot)].submittedWall
            lanes[Int(lane)].line.insert(slot, &slots)
            isFirst = lanes[Int(lane)].line.first == slot
        }
        if isFirst { refile(lane) }
    }

    private mutating func pause(_ slot: Int32) {
        slots[Int(slot)].place = .pausing
        slots[Int(slot)].key = now.uptime + Self.pause(attempts: slots[Int(slot)].attempts)
        pausing.insert(slot, &slots)
    }

    mutating func unplace(_ slot: Int32) {
        switch slots[Int(slot)].place {
        case .dated:
            let lane = lane(of: slot)
            let wasFirst = lanes[Int(lane)].dated.first == slot
            lanes[Int(lane)].dated.remove(slot, &slots)
            if wasFirst { refile(lane) }
        case .pausing: pausing.remove(slot, &slots)
        case .due:
            let lane = lane(of: slot)
            let wasFirst = lanes[Int(lane)].line.first == slot
            lanes[Int(lane)].line.remove(slot, &slots)
            if wasFirst { refile(lane) }
        case .free, .active: break
        }
        slots[Int(slot)].place = .free
    }

    /// Moves requests whose time has come.
    mutating func passTime() {
        let wall = now.wall.timeIntervalSinceReferenceDate
        while let lane = early.first, dates[Int(lane)].date <= wall { refile(lane) }
        while let slot = pausing.first, slots[Int(slot)].key <= now.uptime {
            pausing.remove(slot, &slots)
            file(slot)
        }
        while let app = backedOff.first, appList[Int(app)].backedOffUntil <= now.uptime {
            backedOff.remove(app, &appList)
            refileLanes(of: app)
        }
    }

    // MARK: - Slots

    func slot(_ number: UInt64) -> Int32? {
        byNumber.first(TaskScheduleSlot.hash(number: number)) { slots[Int($0)].number == number }
    }

    private mutating func newSlot(_ value: TaskScheduleSlot) -> Int32 {
        let index: Int32
        if let free = freeSlots.popLast() {
            index = free
            slots[Int(index)] = value
        } else {
            // Grow by a quarter rather than double, because requests are many and come one by one.
            if slots.count == slots.capacity { slots.reserveCapacity(slots.count + slots.count / 4 + 64) }
            index = Int32(slots.count)
            slots.append(value)
        }
        putOnIndexes(index)
        return index
    }

    // Both read a second reference to the slots, because an index may not access the schedule while it changes. The
    // reference is gone when they return; otherwise the next change of a slot would copy all of them.
    private mutating func putOnIndexes(_ slot: Int32) {
        let slots = slots
        byNumber.insert(slot, hash: Self.numberHash(slot, slots)) { Self.numberHash($0, slots) }
        byIdentifier.insert(slot, hash: slots[Int(slot)].hash) { slots[Int($0)].hash }
    }

    private mutating func takeOffIndexes(_ slot: Int32) {
        let slots = slots
        byNumber.remove(slot, hash: Self.numberHash(slot, slots)) { Self.numberHash($0, slots) }
        byIdentifier.remove(slot, hash: slots[Int(slot)].hash) { slots[Int($0)].hash }
    }

    private static func numberHash(_ slot: Int32, _ slots: [TaskScheduleSlot]) -> UInt32 {
        TaskScheduleSlot.hash(number: slots[Int(slot)].number)
    }

    private mutating func countPending(_ slot: Int32, _ change: Int32) {
        appList[Int(slots[Int(slot)].app)].pending[slots[Int(slot)].kind.ordinal] += change
    }

    private mutating func boot(_ id: String) -> UInt16 {
        if let known = boots.lastIndex(of: id) { return UInt16(known) }
        // More boots than this are not distinguished: their requests belong to an unknown one.
        guard boots.count < UInt16.max else { return UInt16.max - 1 }
        boots.append(id)
        return UInt16(boots.count - 1)
    }
}
