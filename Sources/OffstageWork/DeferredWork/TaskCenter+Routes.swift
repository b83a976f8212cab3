// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// People's requests about tasks.
extension TaskCenter {
    package func list(_ request: ListTasks) async throws -> ListTasks.Reply {
        await waitUntilReady()
        let limit = Self.bounded(request.limit)
        let history = try await records.history(of: request.app, limit: limit)
        let machine = await machine.report()
        let now = clock.now()
        let numbers = schedule.numbers(app: request.app, limit: limit)
        let count =
            request.app.map { app in
                schedule.pendingCount(app: app, kinds: TaskRequest.Kind.allCases)
                    + runs.records(in: schedule, app: app).count
            } ?? schedule.count
        return ListTasks.Reply(
            rows: numbers.compactMap { row($0, now: now) },
            count: count,
            history: history,
            budgets: budgets(of: request.app, limit: limit, now: now),
            machine: machine
        )
    }

    private func budgets(of app: String?, limit: Int, now: Moment) -> [TaskBudgetRow] {
        let apps = app.map { [$0] } ?? Array(schedule.apps.sorted().prefix(limit))
        return apps.map { app in
            TaskBudgetRow(app: app, left: schedule.budgetLeft(of: app, now: now), daily: policy.dailySeconds)
        }
    }

    /// The number of rows in one answer, limited.
    private static func bounded(_ limit: Int) -> Int { min(max(limit, 1), 2000) }

    func row(_ number: UInt64, now: Moment) -> TaskRow? {
        guard let record = schedule.record(number), let reason = schedule.why(number, now: now) else { return nil }
        return TaskRow(record: record, reason: reason, progress: runs[number]?.progress)
    }

    /// Subscribes a client to all events of tasks.
    package func watch(_ request: WatchTasks, connection: ConnectionID) async -> WatchTasks.Reply {
        await waitUntilReady()
        watchers.add(connection)
        let now = clock.now()
        let numbers = schedule.numbers(app: nil, limit: Self.bounded(request.limit))
        return WatchTasks.Reply(rows: numbers.compactMap { row($0, now: now) })
    }

    package func show(_ request: ShowTask) async throws -> ShowTask.Reply {
        await waitUntilReady()
        // Pending entries are written first.
        try await untilDurable()
        let history = try await records.history(of: name(request.task))
        let machine = await machine.report()
        let now = clock.now()
        let name = try name(request.task)
        let rows = name.records.prefix(Self.bounded(.max)).compactMap { row($0.request.number, now: now) }
        guard !rows.isEmpty || !history.isEmpty else { throw name.absent(wasThere: false) }
        return ShowTask.Reply(rows: rows, history: history, machine: machine)
    }

    package func forecast(_ request: ForecastTasks) async throws -> ForecastTasks.Reply {
        guard request.seconds > 0, request.seconds <= TimeAdvance.furthest else {
            throw WireFailure(.badRequest, "A forecast can reach from one second to one year ahead.")
        }
        await waitUntilReady()
        let limit = Self.bounded(request.limit)
        let now = clock.now()
        let (seconds, app) = (request.seconds, request.app)
        // On a copy, off the loop, because there may be a hundred thousand.
        let copy = TaskScheduleCopy(schedule)
        let (starts, left) = await workers.run {
            guard var schedule = copy.take() else { return ([TaskForecast](), [UInt64]()) }
            schedule.unshare()
            let all = schedule.forecast(seconds: seconds, now: now, limit: .max)
            let begun = Set(all.map(\.number)).union(schedule.underWay)
            let left = schedule.numbers(app: app, limit: .max).lazy.filter { !begun.contains($0) }
            let starts = all.lazy.filter { app == nil || $0.app == app }
            return (Array(starts.prefix(limit)), Array(left.prefix(limit)))
        }
        // Tasks that have started or ended in the meantime have no hold.
        let present = clock.now()
        let held = left.compactMap { row($0, now: present) }.filter { $0.record.phase == .pending }
        return ForecastTasks.Reply(starts: starts, held: held)
    }

    // MARK: Actions

    /// Drops a pending task, and asks a running one to end.
    package func stop(_ request: CancelTask) async throws -> CancelTask.Reply {
        await waitUntilReady()
        let record = try await one(request.task, thatIs: "pending or running") { _ in true }
        let number = record.request.number
        let outcome = TaskEntry.Outcome.dropped("a person cancelled it")
        if runs[number] != nil {
            cancelStarting(record, outcome)
            expire(number, .cancelledByPerson)
        } else {
            forget(record, outcome, as: .removed(number))
        }
        try await untilDurable()
        return CancelTask.Reply(record: record)
    }

    /// Only a person who starts the app overrides a hold on the app itself.
    private func refuseWhileHeld(_ request: TaskRequest) throws(WireFailure) {
        if let hold = apps.assumeIsolated({ $0.hold(of: request.app) }) { throw hold.refusal(of: request) }
    }

    package func simulate(_ request: SimulateTask) async throws -> SimulateTask.Reply {
        await waitUntilReady()
        switch request.verb {
        case .launch:
            let record = try await one(request.task, thatIs: "pending") { runs[$0.request.number] == nil }
            try refuseWhileHeld(record.request)
            step(.force(record.request.number))
            try await untilDurable()
            return SimulateTask.Reply(record: schedule.record(record.request.number) ?? record)
        case .expire:
            let record = try await one(request.task, thatIs: "running") { runs[$0.request.number] != nil }
            expire(record.request.number, .simulated)
            return SimulateTask.Reply(record: record)
        }
    }

    // MARK: Names

    /// Resolves a person's name for a task to its present meaning.
    private func name(_ text: String) throws(WireFailure) -> TaskName {
        try TaskName(text, in: schedule, begun: runs)
    }

    /// The only task of that name that meets the condition.
    ///
    /// - Parameters:
    ///   - text: the name.
    ///   - what: the condition as a word, for the sentence: "pending".
    ///   - applies: whether a task meets the condition.
    /// - Returns: its record.
    /// - Throws: `WireFailure` if there is none, or there are several.
    private func one(
        _ text: String,
        thatIs what: String,
        where applies: (TaskRecord) -> Bool
    ) async throws -> TaskRecord {
        let name = try name(text)
        if let record = try name.one(thatIs: what, where: applies) { return record }
        // The history shows whether there was such a task; pending entries are written first.
        try await untilDurable()
        throw name.absent(wasThere: try await !records.history(of: name).isEmpty)
    }
}

extension AppHold {
    /// Why a task of the app cannot be started, even by hand.
    fileprivate func refusal(of request: TaskRequest) -> WireFailure {
        let (why, advice) =
            switch self {
            case .quit: ("a person quit its app", "start the app first")
            case .ending: ("its app's process is being ended", "try again in a moment")
            case .backedOff(_, crashes: 1): ("its app crashed", "start the app by hand first")
            case .backedOff(_, let crashes):
                ("its app crashed \(crashes) times in a row", "start the app by hand first")
            }
        let name = "task:\(request.number) (\(request.identifier.redactedControls))"
        return WireFailure(.notApplicable, "The task \(name) cannot be started, since \(why): \(advice).")
    }
}
