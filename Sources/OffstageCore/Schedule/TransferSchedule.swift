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
///
/// A line that may not begin, because its host cannot be reached or the machine holds it, is checked once, and not
/// again before `reachMayHaveChanged()`. Such lines, however many, cost nothing when a slot is assigned.
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
    private var queues: [HostQueue] = []
    private var queueIndex: [HostQueueKey: Int32] = [:]
    /// The queue of the last transfer that was put in line; nil if the queue may be gone.
    private var latestQueue: Int32?
    private var owners: [Owner] = []
    private var unused = Unused()
    /// The queues whose transfers were found to be out of reach or held: the heads of their owners exclude them.
    private var shut: Set<Int32> = []
    private var ownerIndex: [OwnerKey: Int32] = [:]
    /// The place of every transfer in line.
    private var queued: [TransferID: Place] = [:]
    /// The queue of every transfer that holds a slot.
    private var running: [TransferID: Int32] = [:]
    private var further = FurtherConnections()
    private var turn: UInt64 = 0
    /// The number of waiting or running transfers by their needs of the machine, excluding transfers without needs.
    private var needing: [TransferNeeds: Int] = [:]

    /// Whether transfers with further hosts have ever been in line or had connections there.
    private var hasOthers = false

    /// The number of transfers that hold a slot, by owner and host, whatever they need.
    private var busy: [HostKey: Int] = [:]

    /// Free indices. They are reused because an app may create a session for every task.
    private struct Unused {
        var queues: [Int32] = []
        var owners: [Int32] = []
    }

    /// Connections of running transfers beyond the first. Transfers without such connections are not listed.
    private struct FurtherConnections {
        /// To the transfer's own host.
        var here: [TransferID: Int] = [:]
        /// To other hosts.
        var elsewhere: [TransferID: [String: Int]] = [:]
    }

    private struct OwnerKey: Hashable {
        var owner: String
        var session: String?
    }

    /// The place of a transfer.
    private struct Place {
        var queue: Int32
        var priority: Float
    }

    private struct HostQueueKey: Hashable {
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
        /// The first entry of each queue that is neither empty nor shut: no other entry can be next.
        var heads = PriorityLine()
        var running = 0
        var inLine = 0
        var servedAt: UInt64 = 0
    }

    private struct HostQueue {
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
        let index = queue(owner: owner, hostKey: hostKey, needs: needs, others: others)
        queues[Int(index)].limit = perHost.map { max(1, $0) }
        changeLine(index) { $0.insert(.init(priority: Float(priority), id: id)) }
        queues[Int(index)].inLine += 1
        owners[Int(queues[Int(index)].owner)].inLine += 1
        queued[id] = Place(queue: index, priority: Float(priority))
        if !needs.isEmpty { needing[needs, default: 0] += 1 }
    }

    /// Removes a transfer from the line or frees its slot.
    package mutating func remove(_ id: TransferID) {
        if let place = queued.removeValue(forKey: id) {
            let index = place.queue
            changeLine(index) { $0.remove(.init(priority: place.priority, id: id)) }
            queues[Int(index)].inLine -= 1
            owners[Int(queues[Int(index)].owner)].inLine -= 1
            needsOneLess(queues[Int(index)].needs)
            retireIfIdle(index)
        }
        if let index = running.removeValue(forKey: id) {
            occupy(id, [:], of: queues[Int(index)].owner)
            let connections = 1 + (further.here.removeValue(forKey: id) ?? 0)
            queues[Int(index)].running -= connections
            owners[Int(queues[Int(index)].owner)].running -= 1
            needsOneLess(queues[Int(index)].needs)
            let key = HostKey(owner: queues[Int(index)].owner, host: queues[Int(index)].host)
            if let count = busy[key] { busy[key] = count > connections ? count - connections : nil }
            retireIfIdle(index)
        }
    }

    /// Records how many connections a transfer that holds a slot uses. Each counts as a transfer with its host, which
    /// makes others wait. They may exceed the limit, because a person has asked for them.
    ///
    /// - Parameters:
    ///   - id: the transfer.
    ///   - connections: connections to its own host.
    ///   - others: connections to other hosts.
    package mutating func occupy(_ id: TransferID, connections: Int, beside others: [String: Int] = [:]) {
        guard let index = running[id] else { return }
        occupy(id, others, of: queues[Int(index)].owner)
        let extra = max(0, connections - 1)
        let change = extra - (further.here[id] ?? 0)
        guard change != 0 else { return }
        further.here[id] = extra == 0 ? nil : extra
        queues[Int(index)].running += change
        busy[HostKey(owner: queues[Int(index)].owner, host: queues[Int(index)].host), default: 0] += change
    }

    private mutating func occupy(_ id: TransferID, _ others: [String: Int], of owner: Int32) {
        let before = further.elsewhere[id] ?? [:]
        guard before != others else { return }
        for (host, count) in before {
            let key = HostKey(owner: owner, host: host)
            if let all = busy[key] { busy[key] = all > count ? all - count : nil }
        }
        for (host, count) in others where count > 0 { busy[HostKey(owner: owner, host: host), default: 0] += count }
        further.elsewhere[id] = others.isEmpty ? nil : others
        hasOthers = true
    }

    /// How many more connections to another host the limit allows a transfer that holds a slot.
    package func freeConnections(for id: TransferID, at hostKey: String) -> Int {
        guard let index = running[id] else { return 0 }
        return max(0, limits.perHost - (busy[HostKey(owner: queues[Int(index)].owner, host: hostKey)] ?? 0))
    }

    /// How many more connections to its host the limit allows a transfer that holds a slot.
    package func freeConnections(for id: TransferID) -> Int {
        guard let index = running[id] else { return 0 }
        let queue = queues[Int(index)]
        return max(0, (queue.limit ?? limits.perHost) - (busy[HostKey(owner: queue.owner, host: queue.host)] ?? 0))
    }

    private mutating func needsOneLess(_ needs: TransferNeeds) {
        guard !needs.isEmpty, let count = needing[needs] else { return }
        needing[needs] = count > 1 ? count - 1 : nil
    }

    /// Forgets a queue that has nothing in line and nothing running, and its owner if that was its last queue.
    /// Otherwise an owner with one long transfer might use more and more hosts in the meantime.
    private mutating func retireIfIdle(_ index: Int32) {
        let queue = queues[Int(index)]
        guard queue.inLine == 0, queue.running == 0 else { return }
        if latestQueue == index { latestQueue = nil }
        let number = queue.owner
        queueIndex[HostQueueKey(owner: number, host: queue.host, needs: queue.needs, others: queue.others)] = nil
        queues[Int(index)] = HostQueue(owner: number, host: "")
        shut.remove(index)
        unused.queues.append(index)
        let owner = owners[Int(number)]
        guard owner.inLine == 0, owner.running == 0 else { return }
        ownerIndex[owner.key] = nil
        unused.owners.append(number)
    }

    /// Changes a line, and with it the heads of its owner.
    private mutating func changeLine(_ index: Int32, _ change: (inout PriorityLine) -> Void) {
        let before = queues[Int(index)].line.first
        change(&queues[Int(index)].line)
        let after = queues[Int(index)].line.first
        guard before != after, !shut.contains(index) else { return }
        let owner = Int(queues[Int(index)].owner)
        if let before { owners[owner].heads.remove(before) }
        if let after { owners[owner].heads.insert(after) }
    }

    /// Makes every line eligible for a check again: transfers that were out of reach or held when a slot was assigned
    /// may begin now. Call this whenever `canReach` or `hasDetour` of `next` may give a different answer than before.
    package mutating func reachMayHaveChanged() {
        for index in shut {
            guard let first = queues[Int(index)].line.first else { continue }
            owners[Int(queues[Int(index)].owner)].heads.insert(first)
        }
        shut = []
    }

    /// The transfers that hold a slot.
    package var runningIDs: some Sequence<TransferID> { running.keys }

    package func isRunning(_ id: TransferID) -> Bool { running[id] != nil }

    package func isQueued(_ id: TransferID) -> Bool { queued[id] != nil }

    /// The needs of a transfer that holds a slot; nil if it holds none.
    package func needs(ofRunning id: TransferID) -> TransferNeeds? { running[id].map { queues[Int($0)].needs } }

    /// Assigns the next slot, or returns nil if no transfer may start now.
    ///
    /// - Parameters:
    ///   - canReach: whether a host key can be reached with these needs. A line for which this and `hasDetour` return
    ///     false is not checked again before `reachMayHaveChanged()`.
    ///   - hasDetour: whether transfers may start although their host key cannot be reached, because one of their
    ///     further servers can be; each transfer goes there.
    /// - Returns: the transfer that now holds the slot.
    package mutating func next(
        canReach: (String, TransferNeeds) -> Bool,
        hasDetour: (String, [String]) -> Bool = { _, _ in false }
    ) -> TransferID? {
        var best: (owner: Int, queue: Int32, entry: PriorityLine.Entry)?
        for index in owners.indices where !owners[index].heads.isEmpty {
            let rank = (owners[index].running, owners[index].servedAt)
            guard running.count < limits.total || owners[index].running == 0 else { continue }
            if let found = best, (owners[found.owner].running, owners[found.owner].servedAt) <= rank { continue }
            if let (queue, entry) = firstEntry(ofOwner: index, canReach: canReach, hasDetour: hasDetour) {
                best = (index, queue, entry)
            }
        }
        guard let best else { return nil }
        turn += 1
        owners[best.owner].servedAt = turn
        owners[best.owner].running += 1
        owners[best.owner].inLine -= 1
        changeLine(best.queue) { $0.remove(best.entry) }
        queues[Int(best.queue)].inLine -= 1
        queues[Int(best.queue)].running += 1
        busy[HostKey(owner: Int32(best.owner), host: queues[Int(best.queue)].host), default: 0] += 1
        queued[best.entry.id] = nil
        running[best.entry.id] = best.queue
        return best.entry.id
    }

    /// The first transfer of an owner that may begin. Shuts the lines ahead of it that only reachability keeps from
    /// beginning.
    private mutating func firstEntry(
        ofOwner number: Int,
        canReach: (String, TransferNeeds) -> Bool,
        hasDetour: (String, [String]) -> Bool
    ) -> (queue: Int32, entry: PriorityLine.Entry)? {
        var outOfReach: [(queue: Int32, entry: PriorityLine.Entry)] = []
        let first = owners[number].heads.first { entry in
            guard let index = queued[entry.id]?.queue, !isFull(queues[Int(index)]) else { return false }
            let queue = queues[Int(index)]
            if canReach(queue.host, queue.needs) { return true }
            if !queue.others.isEmpty, hasDetour(queue.host, queue.others) { return true }
            outOfReach.append((index, entry))
            return false
        }
        for (index, entry) in outOfReach {
            owners[number].heads.remove(entry)
            shut.insert(index)
        }
        guard let first, let index = queued[first.id]?.queue else { return nil }
        return (index, first)
    }

    /// Why transfers in line have not started; ids that are not in line are left out. The cost hardly depends on a
    /// line's length.
    package func causes(of ids: [TransferID]) -> [TransferID: Reason.Cause] {
        var byQueue: [Int32: [PriorityLine.Entry]] = [:]
        for id in ids {
            if let place = queued[id] {
                byQueue[place.queue, default: []].append(.init(priority: place.priority, id: id))
            }
        }
        var causes: [TransferID: Reason.Cause] = [:]
        for (index, wanted) in byQueue {
            let queue = queues[Int(index)]
            for (entry, ahead) in zip(wanted, queue.line.ahead(of: wanted)) {
                causes[entry.id] =
                    if ahead == 0, isFull(queue) {
                        .hostLimit(
                            host: queue.host,
                            running: busy[HostKey(owner: queue.owner, host: queue.host), default: 0],
                            limit: queue.limit ?? limits.perHost
                        )
                    } else if ahead == 0, running.count >= limits.total, owners[Int(queue.owner)].running > 0 {
                        .totalLimit(running: running.count, limit: limits.total)
                    } else {
                        .inLine(ahead: ahead)
                    }
            }
        }
        return causes
    }

    /// The most lines that are examined for the counts.
    package static let countedLines = 1024

    /// The number of transfers in line, by the reason why the first of their line cannot begin. Examines at most
    /// `countedLines` lines, whatever their length; transfers in further lines count as in line.
    ///
    /// - Parameter hold: the reason why transfers with a host key, needs and further hosts cannot begin; nil if only
    ///   the limits apply.
    /// - Returns: the counts, which add up to `queuedCount`.
    package func counts(hold: (String, TransferNeeds, [String]) -> LineStanding?) -> Tally<LineStanding> {
        var counts = Tally<LineStanding>()
        var rest = queued.count
        for queue in queues.prefix(Self.countedLines) where queue.inLine > 0 {
            rest -= queue.inLine
            let isBehind = running.count >= limits.total && owners[Int(queue.owner)].running > 0
            let limit: LineStanding = isFull(queue) ? .hostLimit : isBehind ? .totalLimit : .inLine
            counts.add(hold(queue.host, queue.needs, queue.others) ?? limit, queue.inLine)
        }
        counts.add(.inLine, rest)
        return counts
    }

    /// The lines of the queue: for each owner and host, the transfers in line and those that hold a slot; the longest
    /// line first.
    ///
    /// - Parameter most: the most lines to return.
    /// - Returns: the lines, and how many more there are. The cost grows with the number of lines, not with their
    ///   length.
    package func lines(most: Int) -> (lines: [QueueLine], more: Int) {
        var found: [HostKey: QueueLine] = [:]
        for queue in queues where queue.inLine > 0 || queue.running > 0 {
            let key = HostKey(owner: queue.owner, host: queue.host)
            let owner = owners[Int(queue.owner)].key
            found[
                key,
                default: QueueLine(
                    owner: owner.owner,
                    session: owner.session,
                    host: queue.host,
                    limit: queue.limit ?? limits.perHost
                )
            ].add(inLine: queue.inLine, running: queue.running)
        }
        let lines = found.values.sorted()
        return (Array(lines.prefix(most)), max(0, lines.count - most))
    }

    private func isFull(_ queue: HostQueue) -> Bool {
        let limit = queue.limit ?? limits.perHost
        if queue.running >= limit { return true }
        // Only an owner whose transfers have different needs, or further hosts, has several lines to one host.
        guard !needing.isEmpty || hasOthers else { return false }
        return busy[HostKey(owner: queue.owner, host: queue.host), default: 0] >= limit
    }

    private mutating func queue(
        owner: OwnerKey,
        hostKey: String,
        needs: TransferNeeds,
        others: [String]
    ) -> Int32 {
        // Most of a million transfers in line use the same queue as the one before; hashing two strings for each takes
        // longer.
        if let latestQueue, queues[Int(latestQueue)].host == hostKey, queues[Int(latestQueue)].needs == needs,
            queues[Int(latestQueue)].others == others, owners[Int(queues[Int(latestQueue)].owner)].key == owner
        {
            return latestQueue
        }
        let index = laneByIndex(owner: owner, hostKey: hostKey, needs: needs, others: others)
        latestQueue = index
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
            ownerNumber = unused.owners.popLast() ?? Int32(owners.count)
            if Int(ownerNumber) == owners.count { owners.append(Owner(key: owner)) }
            owners[Int(ownerNumber)] = Owner(key: owner)
            ownerIndex[owner] = ownerNumber
        }
        let key = HostQueueKey(owner: ownerNumber, host: hostKey, needs: needs, others: others)
        if let known = queueIndex[key] { return known }
        let index = unused.queues.popLast() ?? Int32(queues.count)
        if Int(index) == queues.count { queues.append(HostQueue(owner: ownerNumber, host: hostKey)) }
        queues[Int(index)] = HostQueue(owner: ownerNumber, host: hostKey, needs: needs, others: others)
        queueIndex[key] = index
        return index
    }
}
