// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// A task in `--json` output (docs/json.md).
package struct TaskDocument: Encodable {
    let number: UInt64
    let app: String
    let identifier: String
    let kind: String
    /// `pending`, `starting` or `running`.
    let state: String
    let since: Date?
    let earliestBegin: Date?
    let requiresNetwork: Bool
    let requiresExternalPower: Bool
    let submittedAt: Date
    let attempts: Int
    let reason: ReasonDocument?
    let title: String?
    let subtitle: String?
    let completedUnits: Int64?
    let totalUnits: Int64?

    package init(_ row: TaskRow) {
        self.init(row.record, row)
    }

    init(_ record: TaskRecord, _ row: TaskRow? = nil) {
        let request = record.request
        number = request.number
        app = request.app
        identifier = request.identifier
        kind = request.kind.rawValue
        (state, since) =
            switch record.phase {
            case .pending: ("pending", nil)
            case .starting(let since): ("starting", since.wall)
            case .running(let since): ("running", since.wall)
            }
        earliestBegin = request.earliestBegin
        requiresNetwork = request.requiresNetwork
        requiresExternalPower = request.requiresExternalPower
        submittedAt = request.submitted.wall
        attempts = record.attempts
        reason = row.map(ReasonDocument.init)
        let progress = row?.progress
        title = request.kind == .continued ? progress?.title ?? request.title : nil
        subtitle = request.kind == .continued ? progress?.subtitle ?? request.subtitle : nil
        completedUnits = progress?.completed
        totalUnits = progress.flatMap { $0.total > 0 ? $0.total : nil }
    }

    /// Why it does not run, or its state.
    struct ReasonDocument: Encodable {
        let code: String
        let summary: String
        let advice: String
        let since: Date
        let nextLook: Date?
        /// The names of the conditions involved.
        let conditions: [String]

        init(_ row: TaskRow) {
            code = row.reason.cause.code
            summary = row.reason.summary
            advice = TaskText.advice(row)
            since = row.reason.since
            nextLook = row.reason.nextLook
            conditions = row.reason.conditions
        }
    }
}

extension TaskReason.Cause {
    /// Its name in JSON.
    var code: String {
        switch self {
        case .running: "running"
        case .starting: "starting"
        case .earliestBegin: "earliestBegin"
        case .appQuit: "appQuit"
        case .appEnding: "appEnding"
        case .appBackedOff: "appBackedOff"
        case .refreshOff: "refreshOff"
        case .noNetwork: "noNetwork"
        case .noExternalPower: "noExternalPower"
        case .lowBattery: "lowBattery"
        case .diskFull: "diskFull"
        case .machineBusy: "machineBusy"
        case .budgetSpent: "budgetSpent"
        case .othersRun: "othersRun"
        case .retry: "retry"
        }
    }
}
