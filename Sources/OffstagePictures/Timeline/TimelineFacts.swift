// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
package import OffstageProtocol

/// The data that a timeline is drawn from: values of the daemon, and nothing else.
package struct TimelineFacts: Sendable, Equatable {
    /// The period to draw. It may end in the future.
    package var from: Date
    package var until: Date
    package var now: Date
    package var spans: [TimelineSpan] = []
    /// The file names of transfers on record, as lists show them.
    package var names: [TransferID: String] = [:]
    package var expected: [TimelineExpectation] = []
    package var hours: [TimelineHours] = []
    package var starts: [TaskForecast] = []
    package var budgets: [TaskBudgetRow] = []
    /// Whether some data was left out.
    package var isCut = false
    /// The indices of the spans of states, by when they began.
    private var states: [Beginning: Int] = [:]

    private struct Beginning: Hashable {
        var began: Date
        var subject: TimelineSpan.Subject
    }

    package init(from: Date, until: Date, now: Date) {
        self.from = from
        self.until = until
        self.now = now
    }

    /// Adds a page, with the names of its files.
    ///
    /// - Parameters:
    ///   - reply: the daemon's reply.
    ///   - name: returns the name that a list shows for a path.
    package mutating func add(_ reply: ReadTimeline.Reply, name: (String) -> String) {
        for row in reply.rows + (reply.present?.lasting ?? []) { if let span = row.span { add(span) } }
        for file in reply.files { names[file.transfer] = name(file.path) }
        guard let present = reply.present else { return }
        expected += present.expected
        for one in present.expected { names[one.transfer] = name(one.path) }
        hours += present.hours
    }

    /// Adds a span. A lasting state is on record only up to the time of reading, and possibly on two pages.
    private mutating func add(_ span: TimelineSpan) {
        switch span.subject {
        case .attempt, .run: spans.append(span)
        case .app, .network, .power, .daemon:
            let beginning = Beginning(began: span.began, subject: span.subject)
            guard let place = states[beginning], spans.indices.contains(place) else {
                states[beginning] = spans.count
                return spans.append(span)
            }
            spans[place].ended = max(spans[place].ended, span.ended)
        }
    }

    /// The attempts. An attempt that was under way when a daemon died ended at that moment.
    var attempts: [(span: TimelineSpan, attempt: TimelineAttempt)] {
        let daemons = spans.filter { $0.subject == .daemon }.sorted { $0.began < $1.began }
        return spans.compactMap { span in
            guard case .attempt(let attempt) = span.subject else { return nil }
            guard attempt.failure == .daemonInterrupted else { return (span, attempt) }
            guard let daemon = daemons.last(where: { $0.began <= span.began }) else { return (span, attempt) }
            var cut = span
            cut.ended = max(span.began, min(span.ended, daemon.ended))
            return (cut, attempt)
        }
    }
}
