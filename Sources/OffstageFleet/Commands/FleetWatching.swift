// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCommands
import OffstageCore

extension FleetWatchCommand: FleetWork {
    /// Rows under way that are asked for.
    private static let mostRows = 200
    /// Lines of a terminal that does not say how many it has.
    private static let usualHeight = 23

    package func work(_ desk: FleetDesk) throws -> ExitStatus {
        guard desk.output.isDrawable, !desk.context.printsJSON else {
            throw UsageError("the view needs a terminal; use 'offstage fleet list --json'")
        }
        let screen = LiveArea(desk.output)
        let signals = desk.context.catchSignals()
        let keyboard = Keyboard(desk.context.keyboard())
        var database: DatabaseClient? = try desk.open()
        var view = FleetView()
        while true {
            do throws(DatabaseError) {
                if let database { view.take(try Self.look(database), now: desk.context.now()) }
            } catch {
                guard error.kind == .connection else { throw error }
                database = nil
            }
            if database == nil {
                view.notice = "The database went away; connecting again."
                do { database = try desk.open() } catch let error as DatabaseError where error.kind == .connection {}
            }
            let rows = desk.output.rows
            let height = rows > 0 ? max(4, rows - 1) : Self.usualHeight
            screen.show(view.lines(width: desk.output.columns, height: height, usesColour: desk.output.usesColour))
            switch wait(signals, keyboard) {
            case .time: continue
            case .quit:
                screen.clear()
                return .success
            case .signal: return ExitStatus.detached(bySignalOf: signals)
            }
        }
    }

    private static func look(_ database: DatabaseClient) throws(DatabaseError) -> FleetView.Look {
        FleetView.Look(
            counts: try database.totals(),
            members: try ListedMember.all(database),
            rows: try database.rows(before: nil, states: [.leased], most: mostRows)
        )
    }

    private enum Wake { case time, quit, signal }

    private func wait(_ signals: Int32, _ keyboard: Keyboard?) -> Wake {
        let end = MemberClock.seconds + period
        while true {
            let left = end - MemberClock.seconds
            guard left > 0 else { return .time }
            var entries = [
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: keyboard?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&entries, 2, Int32(left * 1000) + 1) > 0 else { continue }  // checked: an hour at most
            if entries[0].revents != 0 { return .signal }
            if entries[1].revents != 0, keyboard?.read().contains(UInt8(ascii: "q")) == true { return .quit }
        }
    }
}

/// The live view of a fleet: counts with what ends in a second, members, rows under way.
struct FleetView {
    struct Look {
        var counts: [FleetStanding.State: Int64]
        var members: [ListedMember]
        var rows: [ListedRow]
    }

    var notice: String?
    private var look: Look?
    private var at = Date.distantPast
    /// Rows that ended in a second, since the look before.
    private var rate: Double?

    mutating func take(_ new: Look, now: Date) {
        notice = nil
        if let look {
            let ended = Self.ended(new.counts) - Self.ended(look.counts)  // checked: of type Double
            let seconds = now.timeIntervalSince(at)
            rate = seconds > 0.1 ? max(0, ended / seconds) : rate
        }
        look = new
        at = now
    }

    private static func ended(_ counts: [FleetStanding.State: Int64]) -> Double {
        counts.filter(\.key.isEnd).values.reduce(0) { $0 + Double($1) }
    }

    func lines(width: Int, height: Int, usesColour: Bool) -> [String] {
        guard let look else { return [notice ?? "Asking the database."] }
        var head = FleetCount.sentence(look.counts)
        if let rate { head += ", \(Format.seconds(rate).dropLast(2)) ended a second" }
        var lines = [DisplayWidth.truncated(head, to: width - 1)]
        let members = look.members.filter { $0.state != "left" }
        // The members get no more than half of the lines.
        let table = ListedMember.table(members, now: at).lines(width: width - 1, usesColour: usesColour)
        lines += table.prefix(max(2, height / 2))
        if table.count > max(2, height / 2) { lines.append("… \(members.count) members") }
        let room = height - lines.count - 2
        if !look.rows.isEmpty, room > 1 {
            lines.append("")
            lines += ListedRow.table(look.rows).lines(width: width - 1, usesColour: usesColour).prefix(room)
        }
        if let notice { lines[lines.count - 1] = notice }
        return lines
    }
}
