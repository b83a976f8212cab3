// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// A member with its daemon: it carries out the actions of `MemberLease` and `FleetRow`, and decides nothing.
final class SimulatedFleetMember {
    private let name: Int
    /// The number of the process's run; messages for an earlier run never arrive.
    private var life = 0
    private var stoppedUntil = 0.0
    private var lease = MemberLease()
    private var incarnation = 0
    /// Turns so far, over all runs.
    private var beat = 0
    /// The number of the connection. Questions on one connection arrive in order, possibly after those on the next one.
    private var connection = 0
    private var lastArrival = 0.0
    private var rows: [FleetGrant: FleetRow] = [:]
    private var transfers: [TransferID: SimulatedTransfer] = [:]
    private var memories: [FleetGrant: [UInt8]] = [:]
    private var lastTransfer: Int64 = 0

    init(name: Int) { self.name = name }

    private static let capacity = 5

    private func moment(_ fleet: SimulatedFleet) -> Moment { Fixture.moment(fleet.now, boot: "boot-\(name)") }

    func start(_ fleet: SimulatedFleet) {
        life += 1
        hangUp()
        lease = MemberLease()
        rows = [:]
        transfers = [:]
        memories = [:]
        lead(.connected, fleet)
        tick(fleet)
    }

    /// Does the work while this process runs: not if it was killed, and later if it is stopped.
    private func mine(
        _ seconds: ClosedRange<Double>,
        _ fleet: SimulatedFleet,
        _ work: @escaping (SimulatedFleet) -> Void
    ) {
        let life = self.life
        fleet.later(seconds) { fleet in
            guard life == self.life else { return }
            guard fleet.now >= self.stoppedUntil else {
                self.mine((self.stoppedUntil - fleet.now)...(self.stoppedUntil - fleet.now + 0.01), fleet, work)
                return
            }
            work(fleet)
        }
    }

    private func tick(_ fleet: SimulatedFleet) {
        if fleet.happens(0.01) {
            life += 1
            fleet.later(0.5...20) { self.start($0) }
            return
        }
        if fleet.happens(0.02) { stoppedUntil = fleet.now + Double.random(in: 1...30, using: &fleet.chance) }
        lead(.time, fleet)
        if lease.isConnected, lease.state != .outside, lease.state != .joining { turn(fleet) }
        if !lease.isConnected, !fleet.happens(0.5) { lead(.connected, fleet) }
        mine(1...2, fleet) { self.tick($0) }
    }

    /// Asks the database. The question and the answer may be lost, together with the connection.
    private func ask<Answer>(
        _ fleet: SimulatedFleet,
        _ question: @escaping (inout SimulatedFleetDatabase, Double) -> Answer,
        _ answered: @escaping (Answer, SimulatedFleet) -> Void
    ) {
        guard lease.isConnected else { return }
        let connection = self.connection
        let isLost = fleet.happens(0.03)
        let isAnswerLost = fleet.happens(0.03)
        let way = Double.random(in: fleet.happens(0.05) ? 1...15 : 0.001...0.02, using: &fleet.chance)
        lastArrival = max(fleet.now + way, lastArrival + 0.000_1)
        let left = lastArrival - fleet.now
        // A question on its way arrives even if the asking process is dead, or has given up the connection.
        fleet.later(left...left) { fleet in
            if isLost { return self.mine(1...3, fleet) { self.lose(connection, $0) } }
            let answer = question(&fleet.database, fleet.now)
            self.mine(0.001...0.02, fleet) { fleet in
                if isAnswerLost { return self.lose(connection, fleet) }
                if connection == self.connection { answered(answer, fleet) }
            }
        }
        // No process waits forever.
        if left > 5 { mine(5...5, fleet) { self.lose(connection, $0) } }
    }

    private func hangUp() {
        connection += 1
        lastArrival = 0
    }

    private func lose(_ connection: Int, _ fleet: SimulatedFleet) {
        guard connection == self.connection else { return }
        hangUp()
        lead(.disconnected, fleet)
    }

    private func nextBeat() -> Int {
        beat += 1
        return beat
    }

    private func lead(_ event: MemberLease.Event, _ fleet: SimulatedFleet) {
        for action in lease.handle(event, now: moment(fleet)) {
            switch action {
            case .join: join(fleet)
            case .renew: turn(fleet)
            case .compare: compare(fleet)
            case .halt: each(.halt, fleet)
            case .goOn: each(.goOn, fleet)
            case .dropAll: each(.lost, fleet)
            case .wake(let seconds): mine(seconds...seconds, fleet) { self.lead(.time, $0) }
            }
        }
    }

    private func join(_ fleet: SimulatedFleet) {
        ask(fleet, { [name] in $0.join(name, now: $1) }) { incarnation, fleet in
            self.incarnation = incarnation
            self.lead(.joined(length: fleet.database.leaseLength), fleet)
        }
    }

    private func turn(_ fleet: SimulatedFleet) {
        let asked = moment(fleet)
        let incarnation = self.incarnation
        let more = lease.permitsRequests(at: asked) ? max(0, Self.capacity - rows.count) : 0
        let beat = nextBeat()
        ask(fleet, { [name] in $0.turn(name, incarnation, beat, more: more, now: $1) }) { given, fleet in
            guard incarnation == self.incarnation else { return }
            guard let given else { return self.lead(.refused, fleet) }
            self.lead(.renewed(asked: asked), fleet)
            self.take(given, fleet)
        }
    }

