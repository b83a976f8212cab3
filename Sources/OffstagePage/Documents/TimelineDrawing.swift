// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCommands
import OffstageCore
import OffstagePictures

/// The timeline as the page draws it: positions without text, which the page supplies.
struct TimelineDrawing: Encodable {
    struct Tick: Encodable {
        let date: Date
        let unit: Int
    }

    struct Attempt: Encodable {
        let transfer: Int64
        let number: Int
        /// Nil for a transfer that is no longer on record.
        let file: String?
        let host: String
        let isUpload: Bool
        let bytes: Int64
        let failure: String?
    }

    struct Bar: Encodable {
        let from: Int
        let to: Int
        let look: String
        let began: Date
        let ended: Date
        let count: Int
        let tally: [String: Int]
        let attempt: Attempt?
        /// The identifier of deferred work.
        let work: String?
    }

    struct Mark: Encodable {
        let unit: Int
        let look: String
        let date: Date
        let name: String
        let count: Int

        init(_ mark: TimelineMark) {
            (unit, look, date, name, count) = (mark.unit, mark.look.rawValue, mark.date, mark.name, mark.count)
        }
    }

    struct Lane: Encodable {
        let kind: String
        let title: String
        let others: Int
        let rows: [[Bar]]
        let marks: [Mark]
    }

    struct Group: Encodable {
        let title: String
        let lanes: [Lane]
    }

    let seconds: Double
    let units: Int
    let nowUnit: Int?
    let ticks: [Tick]
    let groups: [Group]
    let bands: [Lane]
    let tally: [String: Int]
    let next: Mark?
    let isCut: Bool
    let ownersLeftOut: Int

    private static let room = TimelinePicture.Room(units: 400, rows: 4, spacing: 40)

    /// - Parameter facts: the data to draw.
    init(_ facts: TimelineFacts) {
        let picture = TimelinePicture(
            facts,
            in: Self.room,
            clock: TimelineClock(secondsEast: Format.secondsEast)
        )
        seconds = facts.now.timeIntervalSince(facts.from)
        units = Self.room.units
        nowUnit = picture.nowUnit
        ticks = picture.ticks.map { Tick(date: $0.date, unit: $0.unit) }
        groups = picture.groups.map { group in
            Group(title: group.title, lanes: group.lanes.map { Self.lane($0, facts) })
        }
        bands = picture.bands.map { Self.lane($0, facts) }
        tally = Dictionary(picture.tally.map { (TimelineLook($0).rawValue, $1) }, uniquingKeysWith: +)
        next = picture.next.map(Mark.init)
        isCut = picture.isCut
        ownersLeftOut = picture.ownersLeftOut
    }

    private static func lane(_ lane: TimelineLane, _ facts: TimelineFacts) -> Lane {
        Lane(
            kind: lane.kind.rawValue,
            title: lane.title,
            others: lane.others,
            rows: lane.rows.map { $0.map { bar($0, facts) } },
            marks: lane.marks.map(Mark.init)
        )
    }

    private static func bar(_ bar: TimelineBar, _ facts: TimelineFacts) -> Bar {
        var attempt: Attempt?
        var work: String?
        switch bar.single?.subject {
        case .attempt(let one):
            attempt = Attempt(
                transfer: one.transfer.rawValue,
                number: one.number,
                file: facts.names[one.transfer].map(TimelineWords.shown),
                host: TimelineWords.host(one.host),
                isUpload: one.isUpload,
                bytes: one.bytes,
                failure: one.failure.map(TimelineWords.failure)
            )
        case .run(let run): work = TimelineWords.shown(run.identifier)
        default: break
        }
        return Bar(
            from: bar.from,
            to: bar.to,
            look: bar.look.rawValue,
            began: bar.began,
            ended: bar.ended,
            count: bar.count,
            tally: Dictionary(bar.tally.map { ($0.rawValue, $1) }, uniquingKeysWith: +),
            attempt: attempt,
            work: work
        )
    }
}
