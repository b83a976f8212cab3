// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// What people ask of tasks.
extension TaskCenter {
    package func list(_ request: ListTasks) async throws -> ListTasks.Reply {
        await waitUntilReady()
        let limit = Self.bounded(request.limit)
        let history = try await store.taskEntries(app: request.app, identifier: nil, limit: limit)
        let machine = await machineReport()
        let now = clock.now()
        let numbers = schedule.numbers(app: request.app, limit: limit)
        let count =
            request.app.map { app in
                schedule.pendingCount(app: app, kinds: TaskRequest.Kind.allCases)
                    + runs.keys.count { schedule.record($0)?.request.app == app }
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

    /// So many rows fit one answer.
    private static func bounded(_ limit: Int) -> Int { min(max(limit, 1), 2000) }

    func row(_ number: UInt64, now: Moment) -> TaskRow? {
        guard let record = schedule.record(number), let reason = schedule.why(number, now: now) else { return nil }
        return TaskRow(record: record, reason: reason, progress: runs[number]?.progress)
    }

    package func show(_ request: ShowTask) async throws -> ShowTask.Reply {
        await waitUntilReady()
        // Entries that are on their way come first.
        try await untilDurable()
        let history = try await history(of: named(request.task))
        let machine = await machineReport()
        let now = clock.now()
        let numbers = named(request.task).records.prefix(Self.bounded(.max)).map(\.request.number)
        let rows = numbers.compactMap { row($0, now: now) }
        guard !rows.isEmpty || !history.isEmpty else { throw Self.unknown(request.task) }
        return ShowTask.Reply(rows: rows, history: history, machine: machine)
    }

    func history(of named: Named) async throws -> [TaskEntry] {
        var places = named.places
        if let number = named.number {
            guard let record = named.records.first else {
                return try await store.taskEntries(app: nil, identifier: nil, limit: Self.searched)
                    .filter { $0.number == number }
            }
            places = [(record.request.app, record.request.identifier)]
        }
        var history: [TaskEntry] = []
        for place in places {
            history += try await store.taskEntries(app: place.app, identifier: place.identifier, limit: Self.shown)
        }
        return history
    }

    /// Entries of a task that are shown, and entries among which a number without a task is looked for.
    private static let shown = 100
    private static let searched = 10_000

    package func forecast(_ request: ForecastTasks) async throws -> ForecastTasks.Reply {
        guard request.seconds > 0, request.seconds <= Self.furthest else {
            throw WireFailure(.badRequest, "A forecast goes from a second to a year ahead.")
        }
        await waitUntilReady()
        let limit = Self.bounded(request.limit)
        let now = clock.now()
        let (seconds, app) = (request.seconds, request.app)
        // On a value of its own, and not on the loop: there may be a hundred thousand.
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
        // What has begun or gone meanwhile is not held.
        let present = clock.now()
        let held = left.compactMap { row($0, now: present) }.filter { $0.record.phase == .pending }
        return ForecastTasks.Reply(starts: starts, held: held)
    }

    /// Seconds of a year.
    static let furthest = 366.0 * 86_400

    // MARK: What is done

    /// Drops a pending task, and has one that was begun told to end.
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

    /// What holds an app itself, nobody overrides but the person who starts it.
    private func refuseWhileHeld(_ request: TaskRequest) throws(WireFailure) {
        let app = request.app
        guard let hold = apps.assumeIsolated({ $0.hold(of: app) }) else { return }
        let (why, advice) =
            switch hold {
            case .quit: ("a person quit its app", "start the app first")
            case .ending: ("its app's process is being ended", "try again in a moment")
            case .backedOff(_, crashes: 1): ("its app crashed", "start the app by hand first")
            case .backedOff(_, let crashes):
                ("its app crashed \(crashes) times in a row", "start the app by hand first")
            }
        let name = "task:\(request.number) (\(request.identifier.redactedControls))"
        throw WireFailure(.notApplicable, "The task \(name) cannot be started, since \(why): \(advice).")
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
}
