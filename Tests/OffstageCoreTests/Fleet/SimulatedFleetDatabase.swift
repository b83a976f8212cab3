// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The fleet's database as a value, with the rules of the functions in
/// `Sources/COffstageFleet/migrations/0004-lease.sql`. Things that must never happen are recorded in `mistakes`.
struct SimulatedFleetDatabase {
    struct Row {
        enum State: Equatable { case waiting, leased, later(Double), ended(FleetEnd.Result) }
        var state = State.waiting
        var fence: Int32 = 0
        var isRepeatable: Bool
        var isBegun = false
        var member: Int?
        var incarnation = 0
        var memory: [UInt8]?
        var memoryFence: Int32 = 0
    }

    struct Member {
        var incarnation = 1
        var aliveUntil = 0.0
        /// The number of its latest turn.
        var beat = 0
    }

    private struct Holder: Equatable { var member: Int, incarnation: Int }
    private struct Lease: Hashable { var row: Int64, fence: Int32 }

    let leaseLength: Double
    private(set) var rows: [Int64: Row] = [:]
    private(set) var members: [Int: Member] = [:]
    private var holders: [Lease: Holder] = [:]
    private(set) var mistakes: [String] = []
    /// How often a member was fenced, and how often a report was refused.
    private(set) var fencings = 0
    private(set) var refusals = 0

    init(leaseLength: Double, repeatable: Int, once: Int) {
        self.leaseLength = leaseLength
        for number in 0..<(repeatable + once) {
            rows[Int64(number) + 1] = Row(isRepeatable: number < repeatable)
        }
    }

    var isDone: Bool { rows.values.allSatisfy { if case .ended = $0.state { true } else { false } } }

    mutating func join(_ name: Int, now: Double) -> Int {
        members[name, default: Member(incarnation: 0)].incarnation += 1
        members[name]?.aliveUntil = now
        members[name]?.beat = 0
        recover(name)
        return members[name]?.incarnation ?? 0
    }

    /// Nil if the member is fenced.
    mutating func turn(_ name: Int, _ incarnation: Int, _ beat: Int, more: Int, now: Double)
        -> [(FleetGrant, Bool, [UInt8]?)]?
    {
        guard takes(name, incarnation, beat) else { return nil }
        members[name]?.aliveUntil = now + leaseLength
        sweep(now)
        var given: [(FleetGrant, Bool, [UInt8]?)] = []
        for (id, row) in rows.sorted(by: { $0.key < $1.key }) where row.state == .waiting && given.count < more {
            let fence = row.fence + 1
            let holder = Holder(member: name, incarnation: incarnation)
            if let other = holders.updateValue(holder, forKey: Lease(row: id, fence: fence)) {
                mistakes.append("row \(id) is leased twice with fence \(fence): to \(other) and \(holder)")
            }
            rows[id]?.state = .leased
            rows[id]?.fence = fence
            rows[id]?.isBegun = false
            rows[id]?.member = name
            rows[id]?.incarnation = incarnation
            if let grant = FleetGrant(row: id, fence: fence) { given.append((grant, row.isRepeatable, row.memory)) }
        }
        return given
    }

    private mutating func takes(_ name: Int, _ incarnation: Int, _ beat: Int) -> Bool {
        guard let member = members[name], member.incarnation == incarnation, member.beat < beat else {
            refusals += 1
            return false
        }
        members[name]?.beat = beat
        return true
    }

    private mutating func sweep(_ now: Double) {
        for (name, member) in members.sorted(by: { $0.key < $1.key }) where member.aliveUntil < now {
            guard rows.values.contains(where: { $0.state == .leased && $0.member == name }) else { continue }
            fencings += 1
            members[name]?.incarnation += 1
            recover(name)
        }
        for (id, row) in rows {
            if case .later(let time) = row.state, time <= now { rows[id]?.state = .waiting }
        }
    }

    private mutating func recover(_ name: Int) {
        let incarnation = members[name]?.incarnation ?? 0
        for (id, row) in rows where row.state == .leased && row.member == name && row.incarnation < incarnation {
            rows[id]?.state = row.isBegun && !row.isRepeatable ? .ended(.unknown) : .waiting
        }
    }

    private func holds(_ name: Int, _ incarnation: Int, _ grant: FleetGrant) -> Bool {
        guard members[name]?.incarnation == incarnation, let row = rows[grant.row] else { return false }
        return row.state == .leased && row.fence == grant.fence && row.member == name && row.incarnation == incarnation
    }

    /// The rows that a member holds; nil if it is fenced.
    mutating func held(_ name: Int, _ incarnation: Int, _ beat: Int) -> [(FleetGrant, Bool, [UInt8]?)]? {
        guard takes(name, incarnation, beat) else { return nil }
        return rows.compactMap { id, row in
            guard row.state == .leased, row.member == name, row.incarnation == incarnation else { return nil }
            return FleetGrant(row: id, fence: row.fence).map { ($0, row.isRepeatable, row.memory) }
        }
    }

    mutating func begin(_ name: Int, _ incarnation: Int, _ grant: FleetGrant) -> Bool {
        guard holds(name, incarnation, grant) else {
            refusals += 1
            return false
        }
        rows[grant.row]?.isBegun = true
        return true
    }

    mutating func keep(_ name: Int, _ incarnation: Int, _ grant: FleetGrant, _ memory: [UInt8]?) -> Bool {
        guard holds(name, incarnation, grant) else {
            refusals += 1
            return false
        }
        guard let memory else { return true }
        if (rows[grant.row]?.memoryFence ?? 0) > grant.fence {
            mistakes.append("a memory of row \(grant.row) goes back")
        }
        rows[grant.row]?.memory = memory
        rows[grant.row]?.memoryFence = grant.fence
        return true
    }

    mutating func finish(_ name: Int, _ incarnation: Int, _ grant: FleetGrant, _ end: FleetEnd) -> Bool {
        guard holds(name, incarnation, grant) else {
            let row = rows[grant.row]
            // Already reported; the answer was lost.
            if row?.state == .ended(end.result), row?.fence == grant.fence, row?.member == name,
                row?.incarnation == incarnation
            {
                return true
            }
            refusals += 1
            return false
        }
        rows[grant.row]?.state = .ended(end.result)
        return true
    }

    mutating func giveBack(_ name: Int, _ incarnation: Int, _ grant: FleetGrant, after: Double, now: Double) -> Bool {
        guard holds(name, incarnation, grant) else { return false }
        rows[grant.row]?.state = after > 0 ? .later(now + after) : .waiting
        return true
    }
}
