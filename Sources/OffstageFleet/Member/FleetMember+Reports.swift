// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The member's reports to the database, and the handling of the answers.
extension FleetMember {
    /// Sends the reports of each kind that has none under way.
    func sendReports() {
        guard database.isConnected, isMember, turns.isSettled, let identity = file.identity, !reports.isEmpty else {
            return
        }
        if let until = reports.pausedUntil {
            guard until <= seconds else { return }
            reports.goOn()
        }
        if let grants = reports.nextBegins() { begin(grants, identity) }
        if let keeps = reports.nextKeeps() { keep(keeps, identity) }
        if let ends = reports.nextEnds() { finish(ends, identity) }
        if let returns = reports.nextReturns() { giveBack(returns, identity) }
    }

    private func begin(_ grants: [FleetGrant], _ identity: MemberIdentity) {
        reports.send(
            .begin,
            "SELECT id FROM offstage.begin_rows($1, $2, $3, $4) AS id",
            [FleetArray.numbers(grants.map(\.row)), FleetArray.numbers(grants.map(\.fence))],
            identity
        ) { [weak self] accepted in
            guard let self else { return }
            if accepted == nil, reports.refused(.begin, rows: grants.count) { return }
            for grant in grants {
                reports.forget(grant)
                handle(grant, .begun(accepted?.contains(grant.row) ?? false))
                // Only this member knows that the row was not begun.
                if accepted == nil { reports.giveBack(grant, MemberReports.unspeakable(grant)) }
            }
        }
    }

    private func keep(_ keeps: [(Int, MemberReports.Keep)], _ identity: MemberIdentity) {
        var sealed: [(number: Int, grant: FleetGrant, done: Int64, body: String?)] = []
        for (number, keep) in keeps {
            guard let held = table.rows[keep.grant], held.row.transfer == keep.transfer else {
                answer(number, isKept: false)
                continue
            }
            do throws(SealError) {
                let body = try keep.memory.map { (memory) throws(SealError) in try seals.seal(memory, of: held) }
                sealed.append((number, keep.grant, keep.done, body.map(FleetBytes.text)))
            } catch {
                log(error.sentence)
                answer(number, isKept: false)
            }
        }
        guard !sealed.isEmpty, let beat = file.beat(log) else { return }
        let life = orders.life
        reports.send(
            .keep,
            "SELECT id FROM offstage.keep($1, $2, $3, $4, $5, $6, $7) AS id",
            [
                beat, FleetArray.numbers(sealed.map(\.grant.row)), FleetArray.numbers(sealed.map(\.grant.fence)),
                FleetArray.numbers(sealed.map(\.done)), FleetArray.texts(sealed.map(\.body)),
            ],
            identity
        ) { [weak self] accepted in
            guard let self, life == orders.life else { return }
            if accepted == nil {
                if reports.refused(.keep, rows: sealed.count) { return }
                for one in sealed {
                    let note = MemberReports.unspeakable(one.grant).note
                    answer(one.number, isKept: false)
                    handle(one.grant, .unkeepable(number: one.number, note: note))
                }
                return
            }
            for one in sealed { kept(one.number, one.grant, accepted?.contains(one.grant.row) ?? false) }
        }
    }

    private func kept(_ number: Int, _ grant: FleetGrant, _ isAccepted: Bool) {
        // The request may no longer exist.
        guard reports.removeKeep(number) != nil else { return }
        let before = orders.answersGiven
        handle(grant, .kept(number: number, isAccepted))
        // However the row handles it, the daemon gets an answer.
        if orders.answersGiven == before { orders.answer(number, isKept: false) }
    }

    private func answer(_ number: Int, isKept: Bool) {
        guard reports.removeKeep(number) != nil else { return }
        orders.answer(number, isKept: isKept)
    }

    private func finish(_ ends: [(FleetGrant, FleetEnd)], _ identity: MemberIdentity) {
        reports.send(
            .finish,
            "SELECT id FROM offstage.finish($1, $2, $3, $4, $5, $6, $7, $8, $9) AS id",
            ReportValues.ends(ends) { table.rows[$0]?.receipt },
            identity
        ) { [weak self] accepted in
            guard let self else { return }
            guard let accepted else { return unsaid(ends) }
            for (grant, end) in ends {
                reports.forget(grant)
                let isAccepted = accepted.contains(grant.row)
                if !isAccepted { log("The end of row \(grant.row) (\(end.result)) was not taken: it is another's.") }
                handle(grant, .reported(isAccepted))
            }
        }
    }

    /// Handles ends whose details the database refused. The end itself must be recorded, so it is reported again
    /// without the details for people.
    private func unsaid(_ ends: [(FleetGrant, FleetEnd)]) {
        guard !reports.refused(.finish, rows: ends.count) else { return }
        for (grant, end) in ends {
            _ = table.change(grant) { $0.forgetReceipt() }
            let plain = FleetEnd(end.result, bytesSent: end.bytesSent)
            if plain == end { reports.wait(seconds) }
            reports.finish(grant, plain)
        }
    }

    private func giveBack(_ returns: [(FleetGrant, FleetRow.Return)], _ identity: MemberIdentity) {
        reports.send(
            .giveBack,
            "SELECT id FROM offstage.give_back($1, $2, $3, $4, $5, $6) AS id",
            ReportValues.returns(returns),
            identity
        ) { [weak self] accepted in
            guard let self else { return }
            if accepted == nil {
                guard !reports.refused(.giveBack, rows: returns.count) else { return }
                for (grant, back) in returns {
                    let plain = MemberReports.unspeakable(grant)
                    if plain == back { reports.wait(seconds) }
                    reports.giveBack(grant, plain)
                }
                return
            }
            for (grant, _) in returns {
                reports.forget(grant)
                handle(grant, .returned)
            }
        }
    }
}
