// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// Past, present and expected spans between two times: one page, by the times at which they ended.
package struct ReadTimeline: WireRequest {
    package static let name = "timeline"

    package struct Reply: Codable, Sendable, Equatable {
        /// The daemon's time.
        @Within<CalendarDates> package var now: Date
        package var rows: [TimelineRow]
        /// The files of those transfers that are still on record.
        package var files: [File]
        /// Where the next page continues; nil if this is the last one.
        package var next: TimelineQuery.Position?
        /// Only with the last page.
        package var present: Present?

        package init(
            now: Date,
            rows: [TimelineRow],
            files: [File],
            next: TimelineQuery.Position?,
            present: Present?
        ) {
            self.now = now
            self.rows = rows
            self.files = files
            self.next = next
            self.present = present
        }
    }

    /// The spans that have not ended, and the expected ones.
    package struct Present: Codable, Sendable, Equatable {
        /// They end now, as far as is known.
        package var lasting: [TimelineRow]
        /// Waiting transfers that are next checked at a known time; roughly the first ones.
        package var expected: [TimelineExpectation]
        /// The upcoming rules of the schedule; empty without a schedule.
        package var hours: [TimelineHours]

        package init(lasting: [TimelineRow], expected: [TimelineExpectation], hours: [TimelineHours]) {
            self.lasting = lasting
            self.expected = expected
            self.hours = hours
        }
    }

    /// The local file of a transfer.
    package struct File: Codable, Sendable, Hashable {
        package var transfer: TransferID
        package var path: String

        package init(transfer: TransferID, path: String) {
            self.transfer = transfer
            self.path = path
        }
    }

    package var query: TimelineQuery
    package init(query: TimelineQuery) { self.query = query }
}
