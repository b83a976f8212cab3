// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
package import OffstageProtocol

/// What a timeline is drawn from: values of the daemon, and nothing else.
package struct TimelineFacts: Sendable, Equatable {
    /// The time that is drawn. It may end in the future.
    package var from: Date
    package var until: Date
    package var now: Date
    package var spans: [TimelineSpan] = []
    /// The files of transfers that are on record, as lists show them.
    package var names: [TransferID: String] = [:]
    package var expected: [TimelineExpectation] = []
    package var hours: [TimelineHours] = []
    package var starts: [TaskForecast] = []
    package var budgets: [TaskBudgetRow] = []
    /// Whether there was more than was read.
    package var isCut = false
    /// The places among the spans of states, by when they began.
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
    ///   - reply: the daemon's.
    ///   - name: what a list shows of a path.
    package mutating func add(_ reply: ReadTimeline.Reply, name: (String) -> String) {
        for row in reply.rows + (reply.present?.lasting ?? []) { if let span = row.span { add(span) } }
        for file in reply.files { names[file.transfer] = name(file.path) }
        guard let present = reply.present else { return }
        expected += present.expected
        for one in present.expected { names[one.transfer] = name(one.path) }
        hours += present.hours
    }

    /// A state that lasts is on record as far as it had come, perhaps on two pages.
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

    /// The attempts, without what a daemon that had died could not see: an attempt that died with it has ended when it did.
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