    private func compare(_ fleet: SimulatedFleet) {
        let incarnation = self.incarnation
        let known = Set(rows.keys)
        let beat = nextBeat()
        ask(fleet, { [name] database, _ in database.held(name, incarnation, beat) }) { held, fleet in
            guard incarnation == self.incarnation else { return }
            guard let held else { return self.lead(.refused, fleet) }
            let theirs = Set(held.map(\.0))
            for grant in known.subtracting(theirs).sorted() {
                // Its report may have been accepted: then the answer shows that, and the row is not lost.
                if case .reporting = self.rows[grant]?.state { continue }
                self.handle(grant, .lost, fleet)
            }
            self.take(held, fleet)
            for grant in theirs.sorted() { self.repeatQuestion(grant, fleet) }
        }
    }

    /// Repeats what was asked before the connection broke.
    private func repeatQuestion(_ grant: FleetGrant, _ fleet: SimulatedFleet) {
        switch rows[grant]?.state {
        case .beginning: perform(.begin, for: grant, fleet)
        case .reporting(let end, _): perform(.report(end), for: grant, fleet)
        case .returning(let back, _): perform(.giveBack(back), for: grant, fleet)
        case .running(let id), .halted(let id), .stopping(let id, _): transfers[id]?.askAgain(self, fleet)
        case .granted, .handingOver, .losing, .over, nil: break
        }
    }

    private func take(_ given: [(FleetGrant, Bool, [UInt8]?)], _ fleet: SimulatedFleet) {
        for (grant, isRepeatable, memory) in given where rows[grant] == nil {
            rows[grant] = FleetRow(grant, isRepeatable: isRepeatable)
            memories[grant] = memory
            if !lease.permitsRequests(at: moment(fleet)) { handle(grant, .halt, fleet) }
            handle(grant, .start, fleet)
        }
    }

    private func each(_ event: FleetRowEvent, _ fleet: SimulatedFleet) {
        for grant in rows.keys.sorted() { handle(grant, event, fleet) }
    }

    func handle(_ grant: FleetGrant, _ event: FleetRowEvent, _ fleet: SimulatedFleet) {
        guard var row = rows[grant] else { return }
        let actions = row.handle(event)
        rows[grant] = row
        for action in actions { perform(action, for: grant, fleet) }
    }

    private func perform(_ action: FleetRowAction, for grant: FleetGrant, _ fleet: SimulatedFleet) {
        let incarnation = self.incarnation
        func tell(_ event: FleetRowEvent, _ fleet: SimulatedFleet) { handle(grant, event, fleet) }
        switch action {
        case .begin:
            ask(fleet, { [name] database, _ in database.begin(name, incarnation, grant) }) { tell(.begun($0), $1) }
        case .handOver:
            mine(0.001...0.1, fleet) { self.handOver(grant, $0) }
        case .keep(let number, let bytes, _):
            ask(fleet, { [name] database, _ in database.keep(name, incarnation, grant, bytes) }) {
                tell(.kept(number: number, $0), $1)
            }
        case .confirm(let id, let number): transfers[id]?.confirmed(number, self, fleet)
        case .pause(let id): transfers[id]?.isPaused = true
        case .resume(let id):
            transfers[id]?.isPaused = false
            transfers[id]?.askAgain(self, fleet)
            transfers[id]?.step(self, fleet)
        case .cancel(let id), .letGo(let id):
            transfers[id]?.isPaused = true
            mine(0.001...0.1, fleet) { tell(.stopped(mayHaveArrived: true), $0) }
        case .report(let end):
            ask(fleet, { [name] database, _ in database.finish(name, incarnation, grant, end) }) {
                tell(.reported($0), $1)
            }
        case .giveBack(let back):
            ask(fleet, { [name] in $0.giveBack(name, incarnation, grant, after: back.after, now: $1) }) {
                tell(.returned, $1)
            }
        case .forget(let id): transfers[id] = nil
        case .over:
            rows[grant] = nil
            memories[grant] = nil
        }
    }

    private func handOver(_ grant: FleetGrant, _ fleet: SimulatedFleet) {
        guard !fleet.happens(0.05) else {
            return handle(grant, .notTaken(FleetEnd(.failed, isOfMachine: true)), fleet)
        }
        lastTransfer += 1
        let id = TransferID(rawValue: lastTransfer)
        let isOnce = rows[grant].map { !$0.isRepeatable } ?? true
        transfers[id] = SimulatedTransfer(grant: grant, id: id, isOnce: isOnce, memory: memories[grant])
        handle(grant, .taken(id), fleet)
        transfers[id]?.step(self, fleet)
    }

    /// Sends a request to the server. It arrives even if this process dies or stops in the meantime.
    func request<Answer>(
        _ id: TransferID,
        _ fleet: SimulatedFleet,
        _ effect: @escaping (inout SimulatedUploads) -> Answer,
        _ answered: @escaping (SimulatedTransfer, Answer, SimulatedFleet) -> Void
    ) {
        fleet.later(fleet.happens(0.05) ? 5...40 : 0.05...1) { fleet in
            let answer = effect(&fleet.uploads)
            self.mine(0.01...0.2, fleet) { fleet in
                guard let transfer = self.transfers[id] else { return }
                answered(transfer, answer, fleet)
            }
        }
    }
}
