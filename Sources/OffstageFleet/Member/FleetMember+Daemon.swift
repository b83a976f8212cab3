// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Events from the daemon, and orders to it.
extension FleetMember {
    func handle(_ event: MemberDaemon.Event) {
        switch event {
        case .prepared(let transfers):
            turns.daemonTrouble = nil
            log("Connected to the daemon, which has \(transfers.count) transfers of the fleet on record.")
            prepared(transfers)
        case .disconnected(let error):
            orders.lostDaemon()
            reports.forgetKeeps()
            table.lostDaemon()
            if turns.daemonTrouble != error.description { log("The daemon cannot be reached: \(error)") }
            turns.daemonTrouble = error.description
        case .keep(let memory): keep(memory)
        case .finished(let transfer): finished(transfer)
        case .removed(let id): gone(id)
        }
    }

    // MARK: - The daemon is there

    private func prepared(_ transfers: [TransferRow]) {
        table.found(transfers)
        for (grant, held) in table.rows.sorted(by: { $0.key < $1.key }) { compare(grant, held) }
        if turns.isSettled { settle() }
        lead(.time)
        if !lease.permitsRequests(at: clock.now()) {
            orders.add(.pause, table.known.values.filter { $0.kind != .finished }.map(\.id))
        }
        turns.rules.apply(daemon, settings.fleet, log)
        mirror.daemonCame()
    }

    /// Compares a row with the daemon's record. Orders from before the connection was lost are repeated.
    private func compare(_ grant: FleetGrant, _ held: HeldRow) {
        guard let id = held.row.transfer else {
            switch held.row.state {
            case .handingOver: orders.handOver(grant)
            // It was given up before the daemon answered.
            case .losing: letGoUnsent(grant)
            default: break
            }
            return
        }
        guard let transfer = table.takeKnown(grant), transfer.id == id else {
            // Its end is already being reported, or it is gone.
            switch held.row.state {
            case .reporting, .returning: return
            default: return vanished(grant)
            }
        }
        if transfer.kind == .finished { return finished(transfer) }
        if let verb = held.reminder(isPaused: transfer.kind == .paused) { orders.add(verb, [id]) }
    }

    /// Handles a transfer that is no longer on record, so its outcome is unknown.
    private func vanished(_ grant: FleetGrant) {
        let detail = "the daemon has forgotten the transfer, and nobody knows how it ended"
        handle(grant, .ended(FleetEnd(.unknown, detail: detail, isOfMachine: true)))
    }

    /// Releases transfers that belong to no row.
    func releaseStrangers() {
        guard turns.isSettled, daemon.isPrepared else { return }
        orders.add(.release, table.takeStrangers())
    }

    // MARK: - While transfers run

    private func keep(_ memory: MemoryToKeep) {
        guard let grant = FleetGrant(row: memory.keeper.row, fence: memory.keeper.fence),
            memory.keeper.fleet == settings.fleet, table.rows[grant] != nil
        else {
            // It is an earlier process's, and waits until it is known whether the row is still this member's.
            guard turns.isSettled else { return orders.waiting.append(memory) }
            orders.answer(memory.number, isKept: false)
            table.addStranger(memory.id)
            return releaseStrangers()
        }
        switch table.rows[grant]?.row.state {
        // It was an earlier process's, and is adopted soon.
        case .granted, .beginning: return orders.waiting.append(memory)
        // The answer to the hand-over may still be on its way.
        case .handingOver: handle(grant, .taken(memory.id))
        default: break
        }
        let isHeld = table.rows[grant]?.row.transfer == memory.id
        handle(grant, .memory(number: memory.number, memory.memory?.bytes, done: memory.bytesDone))
        if !isHeld || reports.keeps[memory.number] == nil { orders.answer(memory.number, isKept: false) }
    }

    /// Keeps the memories that waited until the member's rows were known.
    func keepWaiting() {
        guard turns.isSettled, !orders.waiting.isEmpty else { return }
        let waiting = orders.waiting
        orders.waiting = []
        for memory in waiting { keep(memory) }
    }

    private func finished(_ transfer: TransferRow) {
        if table.removeStranger(transfer.id) { return orders.add(.forget, [transfer.id]) }
        guard let grant = table.grant(of: transfer.id) else {
            if transfer.keeper != nil { return table.addEarly(transfer) }
            return mirror.finished(transfer.id)
        }
        switch transfer.reason.cause {
        case .released where transfer.attempts == 0: handle(grant, .stopped(mayHaveArrived: false))
        default: orders.ask(aboutEnded: transfer.id)
        }
    }

    // MARK: - Orders

    /// Sends the pending orders to the daemon.
    func giveOrders() {
        guard daemon.isPrepared else { return }
        keepWaiting()
        while let answers = orders.takeAnswers() {
            daemon.ask(answers) { [weak self] result in
                if case .failure(let error) = result { self?.log("The daemon did not take an answer: \(error)") }
            }
        }
        while let act = orders.takeAct() { order(act) }
        orders.heed(seconds)
        while let ids = orders.takeEnded() { learn(ids, areEnded: true) }
        while let ids = orders.takeDoubtful() { learn(ids, areEnded: false) }
        handOverNext()
        mirror.turn()
    }

    private func order(_ act: ActOnTransfers) {
        // A release takes as long as the current request.
        daemon.ask(act, isPatient: act.verb == .release) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let reply):
                // It has ended or is gone. A question will tell which.
                guard act.verb != .forget else { return }
                orders.ask(about: reply.refused.map(\.id))
            case .failure(let error):
                if error.code != .connectionLost { log("The daemon did not \(act.verb.rawValue) transfers: \(error)") }
            }
        }
    }

    /// Requests the details of transfers that have ended, or that may have ended unobserved.
    private func learn(_ ids: [TransferID], areEnded: Bool) {
        daemon.learn(ids) { [weak self] news in
            guard let self else { return }
            switch news {
            case .known(let detail):
                if areEnded { ended(detail) } else if detail.row.kind == .finished { finished(detail.row) }
            case .gone(let id): gone(id)
            case .notNow(let ids, let error):
                log("The daemon does not tell of a transfer: \(error)")
                orders.askLater(about: ids, areEnded: areEnded, now: seconds)
            }
        }
    }

    private func gone(_ id: TransferID) {
        guard !table.removeStranger(id), let grant = table.grant(of: id) else { return }
        vanished(grant)
    }

    private func ended(_ detail: TransferDetail) {
        guard let grant = table.grant(of: detail.row.id) else { return }
        if detail.row.reason.cause == .released {
            return handle(grant, .stopped(mayHaveArrived: detail.mayHaveArrived))
        }
        guard let end = FleetEnd(detail) else { return }
        _ = table.change(grant) { $0.record(detail.receipt) }
        handle(grant, .ended(end))
    }
}
