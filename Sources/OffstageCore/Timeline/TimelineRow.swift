// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// A span as stored and sent: a flat row, of which a day has thousands. A row of a kind that this build does not know
/// stays a row.
package struct TimelineRow: Sendable, Hashable, Codable {
    /// The kind of subject.
    package enum Kind: String, Sendable, CaseIterable {
        case attempt, app, run, network, power, daemon
    }

    @Within<CalendarDates> package var began: Date
    @Within<CalendarDates> package var ended: Date
    package var kind: String
    /// The app, or the owner of the transfer.
    package var owner: String?
    /// The host of an attempt, or the identifier of a run.
    package var place: String?
    /// An outcome, a state or a condition.
    package var word: String
    /// The code of a failure.
    package var detail: String?
    package var transfer: TransferID?
    @WithinIfPresent<Counts> package var number: Int?
    @WithinIfPresent<ByteCounts> package var bytes: Int64?
    /// Whether the transfer is an upload; nil if there is no transfer.
    package var isUpload: Bool?

    package init(began: Date, ended: Date, kind: String, word: String) {
        self.began = began
        self.ended = ended
        self.kind = kind
        self.word = word
    }

    package init(_ span: TimelineSpan) {
        func row(_ kind: Kind, _ word: String) -> TimelineRow {
            TimelineRow(began: span.began, ended: span.ended, kind: kind.rawValue, word: word)
        }
        switch span.subject {
        case .attempt(let attempt):
            self = row(.attempt, attempt.outcome.rawValue)
            owner = attempt.owner
            place = attempt.host
            detail = attempt.failure?.rawValue
            transfer = attempt.transfer
            number = attempt.number
            bytes = attempt.bytes
            isUpload = attempt.isUpload
        case .app(let app, let state):
            self = row(.app, state.rawValue)
            owner = app
        case .run(let run):
            self = row(.run, run.outcome.rawValue)
            owner = run.app
            place = run.identifier
        case .network(let network): self = row(.network, network.rawValue)
        case .power(let isExternal): self = row(.power, isExternal ? Self.external : Self.battery)
        case .daemon: self = row(.daemon, Self.running)
        }
    }

    private static let external = "external"
    private static let battery = "battery"
    private static let running = "running"

    /// The span; nil for a row that this build does not understand.
    package var span: TimelineSpan? {
        guard let kind = Kind(rawValue: kind), let subject = subject(kind) else { return nil }
        return TimelineSpan(began: began, ended: ended, subject)
    }

    private func subject(_ kind: Kind) -> TimelineSpan.Subject? {
        switch kind {
        case .attempt:
            guard let transfer, let number, let owner, let place, let isUpload,
                let outcome = TimelineOutcome(rawValue: word)
            else { return nil }
            return .attempt(
                TimelineAttempt(
                    transfer: transfer,
                    number: number,
                    owner: owner,
                    host: place,
                    isUpload: isUpload,
                    bytes: bytes ?? 0,
                    outcome: outcome,
                    failure: detail.flatMap(TransferFailure.Code.init(rawValue:))
                )
            )
        case .app:
            guard let owner, let state = LifeState(rawValue: word) else { return nil }
            return .app(owner, state)
        case .run:
            guard let owner, let place, let outcome = TimelineOutcome(rawValue: word) else { return nil }
            return .run(TimelineRun(app: owner, identifier: place, outcome: outcome))
        case .network: return MachineConditions.Network(rawValue: word).map { .network($0) }
        case .power:
            return word == Self.external || word == Self.battery ? .power(isExternal: word == Self.external) : nil
        case .daemon: return .daemon
        }
    }
}
