// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageRuntime

/// Running tasks, and the reports of their apps' life cycles.
extension TaskCenter {
    /// Begins a task whose turn it is: this is stored first, and then its app is notified.
    func begin(_ number: UInt64, now: Moment) {
        guard let record = schedule.record(number) else { return }
        runs[number] = TaskRun(since: now)
        persist(.setPhase(number, .starting(since: now), attempts: record.attempts), of: number)
        records.whenDurable { self.hand(number) }
    }

    /// Passes a task to its app's life cycle, once its beginning is durable.
    func hand(_ number: UInt64) {
        guard !readiness.isStopping, runs[number]?.isTold == false, let record = schedule.record(number) else { return }
        runs[number]?.isTold = true
        let request = record.request
        let launch = TaskLaunch(
            number: number,
            identifier: request.identifier,
            kind: request.kind,
            seconds: policy.seconds(for: request.kind),
            title: request.title,
            subtitle: request.subtitle
        )
        let isFromBefore = runs[number]?.isFromBefore == true
        let isKnown = apps.assumeIsolated { apps in
            isFromBefore ? apps.resumeTask(launch, app: request.app) : apps.startTask(launch, app: request.app)
        }
        guard isKnown else {
            return drop(number, "its app is no longer registered")
        }
        if let expiry = runs[number]?.expiry { askToEnd(number, expiry, app: request.app) }
    }

    /// Ends a running task.
    func expire(_ number: UInt64, _ expiry: TaskExpiry) {
        guard let run = runs[number], let record = schedule.record(number) else { return }
        if run.isTold {
            askToEnd(number, expiry, app: record.request.app)
        } else {
            runs[number]?.expiry = expiry
        }
    }

    private func askToEnd(_ number: UInt64, _ expiry: TaskExpiry, app: String) {
        runs[number]?.expiry = nil
        apps.assumeIsolated { $0.expireTask(number, expiry, app: app) }
    }

    // MARK: Notifications

    func receive(_ notice: TaskNotice, of app: String) {
        // An app's life cycle runs other errands like tasks: reports about them go to the engine that requested them.
        if runs[notice.number] == nil { errands.notice(notice, app) }
        switch notice {
        case .entered(let number): if let record = begun(number, of: app) { entered(record) }
        case .progress(let number, let progress):
            guard begun(number, of: app) != nil else { return }
            runs[number]?.progress = progress.bounded
            watchers.hasProgress(number)
        case .ended(let number, let ending): if let record = begun(number, of: app) { ended(record, ending) }
        case .returned(let number, let sentence):
            if let record = begun(number, of: app) { returned(record, sentence) }
        }
    }

    /// The record of a running task of this app; nil for any other.
    private func begun(_ number: UInt64, of app: String) -> TaskRecord? {
        guard runs[number] != nil, let record = schedule.record(number), record.request.app == app else { return nil }
        return record
    }

    private func entered(_ record: TaskRecord) {
        let number = record.request.number
        guard runs[number]?.hasEntered == false else { return }
        let now = clock.now()
        runs[number]?.hasEntered = true
        runs[number]?.since = now
        persist(.setPhase(number, .running(since: now), attempts: record.attempts), of: number)
        step(.entered(number))
    }

    private func ended(_ record: TaskRecord, _ ending: TaskEnding) {
        let number = record.request.number
        guard let run = runs.end(number) else { return }
        let now = clock.now()
        persist(.delete(number), of: number)
        recordRun(of: record.request, run, ending.timelineOutcome, until: now)
        records.add(
            .ended(ending, started: run.since.wall, seconds: now.seconds(since: run.since)),
            of: record.request
        )
        step(.ended(number))
        persistBudget(of: record.request)
        if isFetch(record.request) { planFetch(of: record.request.app) }
        time.lookForRest()
    }

    private func recordRun(of request: TaskRequest, _ run: TaskRun, _ outcome: TimelineOutcome, until now: Moment) {
        let seen = TimelineRun(app: request.app, identifier: request.identifier, outcome: outcome)
        records.chronicle.record(TimelineSpan(since: run.since, until: now, .run(seen)))
    }

    /// The runs whose handlers have been entered, for the timeline.
    package var runsUnderWay: [TimelineSpan] {
        let now = clock.now()
        return runs.records(in: schedule).compactMap { record in
            guard let run = runs[record.request.number], run.hasEntered else { return nil }
            let (app, identifier) = (record.request.app, record.request.identifier)
            let seen = TimelineRun(app: app, identifier: identifier, outcome: .underWay)
            return TimelineSpan(since: run.since, until: now, .run(seen))
        }
    }

