// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCommands
import OffstageCore

extension FleetWatchCommand: FleetWork {
    /// The number of lines of a terminal that does not report its height.
    private static let usualHeight = 23
    /// Seconds without an answer after which the view reports it.
    private static let longSilence = 5.0

    package func work(_ context: FleetContext) throws -> ExitStatus {
        guard context.output.isDrawable, !context.command.printsJSON else {
            throw UsageError("the view needs a terminal; use 'offstage fleet list --json'")
        }
        let screen = LiveArea(context.output)
        let signals = context.command.catchSignals()
        let keyboard = Keyboard(context.command.keyboard())
        let looks = FleetLooks(try DatabaseAddress(context.place().database))
        var view = FleetView()
        var due = MemberClock.seconds
        while true {
            if looks.askedAt == nil, due <= MemberClock.seconds {
                due = MemberClock.seconds + period
                looks.ask()
            }
            if let answer = looks.takeAnswer() { try view.receive(answer, now: context.command.now()) }
            let silentFrom = looks.askedAt.map { $0 + Self.longSilence }
            if let silentFrom, silentFrom <= MemberClock.seconds { view.notice = FleetView.silence }
            screen.show(lines(of: view, context.output))
            switch wait(signals, keyboard, looks, until: silentFrom ?? due) {
            case .time, .answer: continue
            case .quit:
                screen.clear()
                return .success
            case .signal: return ExitStatus.detached(bySignalOf: signals)
            }
        }
    }

    private func lines(of view: FleetView, _ output: Output) -> [String] {
        let rows = output.rows
        let height = rows > 0 ? max(4, rows - 1) : Self.usualHeight
        return view.lines(width: output.columns, height: height, usesColour: output.usesColour)
    }

    private enum Wake { case time, answer, quit, signal }

    /// Waits for a signal, a key or an answer, or until a time on the boot-time clock; at least one second if that has
    /// passed.
    private func wait(_ signals: Int32, _ keyboard: Keyboard?, _ looks: FleetLooks, until end: Double) -> Wake {
        let late = MemberClock.seconds + 1
        let end = end > MemberClock.seconds ? end : late
        while true {
            let left = end - MemberClock.seconds
            guard left > 0 else { return .time }
            var entries = [
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: keyboard?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: looks.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&entries, 3, Int32(left * 1000) + 1) > 0 else { continue }  // checked: an hour at most
            if entries[0].revents != 0 { return .signal }
            if entries[1].revents != 0, keyboard?.read().contains(UInt8(ascii: "q")) == true { return .quit }
            if entries[2].revents != 0 { return .answer }
        }
    }
}

/// The live view of a fleet: counts, the rate of finished rows, members, and rows under way.
struct FleetView {
    struct Look {
        var counts: [FleetStanding.State: Int64]
        var members: [ListedMember]
        var rows: [ListedRow]
    }

    var notice: String?
    private var look: Look?
    private var at = Date.distantPast
    /// Rows that ended per second since the previous query.
    private var rate: Double?

    /// Shown while the database does not answer.
    static let silence = "The database has not answered yet."

    /// Receives an answer.
    ///
    /// - Throws: `DatabaseError` if retrying is useless, or if the database was never reached.
    mutating func receive(_ answer: Result<Look, DatabaseError>, now: Date) throws(DatabaseError) {
        switch answer {
        case .success(let look): apply(look, now: now)
        case .failure(let error):
            guard error.kind == .connection, look != nil else { throw error }
            notice = "The database went away; connecting again."
        }
    }

    private mutating func apply(_ new: Look, now: Date) {
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
        // The members get at most half of the lines.
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
