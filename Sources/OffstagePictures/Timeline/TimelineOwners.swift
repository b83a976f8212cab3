// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// The spans, marks and counts of each owner of transfers.
struct TimelineOwners {
    private struct Owner {
        var states: [TimelineSpan] = []
        var runs: [TimelineSpan] = []
        var starts: [TaskForecast] = []
        var hosts: [String: Host] = [:]

        var weight: Int { states.count + runs.count + starts.count + hosts.values.reduce(0) { $0 + $1.weight } }
    }

    private struct Host {
        var attempts: [TimelineSpan] = []
        var expected: [TimelineExpectation] = []

        var weight: Int { attempts.count + expected.count }
    }

    private let facts: TimelineFacts
    private let scale: TimelineScale
    private var owners: [String: Owner] = [:]
    /// The number of attempts, by outcome.
    private(set) var tally: [TimelineOutcome: Int] = [:]

    init(_ facts: TimelineFacts, on scale: TimelineScale) {
        self.facts = facts
        self.scale = scale
        for (span, attempt) in facts.attempts where scale.range(span.began, span.ended) != nil {
            owners[attempt.owner, default: Owner()].hosts[attempt.host, default: Host()].attempts.append(span)
            tally[attempt.outcome, default: 0] += 1
        }
        for span in facts.spans where scale.range(span.began, span.ended) != nil {
            switch span.subject {
            case .app(let app, let state) where state != .terminated:
                owners[app, default: Owner()].states.append(span)
            case .run(let run): owners[run.app, default: Owner()].runs.append(span)
            default: break
            }
        }
        for one in facts.expected where scale.range(one.date, one.date) != nil {
            owners[one.owner, default: Owner()].hosts[one.host, default: Host()].expected.append(one)
        }
        for start in facts.starts where scale.range(start.date, start.date) != nil {
            owners[start.app, default: Owner()].starts.append(start)
        }
    }

    var count: Int { owners.count }

    func groups(in room: TimelinePicture.Room) -> [TimelineGroup] {
        let chosen = owners.sorted { ($1.value.weight, $0.key) < ($0.value.weight, $1.key) }.prefix(max(1, room.owners))
        return chosen.sorted { Self.isBefore($0.key, $1.key) }.map { group($0.key, $0.value, in: room) }
    }

    /// Whether one owner comes before another. The user's own transfers come first.
    private static func isBefore(_ left: String, _ right: String) -> Bool {
        let isCommand = [left, right].map { $0 == AppIdentity.command }
        if isCommand[0] != isCommand[1] { return isCommand[0] }
        return (TimelineWords.owner(left), left) < (TimelineWords.owner(right), right)
    }

    private func group(_ name: String, _ owner: Owner, in room: TimelinePicture.Room) -> TimelineGroup {
        var lanes: [TimelineLane] = []
        if !owner.states.isEmpty {
            let rows = TimelineStrip(owner.states.joinedNeighbours, on: scale).rows(atMost: 1)
            lanes.append(TimelineLane(kind: .states, title: "state", rows: rows))
        }
        if !owner.runs.isEmpty || !owner.starts.isEmpty {
            let rows = TimelineStrip(owner.runs, on: scale).rows(atMost: room.rows)
            let marks = marks(owner.starts) { (.run, $0.date, TimelineWords.shown($0.identifier)) }
            lanes.append(TimelineLane(kind: .runs, title: "deferred work", rows: rows, marks: marks))
        }
        let hosts = owner.hosts.sorted { ($1.value.weight, $0.key) < ($0.value.weight, $1.key) }
        for (host, what) in hosts.prefix(room.hosts).sorted(by: { $0.key < $1.key }) {
            lanes.append(lane(TimelineWords.host(host), [what], in: room))
        }
        let rest = hosts.dropFirst(room.hosts)
        if !rest.isEmpty {
            var shared = lane("\(rest.count) more host\(rest.count == 1 ? "" : "s")", rest.map(\.value), in: room)
            shared.others = rest.count
            lanes.append(shared)
        }
        let budget = facts.budgets.first { $0.app == name }
        return TimelineGroup(
            title: TimelineWords.owner(name),
            note: budget.map(TimelineWords.budget),
            lanes: lanes
        )
    }

    private func lane(_ title: String, _ hosts: [Host], in room: TimelinePicture.Room) -> TimelineLane {
        let rows = TimelineStrip(hosts.flatMap(\.attempts), on: scale).rows(atMost: room.rows)
        let marks = marks(hosts.flatMap(\.expected)) { one in
            let look: TimelineMark.Look =
                switch one.cause {
                case .retry: .retry
                case .beginDate: .begin
                case .look: .look
                }
            return (look, one.date, facts.names[one.transfer].map(TimelineWords.shown) ?? "transfer \(one.transfer)")
        }
        return TimelineLane(kind: .host, title: title, rows: rows, marks: marks)
    }

    /// The marks in order. Similar marks in the same unit are combined.
    private func marks<Value>(
        _ values: [Value],
        _ mark: (Value) -> (look: TimelineMark.Look, date: Date, name: String)
    ) -> [TimelineMark] {
        var marks: [TimelineMark] = []
        let all = values.map(mark).sorted {
            ($0.date, $0.look.rawValue, $0.name) < ($1.date, $1.look.rawValue, $1.name)
        }
        for one in all {
            let unit = scale.unit(of: one.date)
            if let place = marks.lastIndex(where: { $0.look == one.look }), marks[place].unit == unit {
                marks[place].count += 1
            } else {
                marks.append(TimelineMark(unit: unit, look: one.look, date: one.date, name: one.name, count: 1))
            }
        }
        return marks
    }
}
