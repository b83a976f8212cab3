// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

/// The outcome of a request, in `--json` output.
package struct TaskEntryDocument: Encodable {
    let number: UInt64?
    let app: String
    let identifier: String
    let kind: String
    let date: Date
    let outcome: String
    let text: String
    let success: Bool?
    let startedAt: Date?
    let seconds: Double?
    let errorCode: Int?

    package init(_ entry: TaskEntry) {
        number = entry.number
        app = entry.app
        identifier = entry.identifier
        kind = entry.kind.rawValue
        date = entry.date
        text = entry.outcome.summary
        var (success, startedAt, seconds, code): (Bool?, Date?, Double?, Int?)
        switch entry.outcome {
        case .ended(let ending, let started, let taken):
            (outcome, success) = Self.ending(ending)
            (startedAt, seconds) = (started, taken)
        case .refused(let number, _): (outcome, code) = ("refused", number)
        case .cancelled: outcome = "cancelled"
        case .replaced: outcome = "replaced"
        case .dropped: outcome = "dropped"
        case .interrupted: outcome = "interrupted"
        }
        (self.success, self.startedAt, self.seconds, errorCode) = (success, startedAt, seconds, code)
    }

    private static func ending(_ ending: TaskEnding) -> (String, Bool?) {
        switch ending {
        case .completed(let success): ("completed", success)
        case .expired(_, let success): ("expired", success)
        case .killed: ("killed", nil)
        case .appEnded: ("appEnded", nil)
        case .noHandler: ("noHandler", nil)
        case .launchFailed: ("launchFailed", nil)
        case .quit: ("quit", nil)
        }
    }
}
