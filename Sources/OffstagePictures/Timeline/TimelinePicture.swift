// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
import OffstageProtocol

/// The timeline as lanes, bars and marks, positioned on a line of units. Drawing it needs no further layout.
package struct TimelinePicture: Sendable, Equatable {
    /// The space that a picture may take.
    package struct Room: Sendable, Equatable {
        /// The length of the line.
        package var units: Int
        /// The most rows of a lane in which attempts overlap.
        package var rows: Int
        /// The minimum number of units between two ticks.
        package var spacing: Int
        /// The most hosts of an owner, and the most owners. Further hosts share a lane; further owners are left out.
        package var hosts = 12
        package var owners = 16

        package init(units: Int, rows: Int, spacing: Int) {
            self.units = units
            self.rows = rows
            self.spacing = spacing
        }
    }

    package let scale: TimelineScale
    package let now: Date
    /// The unit of the present; nil if the line ends earlier.
    package let nowUnit: Int?
    package let ticks: [TimelineTick]
    /// The groups by owner: first the user's own transfers, then apps by name.
    package let groups: [TimelineGroup]
    /// The lanes below the groups: network, power, the daemon, and the schedule's hours.
    package let bands: [TimelineLane]
    /// The number of attempts, by outcome.
    package let tally: [TimelineOutcome: Int]
    /// The next expected event.
    package let next: TimelineMark?
    /// The number of owners for which there was no room.
    package let ownersLeftOut: Int
    /// Whether some data was left out.
    package let isCut: Bool

    package init(_ facts: TimelineFacts, in room: Room, clock: TimelineClock) {
        let scale = TimelineScale(from: facts.from, until: facts.until, units: room.units)
        self.scale = scale
        now = facts.now
        nowUnit = facts.now >= scale.from && facts.now < scale.until ? scale.unit(of: facts.now) : nil
        ticks = TimelineTick.all(on: scale, spacing: room.spacing, clock: clock)
        let owners = TimelineOwners(facts, on: scale)
        groups = owners.groups(in: room)
        ownersLeftOut = max(0, owners.count - room.owners)
        bands = Self.bands(facts, on: scale)
        tally = owners.tally
        next = groups.flatMap(\.lanes).flatMap(\.marks).min { $0.date < $1.date }
        isCut = facts.isCut
    }

    private static func bands(_ facts: TimelineFacts, on scale: TimelineScale) -> [TimelineLane] {
        func lane(_ kind: TimelineLane.Kind, _ title: String, _ isOf: (TimelineSpan.Subject) -> Bool) -> TimelineLane? {
            let rows = TimelineStrip(facts.spans.filter { isOf($0.subject) }.joinedNeighbours, on: scale).rows(
                atMost: 1
            )
            return rows.isEmpty ? nil : TimelineLane(kind: kind, title: title, rows: rows)
        }
        return [
            lane(.network, "network") { if case .network = $0 { true } else { false } },
            lane(.power, "power") { if case .power = $0 { true } else { false } },
            lane(.daemon, "daemon") { $0 == .daemon },
            schedule(facts.hours, on: scale),
        ].compactMap(\.self)
    }

    private static func schedule(_ hours: [TimelineHours], on scale: TimelineScale) -> TimelineLane? {
        let bars = hours.compactMap { hours -> TimelineBar? in
            guard let look = TimelineLook(hours), let units = scale.range(hours.from, hours.until) else { return nil }
            return TimelineBar(
                from: units.lowerBound,
                to: units.upperBound,
                look: look,
                began: hours.from,
                ended: hours.until,
                single: nil,
                tally: [:]
            )
        }
        return bars.isEmpty ? nil : TimelineLane(kind: .schedule, title: "schedule", rows: [bars])
    }

    /// The looks that occur, in the order of a legend.
    package var looks: [TimelineLook] {
        let used = Set((groups.flatMap(\.lanes) + bands).flatMap(\.rows).flatMap { $0 }.map(\.look))
        return TimelineLook.allCases.filter { used.contains($0) }
    }

    /// The looks of marks that occur, in the order of a legend.
    package var markLooks: [TimelineMark.Look] {
        let used = Set(groups.flatMap(\.lanes).flatMap(\.marks).map(\.look))
        return TimelineMark.Look.allCases.filter { used.contains($0) }
    }
}

extension [TimelineSpan] {
    /// The spans in order. Adjacent equal spans are joined, as a state continues while a daemon is replaced.
    var joinedNeighbours: [TimelineSpan] {
        var joined: [TimelineSpan] = []
        for span in sorted(by: { ($0.began, $0.ended) < ($1.began, $1.ended) }) {
            if let last = joined.last, last.subject == span.subject, span.began <= last.ended {
                joined[joined.count - 1].ended = Swift.max(last.ended, span.ended)
            } else {
                joined.append(span)
            }
        }
        return joined
    }
}
