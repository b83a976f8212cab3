// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The actions of apps and their processes.
extension SimulatedWeek {
    mutating func launch(_ app: Int) {
        guard apps[app].process == nil else { return }
        apps[app].processCount += 1
        apps[app].process = apps[app].processCount
        later(0.05...2, .launched(app: app, process: apps[app].processCount))
    }

    mutating func launched(_ app: Int) {
        if chance(apps[app].clumsiness / 2) { return processEnds(app, isCrash: true) }
        apps[app].isLaunched = true
        for number in apps[app].told.keys.sorted() { willEnter(number, app) }
        // Like many apps, it submits at launch whatever is not pending.
        guard chance(40) else { return }
        for habit in apps[app].habits.indices { submit(habit, of: app) }
    }

    private mutating func willEnter(_ number: UInt64, _ app: Int) {
        guard let process = apps[app].process, let record = apps[app].told[number] else { return }
        later(0.001...0.1, .enters(app: app, process: process, number))
        limit(number, app, record.request.kind)
    }

    private mutating func limit(_ number: UInt64, _ app: Int, _ kind: TaskRequest.Kind) {
        guard let process = apps[app].process, let seconds = policy.seconds(for: kind) else { return }
        agenda.add(.runsTooLong(app: app, process: process, number), at: time + seconds)
    }

    /// The process is asked to run the task.
    mutating func receive(_ record: TaskRecord, _ app: Int) {
        let number = record.request.number
        if apps[app].running[number] != nil {
            // The time it has left is unknown: it gets all of it again.
            limit(number, app, record.request.kind)
            return reportEntered(number, app)
        }
        if apps[app].completed.contains(number) { return reportEnded(number) }
        guard apps[app].told[number] == nil else { return }
        apps[app].told[number] = record
        if apps[app].isLaunched { willEnter(number, app) }
    }

    /// The task's handler is called.
    mutating func enter(_ number: UInt64, _ app: Int) {
        guard let record = apps[app].told.removeValue(forKey: number), let process = apps[app].process else { return }
        if chance(1) {
            // The app has no handler for the task.
            apps[app].completed.insert(number)
            return reportEnded(number)
        }
        if !entered.insert(number).inserted { fail("the handler of \(number) is entered again") }
        counts.handlers += 1
        apps[app].running[number] = record
        reportEntered(number, app)
        guard failure == nil, apps[app].process == process else { return }
        let habit = apps[app].habits.firstIndex { $0.identifier == record.request.identifier }
        if let habit, chance(85) { submit(habit, of: app) }
        guard apps[app].running[number] != nil else { return }
        let work = habit.map { apps[app].habits[$0].work } ?? 120
        agenda.add(.finishes(app: app, process: process, number), at: time + duration(work, record.request.kind))
        if chance(apps[app].clumsiness) { later(0...(work + 1), .crashes(app: app, process: process)) }
    }

    /// As long as its work takes; when notified that its time is over, it usually ends at once.
    private mutating func duration(_ work: Double, _ kind: TaskRequest.Kind) -> Double {
        let wanted = work * seconds(0.3...1.5)
        guard let limit = policy.seconds(for: kind), wanted > limit - 5, chance(80) else { return wanted }
        return limit - 5 + seconds(0...4)
    }

    mutating func finish(_ number: UInt64, _ app: Int) {
        guard apps[app].running.removeValue(forKey: number) != nil else { return }
        apps[app].completed.insert(number)
        apps[app].crashes = 0
        reportEnded(number)
    }

    /// The schedule, or a person, wants it to end.
    mutating func expire(_ number: UInt64) {
        guard let app = apps.firstIndex(where: { $0.running[number] != nil || $0.told[number] != nil }),
            let process = apps[app].process
        else { return }
        counts.expiries += 1
        later(0.01...4, .finishes(app: app, process: process, number))
        if chance(20) { agenda.add(.runsTooLong(app: app, process: process, number), at: time + 5) }
    }

    mutating func processEnds(_ app: Int, isCrash: Bool) {
        let told = apps[app].told.keys.sorted()
        let running = apps[app].running.keys.sorted()
        apps[app].forget()
        if isCrash {
            counts.appCrashes += 1
            apps[app].crashes += 1
        }
        let isBackedOff = isCrash && apps[app].crashes >= 2 && apps[app].hold == nil
        let isToldBefore = chance(50)
        if isBackedOff, isToldBefore { backOff(app) }
        for number in running { reportEnded(number) }
        for number in told { comeBack(number) }
        if isBackedOff, !isToldBefore { backOff(app) }
    }

    private mutating func backOff(_ app: Int) {
        let crashes = apps[app].crashes
        let pause = min(3600, 5 * Double(1 << min(crashes, 12)))
        setHold(.backedOff(until: now.uptime + pause, crashes: crashes), app)
    }

    mutating func setHold(_ hold: AppHold?, _ app: Int) {
        apps[app].hold = hold
        tell(.app(apps[app].name, hold))
    }

    mutating func endingIsOver(_ app: Int) {
        processEnds(app, isCrash: false)
        if apps[app].hold == .ending { setHold(nil, app) }
    }

    // MARK: Submitting

    mutating func submit(_ habit: Int, of app: Int) {
        guard schedule != nil else { return }
        let habit = apps[app].habits[habit]
        var begin: Date?
        if chance(85) { begin = now.wall.addingTimeInterval(habit.interval * seconds(0.2...1.5)) }
        if chance(2) { begin = now.wall.addingTimeInterval(-seconds(0...90_000)) }
        submit(habit.identifier, habit.kind, begin, habit.requiresNetwork, habit.requiresPower, app)
    }

    mutating func submit(
        _ identifier: String,
        _ kind: TaskRequest.Kind,
        _ begin: Date?,
        _ network: Bool,
        _ power: Bool,
        _ app: Int
    ) {
        let request = TaskRequest(
            number: nextNumber,
            app: apps[app].name,
            identifier: identifier,
            kind: kind,
            earliestBegin: begin,
            requiresNetwork: network,
            requiresExternalPower: power,
            submitted: now
        )
        nextNumber += 1
        counts.submitted += 1
        accept(request)
    }
}
