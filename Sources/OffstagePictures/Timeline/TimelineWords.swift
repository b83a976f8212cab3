// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
import OffstageProtocol

/// The timeline's English wording.
package enum TimelineWords {
    /// Makes untrusted text safe to show.
    package static func shown(_ text: String) -> String { text.redactedControls }

    /// An app's bundle identifier, or the name of its executable. The user's own transfers belong to the command.
    package static func owner(_ owner: String) -> String {
        owner == AppIdentity.command ? "offstage" : shown(owner.pathParts.last ?? owner)
    }

    /// The host, without a default port.
    package static func host(_ hostKey: String) -> String {
        for port in [":443", ":80"] where hostKey.hasSuffix(port) { return shown(String(hostKey.dropLast(port.count))) }
        return shown(hostKey)
    }

    static func budget(_ budget: TaskBudgetRow) -> String {
        "\(duration(budget.left)) of \(duration(budget.daily)) left today for deferred work"
    }

    /// `7 s`, `12 min`, `3 h 20 min`, `2 d 4 h`.
    package static func duration(_ seconds: Double) -> String {
        let whole = Int(nearest: min(max(0, seconds), 1e10).rounded())
        switch whole {
        case ..<90: return "\(whole) s"
        case ..<5400: return "\((whole + 30) / 60) min"
        case ..<86_400: return both(whole / 3600, "h", whole % 3600 / 60, "min")
        default: return both(whole / 86_400, "d", whole % 86_400 / 3600, "h")
        }
    }

    private static func both(_ first: Int, _ unit: String, _ second: Int, _ other: String) -> String {
        second == 0 ? "\(first) \(unit)" : "\(first) \(unit) \(second) \(other)"
    }

    /// A number of spans by look: `118 succeeded, 4 broke off, 1 failed`.
    static func tally(_ tally: [TimelineOutcome: Int]) -> String {
        TimelineOutcome.allCases.compactMap { outcome in
            tally[outcome].map { "\($0) \(word(outcome))" }
        }.joined(separator: ", ")
    }

    static func word(_ outcome: TimelineOutcome) -> String {
        switch outcome {
        case .succeeded: "succeeded"
        case .broken: "interrupted"
        case .failed: "failed"
        case .expired: "had to end"
        case .paused: "paused"
        case .cancelled: "cancelled"
        case .underWay: "under way"
        }
    }

    /// `connection lost` for the code `connectionLost`.
    package static func failure(_ code: TransferFailure.Code) -> String {
        switch code {
        case .daemonInterrupted: "the daemon was stopped"
        case .httpStatus: "refused by the server"
        default:
            code.rawValue.reduce(into: "") { text, letter in
                text += letter.isUppercase ? " " + letter.lowercased() : String(letter)
            }
        }
    }
}
