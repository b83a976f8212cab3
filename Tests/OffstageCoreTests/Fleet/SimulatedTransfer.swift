// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A transfer at a member's daemon. Its dialect has its memory kept before each request that depends on it.
final class SimulatedTransfer {
    private enum Stage: Equatable { case begin, look, fill, commit, over }

    let grant: FleetGrant
    let id: TransferID
    private let isOnce: Bool
    var isPaused = false
    private var session: Int?
    private var isCommitting = false
    private var stage: Stage
    private var chunk = 0
    /// Whether a request is under way, or a memory is being kept.
    private var isWaiting = false
    private var asked: Int?
    private var number = 0

    init(grant: FleetGrant, id: TransferID, isOnce: Bool, memory: [UInt8]?) {
        self.grant = grant
        self.id = id
        self.isOnce = isOnce
        let words = memory.map { String(decoding: $0, as: UTF8.self).split(separator: " ") } ?? []
        session = words.first.flatMap { Int($0) }
        isCommitting = words.count > 1
        stage = session == nil ? .begin : .look
    }

    private var memory: [UInt8] { Array("\(session ?? 0)\(isCommitting ? " committing" : "")".utf8) }

    private func keep(_ member: SimulatedFleetMember, _ fleet: SimulatedFleet) {
        number += 1
        asked = number
        isWaiting = true
        member.handle(grant, .memory(number: number, memory, done: 0), fleet)
    }

    /// Asks again, because a question to the database may have been lost.
    func askAgain(_ member: SimulatedFleetMember, _ fleet: SimulatedFleet) {
        if let asked { member.handle(grant, .memory(number: asked, memory, done: 0), fleet) }
    }

    func confirmed(_ number: Int, _ member: SimulatedFleetMember, _ fleet: SimulatedFleet) {
        guard asked == number else { return }
        asked = nil
        isWaiting = false
        step(member, fleet)
    }

    func step(_ member: SimulatedFleetMember, _ fleet: SimulatedFleet) {
        guard !isPaused, !isWaiting, stage != .over else { return }
        let (row, session, chunk) = (grant.row, self.session ?? 0, self.chunk)
        func next(_ change: @escaping (SimulatedTransfer) -> Void) -> (SimulatedTransfer, SimulatedFleet) -> Void {
            { transfer, fleet in
                transfer.isWaiting = false
                change(transfer)
                transfer.step(member, fleet)
            }
        }
        isWaiting = true
        if isOnce { return post(member, fleet) }
        switch stage {
        case .begin:
            member.request(id, fleet, { $0.makeSession(row) }) { transfer, made, fleet in
                transfer.session = made
                transfer.stage = .fill
                transfer.keep(member, fleet)
            }
        case .look:
            member.request(id, fleet, { ($0.offset(session), $0.isCommitted(session)) }) { transfer, answer, fleet in
                transfer.chunk = answer.0
                transfer.stage = .fill
                if answer.1 { return transfer.end(member, fleet) }
                next { _ in }(transfer, fleet)
            }
        case .fill where chunk < SimulatedUploads.size:
            member.request(id, fleet, { $0.send(session, chunk: chunk) }) { transfer, _, fleet in
                next { $0.chunk = chunk + 1 }(transfer, fleet)
            }
        case .fill:
            isCommitting = true
            stage = .commit
            keep(member, fleet)
        case .commit:
            member.request(id, fleet, { $0.commit(session) }) { transfer, isThere, fleet in
                if isThere { return transfer.end(member, fleet) }
                next { $0.stage = .look }(transfer, fleet)
            }
        case .over: break
        }
    }

    private func post(_ member: SimulatedFleetMember, _ fleet: SimulatedFleet) {
        let row = grant.row
        member.request(id, fleet, { $0.post(row) }) { transfer, _, fleet in transfer.end(member, fleet) }
    }

    private func end(_ member: SimulatedFleetMember, _ fleet: SimulatedFleet) {
        stage = .over
        member.handle(grant, .ended(FleetEnd(.done, status: 200)), fleet)
    }
}
