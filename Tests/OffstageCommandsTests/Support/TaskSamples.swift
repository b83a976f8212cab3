// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
package import OffstageProtocol

/// Deferred tasks as a daemon would send them.
package enum TaskSamples {
    package static let identifier = AppSamples.id + ".sync"

    package static func row(
        _ number: UInt64,
        _ cause: TaskReason.Cause,
        _ identifier: String = TaskSamples.identifier,
        app: String = AppSamples.id,
        kind: TaskRequest.Kind = .processing,
        nextLook: Date? = nil,
        progress: TaskProgress? = nil
    ) -> TaskRow {
        let began = Moment(wall: noon.addingTimeInterval(-65), bootID: "boot", uptime: 35)
        let phase: TaskRecord.Phase =
            switch cause {
            case .running: .running(since: began)
            case .starting: .starting(since: began)
            default: .pending
            }
        let request = TaskRequest(
            number: number,
            app: app,
            identifier: identifier,
            kind: kind,
            earliestBegin: noon.addingTimeInterval(3600),
            requiresNetwork: true,
            requiresExternalPower: true,
            title: kind == .continued ? "Export" : "",
            subtitle: kind == .continued ? "9 of 20" : "",
            submitted: began
        )
        return TaskRow(
            record: TaskRecord(request: request, phase: phase, attempts: 2),
            reason: TaskReason(cause: cause, since: began.wall, nextLook: nextLook),
            progress: progress
        )
    }

    package static func entry(
        _ number: UInt64?,
        _ outcome: TaskEntry.Outcome,
        _ identifier: String = TaskSamples.identifier,
        after seconds: Double = 0
    ) -> TaskEntry {
        TaskEntry(
            number: number,
            app: AppSamples.id,
            identifier: identifier,
            kind: .refresh,
            date: noon.addingTimeInterval(seconds),
            outcome: outcome
        )
    }

    package static func machine(_ pretended: PretendedConditions = .init(), ahead: Double? = nil) -> ConditionsReport {
        ConditionsReport(
            conditions: pretended.applied(to: MachineConditions(batteryCharge: 0.8)),
            pretended: pretended,
            sources: ["network": "netlink", "power": "no battery", "load": "/proc/pressure"],
            ahead: ahead
        )
    }

    package static func list(
        _ rows: [TaskRow] = [],
        count: Int? = nil,
        history: [TaskEntry] = [],
        machine: ConditionsReport = TaskSamples.machine()
    ) -> ListTasks.Reply {
        ListTasks.Reply(
            rows: rows,
            count: count ?? rows.count,
            history: history,
            budgets: rows.isEmpty ? [] : [TaskBudgetRow(app: AppSamples.id, left: 720, daily: 1800)],
            machine: machine
        )
    }

    /// Every way in which a request can end.
    package static let outcomes: [TaskEntry.Outcome] = [
        .ended(.completed(success: true), started: noon, seconds: 2.3),
        .ended(.completed(success: false), started: noon, seconds: 2),
        .ended(.expired(.timeOver, success: true), started: noon, seconds: 30),
        .ended(.killed(.machineBusy, seconds: 31), started: noon, seconds: 31),
        .ended(.appEnded(.signalled(11)), started: noon, seconds: 1),
        .ended(.noHandler, started: noon, seconds: 0),
        .ended(.launchFailed("it is not there"), started: noon, seconds: 0),
        .ended(.quit, started: noon, seconds: 7),
        .refused(code: 3, "'x' is not permitted."),
        .cancelled, .replaced, .dropped("The person quit the app."), .interrupted("The machine stopped."),
    ]
}
