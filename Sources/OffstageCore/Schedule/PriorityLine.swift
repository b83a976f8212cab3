// SPDX-License-Identifier: Apache-2.0

/// A line ordered by highest priority, then lowest id. Removing an entry, or counting the entries ahead of it, does not
/// scan the whole line.
///
/// Stored as sorted blocks: an entry that belongs at the end, as almost all do, is appended.
struct PriorityLine: Sendable {
    struct Entry: Sendable, Equatable, Comparable {
        var priority: Float
        var id: TransferID

        /// Less means earlier.
        static func < (left: Entry, right: Entry) -> Bool {
            left.priority != right.priority ? left.priority > right.priority : left.id < right.id
        }
    }

    /// No block is empty, and each ends before the next begins.
    private var blocks: [[Entry]] = []

    /// A million entries make two thousand blocks: both a block and the list of blocks are cheap to move.
    private static let longestBlock = 512

    var first: Entry? { blocks.first?.first }
    var isEmpty: Bool { blocks.isEmpty }

    /// The first entry that meets a condition; entries are tested in order.
    func first(where holds: (Entry) -> Bool) -> Entry? {
        for block in blocks {
            if let found = block.first(where: holds) { return found }
        }
        return nil
    }

    mutating func insert(_ entry: Entry) {
        // After all entries, in a new block once the last one is full: this keeps all blocks full.
        guard let last = blocks.last?.last, entry < last else {
            if let index = blocks.indices.last, blocks[index].count < Self.longestBlock {
                blocks[index].append(entry)
            } else {
                blocks.append([entry])
            }
            return
        }
        let block = Self.firstIndex(in: blocks) { entry <= $0[$0.count - 1] }
        let place = Self.firstIndex(in: blocks[block]) { entry <= $0 }
        guard blocks[block][place] != entry else { return }
        blocks[block].insert(entry, at: place)
        if blocks[block].count > Self.longestBlock {
            let half = blocks[block].count / 2
            let rest = Array(blocks[block][half...])
            blocks[block].removeSubrange(half...)
            blocks.insert(rest, at: block + 1)
        }
    }

    /// Removes an entry; no effect if it is absent.
    mutating func remove(_ entry: Entry) {
        guard let (block, place) = find(entry), blocks[block][place] == entry else { return }
        blocks[block].remove(at: place)
        if blocks[block].isEmpty { blocks.remove(at: block) }
    }

    /// The number of entries ahead of each given entry, whether that entry is in line or not.
    func ahead(of entries: [Entry]) -> [Int] {
        var starts: [Int] = []
        starts.reserveCapacity(blocks.count)
        var count = 0
        for block in blocks {
            starts.append(count)
            count += block.count
        }
        return entries.map { entry in
            guard let (block, place) = find(entry) else { return count }
            return starts[block] + place
        }
    }

    /// The place of an entry, or where it would be inserted; nil if that is at the end.
    private func find(_ entry: Entry) -> (block: Int, place: Int)? {
        let block = Self.firstIndex(in: blocks) { entry <= $0[$0.count - 1] }
        guard block < blocks.count else { return nil }
        return (block, Self.firstIndex(in: blocks[block]) { entry <= $0 })
    }

    /// The first index from which a condition holds, found by binary search; the count if it never holds.
    private static func firstIndex<Element>(in array: [Element], where holds: (Element) -> Bool) -> Int {
        var low = 0
        var high = array.count
        while low < high {
            let middle = (low + high) / 2
            if holds(array[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
