// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCommands
import OffstageCore

/// A member, as shown to people.
struct ListedMember: Encodable {
    let name: String
    /// `active`, `draining`, `drained` or `left`.
    let state: String
    /// Whether it has stopped renewing its lease.
    let isSilent: Bool
    let isDevice: Bool
    let version: String
    let `protocol`: Int
    let joinedAt: Date?
    let seenAt: Date?
    let held: Int
    /// The number of rows that it would take in addition to its current ones.
    let room: Int
    let labels: [String]
    /// The conditions of a device that reports them; otherwise left out.
    let network: String?
    let power: String?
    let waiting: Int?
    let running: Int?

    init?(_ record: FleetRecord) {
        guard let name = record.text("name", longest: 63),
            let standing = record.number("state", Counts.self).flatMap(FleetStanding.Crowd.Standing.init(rawValue:))
        else { return nil }
        self.name = name.description
        switch standing {
        case .active: state = "active"
        case .draining: state = "draining"
        case .drained: state = "drained"
        case .left: state = "left"
        }
        isSilent = record.flag("is_silent") ?? true
        isDevice = record.number("kind", Counts.self) == 1
        version = record.text("version", longest: 100)?.description ?? ""
        `protocol` = record.number("protocol", Counts.self) ?? 0
        joinedAt = record.date("joined_at")
        seenAt = record.date("seen_at")
        held = record.number("held", Counts.self) ?? 0
        room = record.number("room", Counts.self) ?? 0
        labels = record.labels("labels", most: FleetLabels.mostOfMember)?.texts ?? []
        network = record.text("network", longest: 32)?.description
        power = record.text("power", longest: 32)?.description
        waiting = record.number("waiting", Counts.self)
        running = record.number("running", Counts.self)
    }

    static func all(_ database: DatabaseClient) throws(DatabaseError) -> [ListedMember] {
        try database.ask(
            """
            SELECT name, labels, kind, state, protocol, version, extract(epoch FROM joined_at) AS joined_at, \
            extract(epoch FROM seen_at) AS seen_at, is_silent, held, room, network, power, waiting, running \
            FROM offstage.member_state ORDER BY name
            """
        ).compactMap(ListedMember.init)
    }

    private var stateCell: TextTable.Cell {
        switch state {
        case "active" where !isSilent: .init(isDevice ? "device" : "active", .good)
        // It may have ended normally, or may hold rows that no other member gets until its lease expires.
        case "active", "draining": isSilent ? .init("silent", .bad) : .init(state, .caution)
        default: .init(state, .faint)
        }
    }

    static func table(_ members: [ListedMember], now: Date) -> TextTable {
        var table = TextTable([
            .init("MEMBER"), .init("STATE"), .init("SEEN", isRightAligned: true), .init("ROWS", isRightAligned: true),
            .init("ROOM", isRightAligned: true), .init("VERSION"), .init("LABELS", isFlexible: true),
        ])
        table.rows = members.map { member in
            let seen = member.seenAt.map { Format.duration(now.timeIntervalSince($0)) + " ago" } ?? ""
            let labels = member.labels.filter { $0 != "member=\(member.name)" }.joined(separator: ", ")
            return [
                .init(member.name), member.stateCell, .init(seen), .init("\(member.held)"), .init("\(member.room)"),
                .init(member.version), .init(labels),
            ]
        }
        return table
    }
}

extension FleetMembersCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let members = try ListedMember.all(context.open()).filter { showsLeft || $0.state != "left" }
        if context.command.printsJSON {
            context.output.print(try JSONText.of(["members": members]))
        } else if isQuiet {
            context.output.write(members.map { "\($0.name)\n" }.joined())
        } else if members.isEmpty {
            context.output.print("The fleet has no members; 'offstage fleet join --help' says how to become one.")
        } else {
            context.print(ListedMember.table(members, now: context.command.now()))
        }
        return .success
    }
}