    private func returned(_ record: TaskRecord, _ sentence: String) {
        let request = record.request
        guard let run = runs.giveUp(request.number) else { return }
        if run.hasEntered { recordRun(of: request, run, .broken, until: clock.now()) }
        if let older = schedule.number(of: request.identifier, app: request.app), older < request.number,
            let former = schedule.record(older)
        {
            // Two tasks came back, this one later. Only the last request of an identifier waits.
            forget(former, .replaced, as: .removed(older))
        }
        if let cancelled = run.cancelled {
            forget(record, cancelled, as: .ended(request.number))
        } else if schedule.number(of: request.identifier, app: request.app) != nil {
            forget(record, .replaced, as: .ended(request.number))
        } else if request.kind == .continued {
            // It belonged to a person's action in a process that has since ended.
            forget(record, .dropped(sentence), as: .ended(request.number))
        } else {
            persist(
                .setPhase(request.number, .pending, attempts: record.attempts + 1),
                of: request.number
            )
            records.add(.interrupted(sentence), of: request)
            step(.returned(request.number))
            if run.hasEntered { persistBudget(of: request) }
        }
        time.lookForRest()
    }

    /// Drops a running or waiting task, with an entry giving the reason.
    func drop(_ number: UInt64, _ sentence: String) {
        guard let record = schedule.record(number) else { return }
        forget(record, .dropped(sentence), as: runs[number] == nil ? .removed(number) : .ended(number))
        time.lookForRest()
    }

    /// Forgets a request that no longer runs, with an entry giving the reason.
    func forget(_ record: TaskRecord, _ outcome: TaskEntry.Outcome, as event: TaskScheduleEvent) {
        let number = record.request.number
        // Before it is recorded, because a pending decision may be to start it.
        step(event)
        runs[number] = nil
        persist(.delete(number), of: number)
        records.add(outcome, of: record.request)
    }

    /// Cancels a running task whose handler is not known to have been entered. If its app's life cycle does not have
    /// it, it is gone; otherwise it is dropped as soon as it comes back.
    func cancelStarting(_ record: TaskRecord, _ outcome: TaskEntry.Outcome) {
        let number = record.request.number
        guard let run = runs[number], !run.hasEntered else { return }
        if run.isTold {
            runs[number]?.cancelled = outcome
            // Deleted, so no later daemon starts it.
            persist(.delete(number), of: number)
        } else {
            forget(record, outcome, as: .ended(number))
            time.lookForRest()
        }
    }

    /// Records an app's remaining time after a run.
    private func persistBudget(of request: TaskRequest) {
        guard request.kind != .continued else { return }
        if let use = schedule.budgetUse(of: request.app, now: clock.now()) { persist(.setBudget(use)) }
    }

    // MARK: Apps

    /// Handles a change in whether an app may be launched or woken.
    func holdHasChanged(of app: String, to hold: AppHold?) {
        step(.app(app, hold))
        // Without requests there is nothing to do, and many apps may have been quit.
        guard hold == .quit, schedule.pendingCount(app: app, kinds: [.continued]) > 0 else { return }
        for record in pending(of: app) where record.request.kind == .continued {
            forget(record, .dropped("a person quit its app"), as: .removed(record.request.number))
        }
    }

    func hasRemoved(_ app: String) {
        // Prevents its tasks from replacing others that are being forgotten.
        step(.app(app, .quit))
        persist(.deleteApp(app))
        for record in all(of: app) { drop(record.request.number, "its app was removed") }
        // Ensures that nothing holds the app when it comes back.
        step(.app(app, nil))
        errands.removal(app)
    }

    /// An app's running and waiting requests.
    private func all(of app: String) -> [TaskRecord] {
        schedule.numbers(app: app, limit: .max).compactMap { schedule.record($0) }
    }

    /// An app's waiting requests.
    func pending(of app: String) -> [TaskRecord] { all(of: app).filter { $0.phase == .pending } }
}

extension TaskNotice {
    fileprivate var number: UInt64 {
        switch self {
        case .entered(let number), .progress(let number, _), .ended(let number, _), .returned(let number, _): number
        }
    }
}
