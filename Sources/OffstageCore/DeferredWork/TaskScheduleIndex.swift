// SPDX-License-Identifier: Apache-2.0

/// Finds slots by a hash that they know themselves: open addressing, 4 bytes a bucket, nothing kept twice.
struct TaskScheduleIndex: Sendable {
    private var buckets: [Int32]
    private var count = 0

    private static let free: Int32 = -1

    init() { buckets = Array(repeating: Self.free, count: 16) }

    /// A slot with the hash that `isMeant` accepts; they are tried in no order.
    func first(_ hash: UInt32, where isMeant: (Int32) -> Bool) -> Int32? {
        var place = bucket(hash)
        while buckets[place] != Self.free {
            if isMeant(buckets[place]) { return buckets[place] }
            place = next(place)
        }
        return nil
    }

    /// `hashOf` returns the hash of a slot in the index.
    mutating func insert(_ slot: Int32, hash: UInt32, hashOf: (Int32) -> UInt32) {
        if (count + 1) * 4 > buckets.count * 3 { grow(hashOf) }
        put(slot, hash)
        count += 1
    }

    mutating func remove(_ slot: Int32, hash: UInt32, hashOf: (Int32) -> UInt32) {
        var hole = bucket(hash)
        while buckets[hole] != slot {
            guard buckets[hole] != Self.free else { return }
            hole = next(hole)
        }
        count -= 1
        // Entries after it move up, unless that would be before their own bucket.
        var place = next(hole)
        while buckets[place] != Self.free {
            let home = bucket(hashOf(buckets[place]))
            if distance(home, place) >= distance(hole, place) {
                buckets[hole] = buckets[place]
                hole = place
            }
            place = next(place)
        }
        buckets[hole] = Self.free
    }

    private mutating func grow(_ hashOf: (Int32) -> UInt32) {
        let old = buckets
        buckets = Array(repeating: Self.free, count: old.count * 2)
        for slot in old where slot != Self.free { put(slot, hashOf(slot)) }
    }

    private mutating func put(_ slot: Int32, _ hash: UInt32) {
        var place = bucket(hash)
        while buckets[place] != Self.free { place = next(place) }
        buckets[place] = slot
    }

    private func bucket(_ hash: UInt32) -> Int { Int(hash) & (buckets.count - 1) }
    private func next(_ place: Int) -> Int { (place + 1) & (buckets.count - 1) }
    private func distance(_ from: Int, _ to: Int) -> Int { (to - from) & (buckets.count - 1) }
}
