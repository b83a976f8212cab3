// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// A picture described in sentences: for people who cannot see it, for tooltips of bars, and for the summary above it.
package struct TimelineSentences: Sendable {
    private let names: [TransferID: String]
    private let now: Date
    private let clock: TimelineClock

    package init(_ facts: TimelineFacts, clock: TimelineClock) {
        names = facts.names
        now = facts.now
        self.clock = clock
    }

    /// `From 18:34 on 25 Nov to 00:34`, then the number of attempts and the next expected event.
    package func summary(_ picture: TimelinePicture) -> [String] {
        let count = picture.tally.values.reduce(0, +)
        var lines = [
            "From \(moment(picture.scale.from)) to \(moment(picture.scale.until)): "
                + (count == 0
                    ? "no attempts."
                    : "\(count) attempt\(count == 1 ? "" : "s"), \(TimelineWords.tally(picture.tally)).")
        ]
        if let next = picture.next { lines.append("Next: \(of(next)).") }
        if picture.isCut {
            lines.append("There was more than is shown: choose a shorter time, or one app or host.")
        }
        if picture.ownersLeftOut > 0 {
            let apps = picture.ownersLeftOut == 1 ? "1 app" : "\(picture.ownersLeftOut) apps"
            lines.append("\(apps) with less to show \(picture.ownersLeftOut == 1 ? "is" : "are") left out.")
        }
        return lines
    }

    /// A bar: `18:34 to 18:36 (2 min), a.bin: broke off (connection lost), attempt 2 of transfer 12`.
    package func of(_ bar: TimelineBar) -> String {
        let time = time(bar.began, bar.ended)
        guard let span = bar.single else {
            guard bar.count > 0 else { return "\(time): \(bar.look.words)" }
            let tally = TimelineLook.allCases.compactMap { look in bar.tally[look].map { "\($0) × \(look.words)" } }
            return "\(time): \(tally.joined(separator: ", "))"
        }
        return "\(time)\(detail(span))"
    }

    private func detail(_ span: TimelineSpan) -> String {
        switch span.subject {
        case .attempt(let attempt):
            let way = attempt.isUpload ? "→" : "←"
            return ", \(file(attempt.transfer)) \(way) \(TimelineWords.host(attempt.host)): \(outcome(attempt))"
        case .run(let run): return ", \(TimelineWords.shown(run.identifier)): \(TimelineWords.word(run.outcome))"
        default: return TimelineLook(span.subject).map { ": \($0.words)" } ?? ""
        }
    }

    /// `broke off (connection lost), 12.0 MiB, attempt 2 of transfer 12`.
    package func outcome(_ attempt: TimelineAttempt) -> String {
        let failure = attempt.failure.map { " (\(TimelineWords.failure($0)))" } ?? ""
        let bytes = attempt.bytes > 0 ? ", \(ByteText.of(attempt.bytes))" : ""
        return "\(TimelineWords.word(attempt.outcome))\(failure)\(bytes), "
            + "attempt \(attempt.number) of transfer \(attempt.transfer)"
    }

    /// The file of a transfer, or its number.
    package func file(_ transfer: TransferID) -> String {
        names[transfer].map(TimelineWords.shown) ?? "transfer \(transfer)"
    }

    /// A mark: `a.bin will be tried again at 19:05`.
    package func of(_ mark: TimelineMark) -> String {
        let others = mark.count > 1 ? " and \(mark.count - 1) more" : ""
        let when = "at \(moment(mark.date))"
        return switch mark.look {
        case .retry: "\(mark.name)\(others) will be tried again \(when)"
        case .begin: "\(mark.name)\(others) may begin \(when)"
        case .look: "\(mark.name)\(others) will be checked \(when)"
        case .run: "\(mark.name)\(others) would run \(when)"
        }
    }

    package func moment(_ date: Date) -> String { clock.moment(date, beside: now) }

    /// `18:34 to 18:36 (2 min)`; with seconds if it is short.
    package func time(_ began: Date, _ ended: Date) -> String {
        let seconds = ended.timeIntervalSince(began)
        let length = seconds < 1 ? "less than 1 s" : TimelineWords.duration(seconds)
        guard seconds >= 90 else { return "\(clock.time(began)) (\(length))" }
        return "\(moment(began)) to \(moment(ended)) (\(length))"
    }
}
