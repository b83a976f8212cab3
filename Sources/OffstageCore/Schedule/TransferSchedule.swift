// SPDX-License-Identifier: Apache-2.0

/// Decides which transfer may start next: a line for every owner, host, set of needs and set of further hosts, limits,
/// and fairness between owners. Pure and small in memory.
///
/// Each background session of an app counts as an owner, as with Apple.
///
/// The rules, in order:
/// 1. An owner runs at most `limits.perHost` transfers with one host at a time, or as many as its session allows. Each
///    connection of a download counts as one.
/// 2. At most `limits.total` run in all, but an owner that runs none may always start one, so that ten thousand
///    transfers of one owner do not delay another's first byte.
/// 3. Among those owners, the one with the fewest running goes first; on a tie, the one served longest ago.
/// 4. Among that owner's transfers, the one with the highest priority goes first; on a tie, the oldest.
package struct TransferSchedule: Sendable {
    package struct Limits: Sendable, Equatable {
        package var perHost: Int
        package var total: Int

        package init(perHost: Int, total: Int) {
            self.perHost = perHost
            self.total = total
        }
    }

    package var limits: Limits
    private var lanes: [Lane] = []
    private var laneIndex: [LaneKey: Int32] = [:]
    /// The lane of the last transfer that was put in line; nil if the lane may be gone.
    private var latestLane: Int32?
    private var owners: [Owner] = []
    /// Unused indices of lanes and owners, because apps may make a new session for every task.
    private var freeLanes: [Int32] = []
    private var freeOwners: [Int32] = []
    private var ownerIndex: [OwnerKey: Int32] = [:]
    /// The place of every transfer in line.
    private var queued: [TransferID: Place] = [:]
    /// The lane of every transfer that holds a slot.
    private var running: [TransferID: Int32] = [:]
    /// The connections of such transfers beyond the first.
    private var furtherConnections: [TransferID: Int] = [:]
    /// The connections of such transfers to other hosts.
    private var besides: [TransferID: [String: Int]] = [:]
    private var turn: UInt64 = 0
    /// The number of waiting or running transfers by their needs of the machine, without those that need nothing.
    private var needing: [TransferNeeds: Int] = [:]

    /// Whether transfers with further hosts have ever been in line or had connections there.
    private var hasOthers = false

    /// The number of transfers that hold a slot, by owner and host, whatever they need.
    private var busy: [HostKey: Int] = [:]

    private struct OwnerKey: Hashable {
        var owner: String
        var session: String?
    }

    /// The place of a transfer.
    private struct Place {
        var lane: Int32
        var priority: Float
    }

    private struct LaneKey: Hashable {
        var owner: Int32
        var host: String
        var needs: TransferNeeds
        var others: [String]
    }

    private struct HostKey: Hashable {
        var owner: Int32
        var host: String
    }

    private struct Owner {
        var key: OwnerKey
        var lanes: [Int32] = []
        var running = 0
        var inLine = 0
        var servedAt: UInt64 = 0
    }

    private struct Lane {
        var owner: Int32
        var host: String
        var needs: TransferNeeds = []
        /// The servers that have the same files, in order.
        var others: [String] = []
        /// The session's limit; nil for the settings' limit.
        var limit: Int?
        var line = PriorityLine()
        var inLine = 0
        var running = 0
    }

    package init(limits: Limits) {
        self.limits = limits
    }

    /// The number of transfers in line.
    package var queuedCount: Int { queued.count }
    /// The combined needs of waiting and running transfers. Costs nothing if no transfer has needs.
    package var needs: TransferNeeds { needing.keys.reduce([]) { $0.union($1) } }

    /// Puts a transfer in line; no effect if it is already there or holds a slot.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - owner: the transfer's owner.
    ///   - session: the background session of the task.
    ///   - hostKey: the server.
    ///   - priority: 0 to 1.
    ///   - perHost: the session's limit of simultaneous transfers with one host; nil for the general limit.
    ///   - needs: its needs of the machine.
    ///   - others: further servers that have the file, in a fixed order.
    package mutating func enqueue(
        _ id: TransferID,
        owner: String,
        session: String? = nil,
        hostKey: String,
        priority: Double,
        perHost: Int? = nil,
        needs: TransferNeeds = [],
        others: [String] = []
    ) {
        guard queued[id] == nil, running[id] == nil else { return }
        if !others.isEmpty { hasOthers = true }
        let owner = OwnerKey(owner: owner, session: session)
        let index = lane(owner: owner, hostKey: hostKey, needs: needs, others: others)
        lanes[Int(index)].limit = perHost.map { max(1, $0) }
        lanes[Int(index)].line.insert(.init(priority: Float(priority), id: id))
        lanes[Int(index)].inLine += 1
        owners[Int(lanes[Int(index)].owner)].inLine += 1
        queued[id] = Place(lane: index, priority: Float(priority))
        if !needs.isEmpty { needing[needs, default: 0] += 1 }
    }

    /// Removes a transfer from the line or frees its slot.
    package mutating func remove(_ id: TransferID) {
        if let place = queued.removeValue(forKey: id) {
            let index = place.lane
            lanes[Int(index)].line.remove(.init(priority: place.priority, id: id))
            lanes[Int(index)].inLine -= 1
            owners[Int(lanes[Int(index)].owner)].inLine -= 1
            needsOneLess(lanes[Int(index)].needs)
            retireIfIdle(lanes[Int(index)].owner)
        }
        if let index = running.removeValue(forKey: id) {
            occupy(id, [:], of: lanes[Int(index)].owner)
            let connections = 1 + (furtherConnections.removeValue(forKey: id) ?? 0)
            lanes[Int(index)].running -= connections
            owners[Int(lanes[Int(index)].owner)].running -= 1
            needsOneLess(lanes[Int(index)].needs)
            let key = HostKey(owner: lanes[Int(index)].owner, host: lanes[Int(index)].host)
            if let count = busy[key] { busy[key] = count > connections ? count - connections : nil }
            retireIfIdle(lanes[Int(index)].owner)
        }
    }

    /// Records how many connections a transfer that holds a slot uses. Each counts as a transfer with its host, so that
    /// others wait. They may exceed the limit, since a person has asked for them.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - connections: those to its own host.
    ///   - others: those to other hosts.
    package mutating func occupy(_ id: TransferID, connections: Int, beside others: [String: Int] = [:]) {
        guard let index = running[id] else { return }
        occupy(id, others, of: lanes[Int(index)].owner)
        let further = max(0, connections - 1)
        let change = further - (furtherConnections[id] ?? 0)
        guard change != 0 else { return }
        furtherConnections[id] = further == 0 ? nil : further
        lanes[Int(index)].running += change
        busy[HostKey(owner: lanes[Int(index)].owner, host: lanes[Int(index)].host), default: 0] += change
    }

    private mutating func occupy(_ id: TransferID, _ others: [String: Int], of owner: Int32) {
        let before = besides[id] ?? [:]
        guard before != others else { return }
        for (host, count) in before {
            let key = HostKey(owner: owner, host: host)
            if let all = busy[key] { busy[key] = all > count ? all - count : nil }
        }
        for (host, count) in others where count > 0 { busy[HostKey(owner: owner, host: host), default: 0] += count }
        besides[id] = others.isEmpty ? nil : others
        hasOthers = true
    }

    /// How many more connections to another host the limit allows a transfer that holds a slot.
    package func freeConnections(for id: TransferID, at hostKey: String) -> Int {
        guard let index = running[id] else { return 0 }
        return max(0, limits.perHost - (busy[HostKey(owner: lanes[Int(index)].owner, host: hostKey)] ?? 0))
    }

    /// How many more connections to its host the limit allows a transfer that holds a slot.
    package func freeConnections(for id: TransferID) -> Int {
        guard let index = running[id] else { return 0 }
        let lane = lanes[Int(index)]
        return max(0, (lane.limit ?? limits.perHost) - (busy[HostKey(owner: lane.owner, host: lane.host)] ?? 0))
    }

    private mutating func needsOneLess(_ needs: TransferNeeds) {
        guard !needs.isEmpty, let count = needing[needs] else { return }
        needing[needs] = count > 1 ? count - 1 : nil
    }

    /// Forgets an owner that has nothing in line and nothing running, with its lanes.
    private mutating func retireIfIdle(_ number: Int32) {
        let owner = owners[Int(number)]
        guard owner.inLine == 0, owner.running == 0 else { return }
        latestLane = nil
        for index in owner.lanes {
            let lane = lanes[Int(index)]
            laneIndex[LaneKey(owner: number, host: lane.host, needs: lane.needs, others: lane.others)] = nil
            lanes[Int(index)] = Lane(owner: number, host: "")
        }
        freeLanes += owner.lanes
        ownerIndex[owner.key] = nil
        owners[Int(number)].lanes = []
        freeOwners.append(number)
    }

    /// The transfers that hold a slot.
    package var runningIDs: some Sequence<TransferID> { running.keys }

    package func isRunning(_ id: TransferID) -> Bool { running[id] != nil }

    package func isQueued(_ id: TransferID) -> Bool { queued[id] != nil }

    /// The needs of a transfer that holds a slot; nil if it holds none.
    package func needs(ofRunning id: TransferID) -> TransferNeeds? { running[id].map { lanes[Int($0)].needs } }

    /// Assigns the next slot, or returns nil if no transfer may start now.
    ///
    /// - Parameters:
    ///   - canReach: whether a host key can be reached with these needs; asked once for each possible line.
    ///   - hasDetour: whether transfers may start although their host key cannot be reached, because one of their
    ///     further servers can be: each goes there.
    /// - Returns: the transfer that holds the slot from now on.
    package mutating func next(
        canReach: (String, TransferNeeds) -> Bool,
        hasDetour: (String, [String]) -> Bool = { _, _ in false }
    ) -> TransferID? {
        var best: (owner: Int, lane: Int32, entry: PriorityLine.Entry)?
        for index in owners.indices where owners[index].inLine > 0 {
            let owner = owners[index]
            guard running.count < limits.total || owner.running == 0 else { continue }
            if let found = best {
                let other = owners[found.owner]
                if (other.running, other.servedAt) <= (owner.running, owner.servedAt) { continue }
            }
            if let (lane, entry) = firstEntry(of: owner, canReach: canReach, hasDetour: hasDetour) {
                best = (index, lane, entry)
            }
        }
        guard let best else { return nil }
        turn += 1
        owners[best.owner].servedAt = turn
        owners[best.owner].running += 1
        owners[best.owner].inLine -= 1
        lanes[Int(best.lane)].line.remove(best.entry)
        lanes[Int(best.lane)].inLine -= 1
        lanes[Int(best.lane)].running += 1
        busy[HostKey(owner: Int32(best.owner), host: lanes[Int(best.lane)].host), default: 0] += 1
        queued[best.entry.id] = nil
        running[best.entry.id] = best.lane
        return best.entry.id
    }

    private func firstEntry(
        of owner: Owner,
        canReach: (String, TransferNeeds) -> Bool,
        hasDetour: (String, [String]) -> Bool
    ) -> (lane: Int32, entry: PriorityLine.Entry)? {
        var found: (lane: Int32, entry: PriorityLine.Entry)?
        for index in owner.lanes where lanes[Int(index)].inLine > 0 && !isFull(lanes[Int(index)]) {
            guard let entry = lanes[Int(index)].line.first else { continue }
            if let found, found.entry <= entry { continue }
            let lane = lanes[Int(index)]
            guard canReach(lane.host, lane.needs) || !lane.others.isEmpty && hasDetour(lane.host, lane.others) else {
                continue
            }
            found = (index, entry)
        }
        return found
    }

    /// Why transfers in line have not started; ids that are not in line are left out. The cost hardly depends on a
    /// line's length.
    package func causes(of ids: [TransferID]) -> [TransferID: Reason.Cause] {
        var byLane: [Int32: [PriorityLine.Entry]] = [:]
        for id in ids {
            if let place = queued[id] {
                byLane[place.lane, default: []].append(.init(priority: place.priority, id: id))
            }
        }
        var causes: [TransferID: Reason.Cause] = [:]
        for (index, wanted) in byLane {
            let lane = lanes[Int(index)]
            for (entry, ahead) in zip(wanted, lane.line.ahead(of: wanted)) {
                causes[entry.id] =
                    if ahead == 0, isFull(lane) {
                        .hostLimit(
                            host: lane.host,
                            running: busy[HostKey(owner: lane.owner, host: lane.host), default: 0],
                            limit: lane.limit ?? limits.perHost
                        )
                    } else if ahead == 0, running.count >= limits.total, owners[Int(lane.owner)].running > 0 {
                        .totalLimit(running: running.count, limit: limits.total)
                    } else {
                        .inLine(ahead: ahead)
                    }
            }
        }
        return causes
    }

    /// How many lines are looked at for their count.
    package static let countedLines = 1024

    /// How many transfers are in line, by what keeps the first of their line from beginning. Looks at so many lines at
    /// most, whatever their length; transfers in further ones count as in line.
    ///
    /// - Parameter hold: what keeps all transfers with a host key, needs and further hosts from beginning; nil for
    ///   nothing but the limits.
    /// - Returns: the counts, which add up to `queuedCount`.
    package func counts(hold: (String, TransferNeeds, [String]) -> LineStanding?) -> Tally<LineStanding> {
        var counts = Tally<LineStanding>()
        var rest = queued.count
        for lane in lanes.prefix(Self.countedLines) where lane.inLine > 0 {
            rest -= lane.inLine
            let isBehind = running.count >= limits.total && owners[Int(lane.owner)].running > 0
            let limit: LineStanding = isFull(lane) ? .hostLimit : isBehind ? .totalLimit : .inLine
            counts.add(hold(lane.host, lane.needs, lane.others) ?? limit, lane.inLine)
        }
        counts.add(.inLine, rest)
        return counts
    }

    /// The lines of the queue: for each owner and host those in line and those that hold a slot, the longest first.
    ///
    /// - Parameter most: how many lines at most.
    /// - Returns: the lines, and how many more there are. Costs as much as there are lines, however long they are.
    package func lines(most: Int) -> (lines: [QueueLine], more: Int) {
        var found: [HostKey: QueueLine] = [:]
        for lane in lanes where lane.inLine > 0 || lane.running > 0 {
            let key = HostKey(owner: lane.owner, host: lane.host)
            let owner = owners[Int(lane.owner)].key
            found[
                key,
                default: QueueLine(
                    owner: owner.owner,
                    session: owner.session,
                    host: lane.host,
                    limit: lane.limit ?? limits.perHost
                )
            ].add(inLine: lane.inLine, running: lane.running)
        }
        let lines = found.values.sorted()
        return (Array(lines.prefix(most)), max(0, lines.count - most))
    }

    private func isFull(_ lane: Lane) -> Bool {
        let limit = lane.limit ?? limits.perHost
        if lane.running >= limit { return true }
        // Only an owner whose transfers have different needs, or further hosts, has several lines to one host.
        guard !needing.isEmpty || hasOthers else { return false }
        return busy[HostKey(owner: lane.owner, host: lane.host), default: 0] >= limit
    }

    private mutating func lane(
        owner: OwnerKey,
        hostKey: String,
        needs: TransferNeeds,
        others: [String]
    ) -> Int32 {
        // Most of a million transfers in line use the lane of the one before them; hashing two texts for each takes
        // longer.
        if let latestLane, lanes[Int(latestLane)].host == hostKey, lanes[Int(latestLane)].needs == needs,
            lanes[Int(latestLane)].others == others, owners[Int(lanes[Int(latestLane)].owner)].key == owner
        {
            return latestLane
        }
        let index = laneByIndex(owner: owner, hostKey: hostKey, needs: needs, others: others)
        latestLane = index
        return index
    }

    private mutating func laneByIndex(
        owner: OwnerKey,
        hostKey: String,
        needs: TransferNeeds,
        others: [String]
    ) -> Int32 {
        let ownerNumber: Int32
        if let known = ownerIndex[owner] {
            ownerNumber = known
        } else {
            ownerNumber = freeOwners.popLast() ?? Int32(owners.count)
            if Int(ownerNumber) == owners.count { owners.append(Owner(key: owner)) }
            owners[Int(ownerNumber)] = Owner(key: owner)
            ownerIndex[owner] = ownerNumber
        }
        let key = LaneKey(owner: ownerNumber, host: hostKey, needs: needs, others: others)
        if let known = laneIndex[key] { return known }
        let index = freeLanes.popLast() ?? Int32(lanes.count)
        if Int(index) == lanes.count { lanes.append(Lane(owner: ownerNumber, host: hostKey)) }
        lanes[Int(index)] = Lane(owner: ownerNumber, host: hostKey, needs: needs, others: others)
        laneIndex[key] = index
        owners[Int(ownerNumber)].lanes.append(index)
        return index
    }
}
