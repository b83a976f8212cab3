// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// Selects the spans of the timeline to read.
package struct TimelineQuery: Sendable, Equatable, Codable {
    /// Where a page ends and the next one continues.
    package struct Position: Sendable, Equatable, Codable {
        @Within<CalendarDates> package var ended: Date
        package var number: Int64

        package init(ended: Date, number: Int64) {
            self.ended = ended
            self.number = number
        }
    }

    /// Only spans that lasted at some time from here…
    @Within<CalendarDates> package var from: Date
    /// … to here.
    @Within<CalendarDates> package var until: Date
    /// Only this app's spans, and the machine's.
    package var app: String?
    /// Only attempts with this host, with or without a port, and the machine's spans.
    package var host: String?
    /// Only the spans that follow an earlier page.
    package var after: Position?
    /// The maximum number of rows in a page.
    package var limit: Int

    package init(
        from: Date,
        until: Date,
        app: String? = nil,
        host: String? = nil,
        after: Position? = nil,
        limit: Int = 2000
    ) {
        self.from = from
        self.until = until
        self.app = app
        self.host = host
        self.after = after
        self.limit = limit
    }

    /// Whether the query is about this host: its name, with or without a port.
    package static func matches(_ host: String, _ hostKey: String) -> Bool {
        hostKey == host || hostKey.hasPrefix(host + ":")
    }

    /// Whether it selects a span, whether lasting or ended.
    package func concerns(_ span: TimelineSpan) -> Bool {
        guard span.began <= until, span.ended >= from else { return false }
        switch span.subject {
        case .network, .power, .daemon: return true
        case .attempt(let attempt): return concerns(attempt.owner, host: attempt.host)
        case .app(let app, _): return concerns(app, host: nil)
        case .run(let run): return concerns(run.app, host: nil)
        }
    }

    /// Whether it selects an owner's activity, with or without a host.
    package func concerns(_ owner: String, host: String?) -> Bool {
        if let app, app != owner { return false }
        guard let wanted = self.host else { return true }
        return host.map { Self.matches(wanted, $0) } ?? false
    }
}

/// One page of the timeline, by the times at which spans ended.
package struct TimelinePage: Sendable, Equatable {
    package var rows: [TimelineRow]
    /// The local files of the transfers that are still on record.
    package var paths: [TransferID: String]
    /// Where the next page continues; nil if this is the last one.
    package var next: TimelineQuery.Position?

    package init(rows: [TimelineRow], paths: [TransferID: String] = [:], next: TimelineQuery.Position? = nil) {
        self.rows = rows
        self.paths = paths
        self.next = next
    }
}
