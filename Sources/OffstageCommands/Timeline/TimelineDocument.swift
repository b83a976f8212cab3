// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore
package import OffstagePictures

/// `offstage timeline --json` (docs/json.md).
package struct TimelineDocument: Encodable, Sendable {
    package struct Attempt: Encodable, Sendable {
        package let began: Date
        package let ended: Date
        package let transfer: Int64
        package let attempt: Int
        package let owner: String
        package let host: String
        package let direction: String
        /// Left out if the transfer is no longer on record.
        package let file: String?
        package let bytes: Int64
        package let outcome: String
        /// `TransferFailure.Code`; left out if there is no failure.
        package let failure: String?
    }

    /// A state of an app, or a condition of the machine.
    package struct State: Encodable, Sendable {
        package let began: Date
        package let ended: Date
        /// Left out for the machine.
        package let app: String?
        /// `app`, `network`, `power` or `daemon`.
        package let kind: String
        package let state: String
    }

    package struct Run: Encodable, Sendable {
        package let began: Date
        package let ended: Date
        package let app: String
        package let identifier: String
        package let outcome: String
    }

    package struct Expected: Encodable, Sendable {
        package let date: Date
        /// `retry`, `beginDate`, `look` or `run`.
        package let what: String
        package let owner: String
        package let transfer: Int64?
        package let host: String?
        package let identifier: String?
    }

    package struct Hours: Encodable, Sendable {
        package let from: Date
        package let until: Date
        package let transfers: Bool
        package let rateLimit: Int64?
    }

    package let from: Date
    package let until: Date
    package let now: Date
    package let attempts: [Attempt]
    package let states: [State]
    package let runs: [Run]
    package let expected: [Expected]
    package let schedule: [Hours]
    /// Whether some data was left out.
    package let isCut: Bool

    package init(_ facts: TimelineFacts) {
        (from, until, now, isCut) = (facts.from, facts.until, facts.now, facts.isCut)
        let spans = facts.spans.sorted { ($0.began, $0.ended) < ($1.began, $1.ended) }
        attempts = spans.compactMap { Self.attempt($0, facts) }
        states = spans.compactMap(Self.state)
        runs = spans.compactMap { span in
            guard case .run(let run) = span.subject else { return nil }
            return Run(
                began: span.began,
                ended: span.ended,
                app: run.app,
                identifier: run.identifier,
                outcome: run.outcome.rawValue
            )
        }
        let waiting = facts.expected.map { one in
            Expected(
                date: one.date,
                what: one.cause.rawValue,
                owner: one.owner,
                transfer: one.transfer.rawValue,
                host: one.host,
                identifier: nil
            )
        }
        let starts = facts.starts.map { start in
            Expected(
                date: start.date,
                what: "run",
                owner: start.app,
                transfer: nil,
                host: nil,
                identifier: start.identifier
            )
        }
        expected = (waiting + starts).filter { $0.date < facts.until }.sorted { $0.date < $1.date }
        schedule = facts.hours.map {
            Hours(from: $0.from, until: $0.until, transfers: $0.transfers, rateLimit: $0.rateLimit)
        }
    }

    private static func attempt(_ span: TimelineSpan, _ facts: TimelineFacts) -> Attempt? {
        guard case .attempt(let attempt) = span.subject else { return nil }
        return Attempt(
            began: span.began,
            ended: span.ended,
            transfer: attempt.transfer.rawValue,
            attempt: attempt.number,
            owner: attempt.owner,
            host: attempt.host,
            direction: attempt.isUpload ? "upload" : "download",
            file: facts.names[attempt.transfer],
            bytes: attempt.bytes,
            outcome: attempt.outcome.rawValue,
            failure: attempt.failure?.rawValue
        )
    }

    private static func state(_ span: TimelineSpan) -> State? {
        func made(_ kind: String, _ word: String, app: String? = nil) -> State {
            State(began: span.began, ended: span.ended, app: app, kind: kind, state: word)
        }
        return switch span.subject {
        case .attempt, .run: nil
        case .app(let app, let life): made("app", life.rawValue, app: app)
        case .network(let network): made("network", network.rawValue)
        case .power(let isExternal): made("power", isExternal ? "external" : "battery")
        case .daemon: made("daemon", "running")
        }
    }
}
