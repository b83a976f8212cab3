// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// Turns: the single question that renews the lease, takes rows and receives requested actions.
extension FleetMember {
    /// The number of rows to ask for.
    private var appetite: Int {
        guard !settings.isDevice, turns.standing == 0, turns.isSettled, daemon.isPrepared, table.strangers.isEmpty,
            orders.storageAnswers
        else { return 0 }
        return FleetPace.appetite(
            capacity: settings.rows,
            held: table.count,
            average: pace.average,
            period: lease.renewalPeriod
        )
    }

    /// When the next turn is due, in seconds on the boot-time clock; nil if none can be taken.
    var nextTurn: Double? {
        guard database.isConnected, isMember, !turns.isTurning, !isAbandoned else { return nil }
        return turns.next(hasRoom: appetite > 0, holds: !table.isEmpty, pace, renewal: lease.renewalPeriod)
    }

    /// Seconds until the next turn, after one that failed because of the database or this machine's disk.
    private static let pauseAfterFailure = 1.0

    /// Whether the daemon was missing so long that the lease is not renewed, which leaves the rows to other members.
    private var isAbandoned: Bool {
        guard !table.isEmpty, let since = daemon.missingSince else { return false }
        return seconds - since > lease.length  // checked: floating point
    }

    func runTurn() {
        turns.isAsked = false
        turns.last = seconds
        guard let beat = file.beat(log), let identity = file.identity else {
            turns.pausedUntil = seconds + Self.pauseAfterFailure  // checked: floating point
            return
        }
        let (more, asked, incarnation) = (appetite, clock.now(), identity.incarnation)
        turns.isTurning = true
        turns.wasFull = more == 0
        turns.jitter = Double.random(in: 0...1)
        database.ask(
            "SELECT * FROM offstage.turn($1, $2, $3, $4, $5, $6, $7)",
            [
                "\(identity.member)", "\(incarnation)", beat, "\(identity.leaseLength)", "\(table.count)",
                "\(more)", "\(turns.rules.seen)",
            ]
        ) { [weak self] result in
            guard let self, incarnation == file.identity?.incarnation else { return }
            turns.isTurning = false
            switch result {
            case .failure(let error):
                turns.isAsked = true
                // checked: floating point
                if error.kind != .connection { turns.pausedUntil = seconds + Self.pauseAfterFailure }
                refused(error)
            case .success(let records): turned(records, asked: asked, more: more)
            }
        }
    }

    /// Handles a refusal by the database, for any question.
    func refused(_ error: DatabaseError) {
        switch error.kind {
        case .fenced: fenced()
        case .connection, .contention: break
        case .address, .another, .version, .rights, .trouble, .refused:
            // Log each problem once, not once per try.
            if turns.refusal != error.description { log("The database refuses: \(error).") }
            turns.refusal = error.description
        }
    }

    private func turned(_ records: [FleetRecord], asked: Moment, more: Int) {
        if reports.pausedUntil == nil { turns.refusal = nil }
        lead(.renewed(asked: asked))
        let kinds = Dictionary(grouping: records) { $0.raw("kind") ?? "" }
        let standing = kinds["3"]?.first
        turns.standing = standing?.number("id", Counts.self) ?? 0
        if turns.standing != 1 { turns.isDrainReported = false }
        let isHeldBack = standing?.raw("wanted") == "1"
        let rows = (kinds["0"] ?? []).compactMap { HeldRow($0, now: seconds) }
        pace.looked(given: rows.count, asked: more, isHeldBack: isHeldBack)
        for row in rows where table.rows[row.grant] == nil { begin(row) }
        for record in kinds["1"] ?? [] {
            guard let grant = FleetGrant(row: record.raw("id"), fence: record.raw("fence")),
                let wish = FleetWish(column: record.raw("wanted"))
            else { continue }
            // A row that the member no longer has, because its start was refused, is given back. But as long as the
            // member's rows are not known, an earlier process may have handed it to the daemon.
            if table.rows[grant] == nil, turns.isSettled { reports.giveBack(grant, wish.back) }
            handle(grant, .want(wish))
        }
        file.record(table.isEmpty ? nil : lease.deadline)
        let rules = kinds["2"] ?? []
        if !rules.isEmpty || !turns.rules.areKnown { turns.rules.update(rules, daemon, settings.fleet, log) }
        reportDrained()
        mirror.showConditions()
    }

    /// Starts a row.
    private func begin(_ row: HeldRow) {
        table.add(row)
        turns.isDrainReported = false
        if !lease.permitsRequests(at: clock.now()) {
            // While there was no row, the lease's expiry was not checked.
            lead(.time)
            handle(row.grant, .halt)
        }
        handle(row.grant, .start)
    }

    /// Reports immediately, without waiting for the next turn, that a draining member has nothing left.
    func reportDrained() {
        guard turns.mayReportDrained, table.isEmpty, reports.isEmpty, database.isConnected, isMember,
            let identity = file.identity
        else { return }
        turns.isDrainReported = true
        database.ask("SELECT offstage.drained($1, $2)", ["\(identity.member)", "\(identity.incarnation)"]) {
            [weak self] result in
            // An answer to an earlier incarnation does not apply to this one.
            guard let self, identity.incarnation == file.identity?.incarnation else { return }
            switch result {
            case .success: log("Drained: nothing is left.")
            case .failure(let error):
                turns.isDrainReported = false
                refused(error)
            }
        }
    }

    // MARK: - Comparing

    /// Asks which rows the member holds, as an answer may have been lost, or an earlier process may have held some.
    func compare() {
        guard let identity = file.identity else { return }
        guard let beat = file.beat(log) else {
            return database.startAnew(DatabaseError(.connection, "this machine's disk takes nothing"))
        }
        HeldInquiry(database, identity).run(beat: beat, known: Set(table.rows.keys)) { [weak self] result in
            guard let self, identity.incarnation == file.identity?.incarnation else { return }
            switch result {
            case .failure(let error):
                refused(error)
                // Nothing can proceed until the member's rows are known, so it asks again on another connection.
                if error.kind != .connection, error.kind != .fenced { database.startAnew(error) }
            case .success(let held): compared(held)
            }
        }
    }

    private func compared(_ found: HeldInquiry.Found) {
        for grant in found.lost {
            switch table.rows[grant]?.row.state {
            // These reports may have been stored. Repeating them will tell.
            case .reporting, .returning: break
            default: handle(grant, .lost)
            }
        }
        for row in found.rows where table.rows[row.grant] == nil { begin(row) }
        settle()
    }
}
