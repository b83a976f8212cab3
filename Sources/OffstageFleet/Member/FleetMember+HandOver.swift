// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Turns rows into transfers.
extension FleetMember {
    /// The most rows that are handed over together.
    private static let mostTogether = 100
    /// Seconds until the next try if the daemon has no room or no disk space.
    private static let handOverPause = 1.0

    /// Whether rows may be handed over: the member's rows are known, and the daemon has no transfers of other rows.
    var canHandOver: Bool { turns.isSettled && table.strangers.isEmpty }

    /// Hands over waiting rows.
    func handOverNext() {
        guard canHandOver, !orders.isHandingOver, !orders.handOvers.isEmpty, seconds >= orders.nextHandOver else {
            return
        }
        orders.nextHandOver = 0
        var specs: [(FleetGrant, TransferSpec)] = []
        // A transfer of the same row under an earlier lease must be released first.
        let losing = Set(table.rows.values.filter(\.isLosing).map(\.grant.row))
        for grant in orders.takeHandOvers(Self.mostTogether) {
            if let held = table.rows[grant], held.isLosing, held.row.transfer == nil {
                // It was lost before it was handed over.
                letGoUnsent(grant)
                continue
            }
            guard !losing.contains(grant.row) else {
                orders.handOver(grant)
                continue
            }
            if let spec = specification(of: grant) { specs.append((grant, spec)) }
        }
        guard !specs.isEmpty else { return }
        orders.isHandingOver = true
        let (settings, asked) = (settings, specs)
        orders.storageAskedAt = seconds
        // Checking files may take as long as their server takes to respond.
        threads.run({ SharedFiles(settings).look(at: asked) }) { [weak self] found in
            guard let self else { return }
            orders.storageAskedAt = nil
            orders.isHandingOver = false
            guard let found else { return asked.forEach { orders.handOver($0.0) } }
            submit(found)
        }
    }

    /// Handles a lost row that was not handed over, at least not on this connection.
    func letGoUnsent(_ grant: FleetGrant) {
        guard let transfer = table.takeKnown(grant) else {
            return handle(grant, .notTaken(FleetEnd(.failed, isOfMachine: true)))
        }
        handle(grant, .taken(transfer.id))
    }

    /// The row's validated specification; nil if there is nothing to hand over.
    private func specification(of grant: FleetGrant) -> TransferSpec? {
        guard let held = table.rows[grant], held.row.state == .handingOver else { return nil }
        if let transfer = table.takeKnown(grant) {
            handle(grant, .taken(transfer.id))
            if transfer.kind == .finished { handle(.finished(transfer)) }
            if transfer.kind == .paused, case .running = table.rows[grant]?.row.state {
                orders.add(.resume, [transfer.id])
            }
            return nil
        }
        guard held.row.isRepeatable || !held.wasHandedOver else {
            let detail = "it may have been sent before, and the daemon has no record of it"
            handle(grant, .notTaken(FleetEnd(.unknown, detail: detail)))
            return nil
        }
        do {
            return try RowSpecification(settings).transfer(of: held, seals)
        } catch {
            handle(grant, .notTaken(RowSpecification.refusal(error)))
            return nil
        }
    }

    private func submit(_ found: [SharedFiles.Found]) {
        var specs: [(FleetGrant, TransferSpec)] = []
        for one in found {
            switch one.result {
            case .success(let spec):
                // It may have been lost meanwhile.
                guard table.rows[one.grant]?.row.state == .handingOver else {
                    handle(one.grant, .notTaken(FleetEnd(.failed, isOfMachine: true)))
                    continue
                }
                specs.append((one.grant, spec))
            case .failure(let refusal): handle(one.grant, .notTaken(refusal.end))
            }
        }
        send(specs[...])
    }

    private func send(_ specs: ArraySlice<(FleetGrant, TransferSpec)>) {
        guard !specs.isEmpty else { return }
        let grants = specs.map(\.0)
        // A row that was handed over before may have ended.
        let doubtful = Set(grants.filter { table.rows[$0]?.wasHandedOver == true })
        for grant in grants { _ = table.change(grant) { $0.wasHandedOver = true } }
        orders.isHandingOver = true
        daemon.ask(SubmitTransfers(specs: specs.map(\.1))) { [weak self] result in
            guard let self else { return }
            orders.isHandingOver = false
            switch result {
            case .success(let reply):
                guard reply.ids.count == grants.count else {
                    let trouble = OffstageError(.internalError, "its answer to a hand-over makes no sense")
                    return refused(specs, trouble, doubtful: doubtful)
                }
                taken(grants, reply.ids, doubtful: doubtful)
            case .failure(let error): refused(specs, error, doubtful: doubtful)
            }
        }
    }

    /// - Parameters:
    ///   - specs: the specifications that were handed over.
    ///   - error: why the daemon did not accept them, as far as is known.
    ///   - doubtful: rows that the daemon may already have had.
    private func refused(
        _ specs: ArraySlice<(FleetGrant, TransferSpec)>,
        _ error: OffstageError,
        doubtful: Set<FleetGrant>
    ) {
        if error.saysThatNothingWasTaken {
            for (grant, _) in specs where !doubtful.contains(grant) {
                _ = table.change(grant) { $0.wasHandedOver = false }
            }
        }
        switch error.code {
        case .badRequest where specs.count > 1:
            // One of them was refused, or the request is too long.
            let half = specs.startIndex + specs.count / 2  // checked: indices of this slice
            send(specs[..<half])
            send(specs[half...])
        case .badRequest:
            let end = FleetEnd(.failed, detail: FleetText(error.description, longest: 1000).description)
            for (grant, _) in specs { handle(grant, .notTaken(end)) }
        default:
            // It is full, has no disk space, or is gone. The request is repeated with the same keys.
            if error.code != .connectionLost { log("The daemon takes no transfers: \(error)") }
            orders.nextHandOver = seconds + Self.handOverPause
            for (grant, _) in specs {
                let isLost = table.rows[grant]?.row.state != .handingOver
                if isLost {
                    handle(grant, .notTaken(FleetEnd(.failed, isOfMachine: true)))
                } else {
                    orders.handOver(grant)
                }
            }
        }
    }

    private func taken(_ grants: [FleetGrant], _ ids: [TransferID], doubtful: Set<FleetGrant>) {
        for (grant, id) in zip(grants, ids) {
            guard table.rows[grant] != nil else {
                table.addStranger(id)
                continue
            }
            handle(grant, .taken(id))
            if doubtful.contains(grant) { orders.ask(about: [id]) }
        }
        for row in table.takeEarly(of: Set(ids)) { handle(.finished(row)) }
        releaseStrangers()
    }
}

extension OffstageError {
    /// Whether the daemon answered that it accepted nothing.
    fileprivate var saysThatNothingWasTaken: Bool {
        switch code {
        case .connectionLost, .timedOut, .internalError: false
        default: true
        }
    }
}
