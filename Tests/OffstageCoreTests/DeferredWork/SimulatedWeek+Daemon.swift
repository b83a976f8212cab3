// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The daemon around the schedule: it commits before it notifies, and restarts from the rows.
extension SimulatedWeek {
    mutating func tell(_ event: TaskScheduleEvent) {
        guard failure == nil, schedule != nil else { return }
        let now = now
        note("  tells \(event)")
        counts.events += 1
        naive.told(event, now: now)
        let actions = schedule?.handle(event, now: now) ?? []
        for action in actions {
            note("  is told to \(action)")
            check(action, now)
        }
        checkSchedule(after: event, now)
        for action in actions where failure == nil {
            switch action {
            case .start(let number): start(number)
            case .expire(let number, _): expire(number)
            }
        }
        if chance(2) { compareSome() }
    }

    /// Makes a start durable before anyone is notified.
    private mutating func start(_ number: UInt64) {
        counts.starts += 1
        guard let record = schedule?.record(number) else { return fail("\(number) is started and not known") }
        commit([.setPhase(number, .starting(since: now), attempts: record.attempts)], then: .tell(number))
    }

    /// Accepts a new request, which replaces a pending one.
    mutating func accept(_ request: TaskRequest) {
        if let old = schedule?.number(of: request.identifier, app: request.app) {
            counts.replaced += 1
            // It must not start during the commit of the new one. If that is done at once, the schedule may ensure it.
            if store.waiting.isEmpty, chance(50) {
                store.waiting.append(
                    .init(changes: [.insert(request)], fate: .ended, sequel: .add(TaskRecord(request: request)))
                )
                return commitDone()
            }
            tell(.removed(old))
        }
        commit([.insert(request)], then: .add(TaskRecord(request: request)))
    }

    mutating func remove(_ number: UInt64, _ fate: SimulatedTaskStore.Fate) {
        guard schedule != nil else { return }
        tell(.removed(number))
        commit([.delete(number)], fate)
    }

    mutating func reportEntered(_ number: UInt64, _ app: Int) {
        guard let record = schedule?.record(number), case .starting = record.phase else { return }
        commit([.setPhase(number, .running(since: now), attempts: record.attempts)])
        tell(.entered(number))
    }

    mutating func reportEnded(_ number: UInt64) {
        guard let record = schedule?.record(number), record.phase != .pending else { return }
        commit([.delete(number)], .ended)
        tell(.ended(number))
    }

    /// A run failed. If the app has submitted the same request again meanwhile, the new one waits instead.
    mutating func comeBack(_ number: UInt64) {
        guard let record = schedule?.record(number), record.phase != .pending else { return }
        if schedule?.number(of: record.request.identifier, app: record.request.app) != nil {
            return remove(number, .replaced)
        }
        counts.returned += 1
        commit([.setPhase(number, .pending, attempts: record.attempts + 1)])
        tell(.returned(number))
    }

    // MARK: The store

    mutating func commit(
        _ changes: [TaskChange],
        _ fate: SimulatedTaskStore.Fate = .ended,
        then sequel: SimulatedTaskStore.Sequel = .nothing
    ) {
        guard failure == nil else { return }
        store.waiting.append(.init(changes: changes, fate: fate, sequel: sequel))
        if store.waiting.count == 1, chance(85) { return commitDone() }
        guard !isCommitDue else { return }
        isCommitDue = true
        later(0.001...0.05, .commitDone)
    }

    mutating func commitDone() {
        isCommitDue = false
        let batches = store.waiting
        store.waiting = []
        for batch in batches {
            if let problem = store.commit(batch) { return fail(problem) }
        }
        for batch in batches {
            switch batch.sequel {
            case .nothing: break
            case .add(let record): add(record)
            case .tell(let number): tellApp(number)
            }
        }
    }

    private mutating func add(_ record: TaskRecord) {
        // Another request may have replaced it before the commit was done.
        let request = record.request
        guard store.rows[request.number] != nil else { return }
        if let old = schedule?.number(of: request.identifier, app: request.app), store.rows[old] != nil {
            remove(old, .replaced)
        }
        tell(.added(record))
    }

    private mutating func tellApp(_ number: UInt64) {
        guard let record = schedule?.record(number), case .starting = record.phase,
            let app = apps.firstIndex(where: { $0.name == record.request.app })
        else { return }
        switch apps[app].hold {
        case .quit, .ending: return comeBack(number)
        case .backedOff(let until, _) where apps[app].process == nil && until > now.uptime: return comeBack(number)
        case .backedOff, nil: break
        }
        launch(app)
        receive(record, app)
    }

    // MARK: Beginning again

    mutating func crashDaemon() {
        guard schedule != nil else { return }
        let lost = store.waiting.count
        note("the daemon crashes; \(lost) batches are lost")
        counts.daemonCrashes += 1
        schedule = nil
        store.waiting = []
        isCommitDue = false
        agenda.removeAll {
            switch $0 {
            case .commitDone, .runsTooLong: true
            default: false
            }
        }
        let isAwayLong = chance(10)
        let absence = isAwayLong ? 60...7200 : 0.05...10
        later(absence, .daemonStarts)
    }

    mutating func startDaemon() {
        guard schedule == nil else { return }
        schedule = TaskSchedule(policy: policy, conditions: conditions, now: now)
        naive = NaiveTaskSchedule(apps: apps.map(\.name), policy: policy, conditions: conditions, now: now)
        for app in apps.indices where apps[app].hold != nil { tell(.app(apps[app].name, apps[app].hold)) }
        let rows = store.rows.values.sorted { $0.request.number < $1.request.number }
        // Adopts running tasks first, so that the schedule knows how many there are.
        for row in rows where row.phase != .pending { adopt(row, rows) }
        for row in rows where row.phase == .pending { tell(.added(row)) }
    }

    private mutating func adopt(_ row: TaskRecord, _ rows: [TaskRecord]) {
        let number = row.request.number
        guard let app = apps.firstIndex(where: { $0.name == row.request.app }) else { return }
        let isKnown =
            apps[app].told[number] != nil || apps[app].running[number] != nil || apps[app].completed.contains(number)
        if isKnown {
            counts.adopted += 1
            tell(.added(row))
            return receive(row, app)
        }
        // The process that had it is gone, and whether it finished is unknown.
        entered.remove(number)
        let isAskedAnew = rows.contains {
            $0.phase == .pending && $0.request.app == row.request.app && $0.request.identifier == row.request.identifier
        }
        if isAskedAnew { return commit([.delete(number)], .replaced) }
        counts.interrupted += 1
        if let old = schedule?.number(of: row.request.identifier, app: row.request.app) { remove(old, .replaced) }
        let attempts = row.attempts + 1
        commit([.setPhase(number, .pending, attempts: attempts)])
        tell(.added(TaskRecord(request: row.request, attempts: attempts)))
    }
}
