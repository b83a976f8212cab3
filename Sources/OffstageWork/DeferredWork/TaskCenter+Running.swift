// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Tasks that are begun, and what their apps' lives tell of them.
extension TaskCenter {
    /// The schedule says that it is the task's turn: that is written, and its app told afterwards.
    func begin(_ number: UInt64, now: Moment) {
        guard let record = schedule.record(number) else { return }
        runs[number] = TaskRun(since: now)
        note(.setPhase(number, .starting(since: now), attempts: record.attempts), of: number)
        records.whenDurable { self.hand(number) }
    }

    /// It is on record that the task was begun: its app's life takes it over.
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
        if let expiry = runs[number]?.expiry { tellToEnd(number, expiry, app: request.app) }
    }

    /// A task that was begun is to end.
    func expire(_ number: UInt64, _ expiry: TaskExpiry) {
        guard let run = runs[number], let record = schedule.record(number) else { return }
        if run.isTold {
            tellToEnd(number, expiry, app: record.request.app)
        } else {
            runs[number]?.expiry = expiry
        }
    }

    private func tellToEnd(_ number: UInt64, _ expiry: TaskExpiry, app: String) {
        runs[number]?.expiry = nil
        apps.assumeIsolated { $0.expireTask(number, expiry, app: app) }
    }

    // MARK: What is told

    func heard(_ notice: TaskNotice, of app: String) {
        // An app's life runs other errands as it runs tasks: whoever has asked for them hears of them.
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

    /// The record of a task of this app that was begun; nil for any other.
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
        note(.setPhase(number, .running(since: now), attempts: record.attempts), of: number)
        step(.entered(number))
    }

    private func ended(_ record: TaskRecord, _ ending: TaskEnding) {
        let number = record.request.number
        guard let run = runs.end(number) else { return }
        let now = clock.now()
        note(.delete(number), of: number)
        records.add(
            .ended(ending, started: run.since.wall, seconds: now.seconds(since: run.since)),
            of: record.request
        )
        step(.ended(number))
        noteBudget(of: record.request)
        if isFetch(record.request) { planFetch(of: record.request.app) }
        time.lookForRest()
    }

    private func returned(_ record: TaskRecord, _ sentence: String) {
        let request = record.request
        guard let run = runs.giveUp(request.number) else { return }
        if let older = schedule.number(of: request.identifier, app: request.app), older < request.number,
            let former = schedule.record(older)
        {
            // Two came back, this one later: only the last request of an identifier waits.
            forget(former, .replaced, as: .removed(older))
        }
        if let cancelled = run.cancelled {
            forget(record, cancelled, as: .ended(request.number))
        } else if schedule.number(of: request.identifier, app: request.app) != nil {
            forget(record, .replaced, as: .ended(request.number))
        } else if request.kind == .continued {
            // It was the answer to what a person did, in a process that is no more.
            forget(record, .dropped(sentence), as: .ended(request.number))
        } else {
            note(
                .setPhase(request.number, .pending, attempts: record.attempts + 1),
                of: request.number
            )
            records.add(.interrupted(sentence), of: request)
            step(.returned(request.number))
            if run.hasEntered { noteBudget(of: request) }
        }
        time.lookForRest()
    }

    /// Drops a task that was begun or waits, with an entry that says why.
    func drop(_ number: UInt64, _ sentence: String) {
        guard let record = schedule.record(number) else { return }
        forget(record, .dropped(sentence), as: runs[number] == nil ? .removed(number) : .ended(number))
        time.lookForRest()
    }

    /// Forgets a request that does not run any more, with an entry that says why.
    func forget(_ record: TaskRecord, _ outcome: TaskEntry.Outcome, as event: TaskScheduleEvent) {
        let number = record.request.number
        // Before the store hears of it: what is decided on the way may be that it starts.
        step(event)
        runs[number] = nil
        note(.delete(number), of: number)
        records.add(outcome, of: record.request)
    }

    /// Cancels a task that was begun and whose handler has not been entered, as far as is known: if its app's life was not
    /// told of it, it is gone, and otherwise it is as soon as it comes back.
    func cancelStarting(_ record: TaskRecord, _ outcome: TaskEntry.Outcome) {
        let number = record.request.number
        guard let run = runs[number], !run.hasEntered else { return }
        if run.isTold {
            runs[number]?.cancelled = outcome
            // No later daemon begins it.
            note(.delete(number), of: number)
        } else {
            forget(record, outcome, as: .ended(number))
            time.lookForRest()
        }
    }

    /// Has it durable what a run has left of its app's time.
    private func noteBudget(of request: TaskRequest) {
        guard request.kind != .continued else { return }
        if let use = schedule.budgetUse(of: request.app, now: clock.now()) { note(.setBudget(use)) }
    }

    // MARK: Apps

    /// Whether an app may be launched or woken has changed.
    func holdHasChanged(of app: String, to hold: AppHold?) {
        step(.app(app, hold))
        // Without any there is nothing to look for, and many apps may have been quit.
        guard hold == .quit, schedule.pendingCount(app: app, kinds: [.continued]) > 0 else { return }
        for record in pending(of: app) where record.request.kind == .continued {
            forget(record, .dropped("a person quit its app"), as: .removed(record.request.number))
        }
    }

    func hasRemoved(_ app: String) {
        // None of its tasks takes the place of another that is just forgotten.
        step(.app(app, .quit))
        note(.deleteApp(app))
        for record in all(of: app) { drop(record.request.number, "its app was removed") }
        // When it comes back, nothing holds it.
        step(.app(app, nil))
        errands.removal(app)
    }

    /// An app's requests that are begun or wait.
    private func all(of app: String) -> [TaskRecord] {
        schedule.numbers(app: app, limit: .max).compactMap { schedule.record($0) }
    }

    /// An app's requests that wait.
    func pending(of app: String) -> [TaskRecord] { all(of: app).filter { $0.phase == .pending } }
}

extension TaskNotice {
    fileprivate var number: UInt64 {
        switch self {
        case .entered(let number), .progress(let number, _), .ended(let number, _), .returned(let number, _): number
        }
    }
}

extension TaskProgress {
    /// Bytes that a title and a subtitle may have, as those of a request.
    private static let longest = 4096

    /// The same, with texts that fit a list and a frame.
    fileprivate var bounded: TaskProgress {
        var progress = self
        progress.title = title.first(bytes: Self.longest)
        progress.subtitle = subtitle.first(bytes: Self.longest)
        return progress
    }
}

extension String {
    /// As many whole Unicode scalars from the beginning as so many bytes hold.
    fileprivate func first(bytes count: Int) -> String {
        guard utf8.count > count else { return self }
        var end = utf8.index(startIndex, offsetBy: count)
        // Back to where a scalar begins.
        while end > startIndex, UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
