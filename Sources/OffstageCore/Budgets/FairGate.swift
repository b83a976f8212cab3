// SPDX-License-Identifier: Apache-2.0

/// Limits simultaneous entries, in total and for each owner, and the waiting tickets of each owner. They enter in the
/// order of their tickets, the owner with the fewest inside first.
package struct FairGate<Owner: Hashable & Sendable>: Sendable {
    package enum Entry: Sendable, Hashable {
        case begins, waits
        /// Too many of the owner's tickets are already waiting.
        case refused
    }

    private let total: Int
    private let perOwner: Int
    private let waitingPerOwner: Int
    private var inside: [Owner: Int] = [:]
    private var count = 0
    private var waiting: [(ticket: UInt64, owner: Owner)] = []

    package init(total: Int, perOwner: Int, waitingPerOwner: Int) {
        self.total = total
        self.perOwner = perOwner
        self.waitingPerOwner = waitingPerOwner
    }

    /// Lets a ticket enter or wait. `leave` returns a waiting ticket when its turn comes.
    package mutating func enter(_ ticket: UInt64, of owner: Owner) -> Entry {
        if count < total, inside[owner, default: 0] < perOwner {
            admit(owner)
            return .begins
        }
        guard waiting.count(where: { $0.owner == owner }) < waitingPerOwner else { return .refused }
        waiting.append((ticket, owner))
        return .waits
    }

    /// Records that one of an owner's entries has left.
    ///
    /// - Returns: the next ticket, which is now inside.
    package mutating func leave(_ owner: Owner) -> UInt64? {
        let left = inside[owner, default: 1] - 1
        inside[owner] = left > 0 ? left : nil
        count -= 1
        guard count < total else { return nil }
        let candidates = waiting.indices.filter { inside[waiting[$0].owner, default: 0] < perOwner }
        let next = candidates.min { (inside[waiting[$0].owner] ?? 0, $0) < (inside[waiting[$1].owner] ?? 0, $1) }
        guard let next else { return nil }
        let entry = waiting.remove(at: next)
        admit(entry.owner)
        return entry.ticket
    }

    private mutating func admit(_ owner: Owner) {
        inside[owner, default: 0] += 1
        count += 1
    }
}
