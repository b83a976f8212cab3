// SPDX-License-Identifier: Apache-2.0

/// The number of unfinished transfers of each standing, updated with every change. Pure.
///
/// Transfers that the previous daemon left waiting or running are counted once they have been read. Until then it is
/// unknown what they wait for.
package struct TransferCensus: Sendable, Equatable {
    package private(set) var counts = Tally<TransferStanding>()
    /// Transfers that have not been read yet, by number, from `firstUnread` on.
    private var unread: [TransferID] = []
    private var firstUnread = 0
    /// Transfers that are counted as unreadable, whatever their state in the store.
    private var unreadable: Set<TransferID> = []

    package init() {}

    /// Adds transfers of which only the state is known, and which need not be read: queued or paused ones.
    package mutating func add(_ standing: TransferStanding, _ count: Int = 1) { counts.add(standing, count) }

    /// Sets the transfers that must be read before they are counted.
    ///
    /// - Parameter ids: their numbers, lowest first, which is the order in which they will be read.
    package mutating func expect(_ ids: [TransferID]) { unread = ids }

    /// Counts a transfer that has been read, the first of the expected ones; nil if it no longer exists.
    package mutating func read(_ id: TransferID, _ state: TransferState?) {
        guard firstUnread < unread.count, unread[firstUnread] == id else { return }
        firstUnread += 1
        if firstUnread == unread.count { (unread, firstUnread) = ([], 0) }
        change(id, from: nil, to: state?.standing)
    }

    /// Counts a transfer that an event has changed; `before` is nil if it is new.
    package mutating func decided(_ id: TransferID, from before: TransferState?, to after: TransferState) {
        guard !isUnread(id) else { return }
        change(id, from: before?.standing, to: after.standing)
    }

    /// Counts a transfer whose record has been read from the store.
    ///
    /// - Parameters:
    ///   - id: its number.
    ///   - state: its state, which shows whether the record could be read.
    ///   - isInLine: whether it is in line or has its turn.
    package mutating func loaded(_ id: TransferID, _ state: TransferState, isInLine: Bool) {
        let isBroken = state.standing == .unreadable
        // Nearly always returns here.
        guard isBroken || !unreadable.isEmpty, isBroken != unreadable.contains(id), !isUnread(id) else { return }
        change(id, from: isBroken ? isInLine ? .queued : .paused : .unreadable, to: state.standing)
    }

    private mutating func change(_ id: TransferID, from before: TransferStanding?, to after: TransferStanding?) {
        guard before != after else { return }
        if let before { counts.remove(before) }
        if let after { counts.add(after) }
        if after == .unreadable { unreadable.insert(id) } else if before == .unreadable { unreadable.remove(id) }
    }

    private func isUnread(_ id: TransferID) -> Bool {
        guard firstUnread < unread.count else { return false }
        var (low, high) = (firstUnread, unread.count)
        while low < high {
            let middle = (low + high) / 2
            if unread[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < unread.count && unread[low] == id
    }
}
