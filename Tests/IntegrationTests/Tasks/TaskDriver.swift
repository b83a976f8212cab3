// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageTestSupport

/// A test's requests about deferred work: on behalf of an app's process, independently of its own code, and as a
/// person.
struct TaskDriver {
    let app: WiredApp
    private let process: WireClient

    /// The identifier that the tests' apps may submit.
    static let refresh = "org.example.tasks.refresh"
    static let cleanup = "org.example.tasks.cleanup"
    static let export = "org.example.tasks.export"
    static let all = [refresh, cleanup, "org.example.tasks.second", export + ".*"]

    /// - Parameter app: an app with a listening process.
    /// - Throws: `TestError` if it has none.
    init(_ app: WiredApp) throws {
        self.app = app
        process = try WireClient(taking: app.connection())
    }

    // MARK: As the app

    @discardableResult
    func submit(
        _ identifier: String = refresh,
        _ kind: TaskRequest.Kind = .refresh,
        after seconds: Double? = nil,
        network: Bool = false,
        power: Bool = false,
        failsUnlessImmediate: Bool = false
    ) throws -> TaskRefusal? {
        let draft = TaskDraft(
            identifier: identifier,
            kind: kind,
            earliestBegin: seconds.map { Date().addingTimeInterval($0) },
            requiresNetwork: network,
            requiresExternalPower: power,
            title: kind == .continued ? "Export" : "",
            failsUnlessImmediate: failsUnlessImmediate
        )
        return try process.send(SubmitTask(draft: draft)).refusal
    }

    /// Submits a request like the library, which resends it if the answer is lost.
    func send(_ request: SubmitTask) throws -> TaskRefusal? { try process.send(request).refusal }

    func cancel(_ identifier: String?) throws { _ = try process.send(CancelTasks(identifier: identifier)) }

    func pending() throws -> [TaskDraft] { try process.send(PendingTasks()).drafts }

    func rules() throws -> TaskRules.Reply { try process.send(TaskRules()) }
}

extension DaemonFixture {
    /// Pretends a machine that lets everything run, except for a change.
    func pretend(_ change: (inout PretendedConditions) -> Void = { _ in }) throws {
        var pretended = PretendedConditions()
        pretended.network = .unmetered
        pretended.hasExternalPower = true
        pretended.isBusy = false
        pretended.isDiskFull = false
        change(&pretended)
        _ = try WireClient.greeted(self).send(PretendConditions(pretended: pretended))
    }

    func tasks(_ app: String? = nil, limit: Int = 1000) throws -> ListTasks.Reply {
        try WireClient.greeted(self).send(ListTasks(app: app, limit: limit))
    }

    func why(_ task: String) throws -> ShowTask.Reply { try WireClient.greeted(self).send(ShowTask(task: task)) }

    /// The reason why the only task of that name does not run.
    func cause(_ task: String) throws -> TaskReason.Cause? { try why(task).rows.first?.reason.cause }

    /// The outcomes of tasks, newest first.
    func outcomes(_ task: String) throws -> [TaskEntry.Outcome] {
        do {
            return try why(task).history.map(\.outcome)
        } catch let failure as WireFailure where failure.code == .notFound {
            return []
        }
    }

    /// Waits until a task's newest entry is of a finished run.
    @discardableResult
    func ending(_ task: String, count: Int = 1) throws -> TaskEnding {
        try eventually("\(task) has ended; there are \(try outcomes(task)), and \((try? why(task).rows) ?? [])") {
            let endings = try outcomes(task).compactMap {
                if case .ended(let ending, _, _) = $0 { ending } else { nil }
            }
            return endings.count >= count ? endings.first : nil
        }
    }

    func advance(_ seconds: Double) throws -> AdvanceTime.Reply {
        try WireClient.greeted(self).send(AdvanceTime(seconds: seconds), within: 120)
    }

    func stopTask(_ task: String) throws { _ = try WireClient.greeted(self).send(CancelTask(task: task)) }

    func simulate(_ verb: SimulateTask.Verb, _ task: String) throws {
        _ = try WireClient.greeted(self).send(SimulateTask(verb: verb, task: task))
    }

    /// Advances the daemon's time by an hour.
    func advanceAnHour() throws {
        let result = try run("simulate", "advance", "1h")
        guard result.isSuccess else { throw TestError("offstage simulate advance: \(result)") }
    }
}
