// SPDX-License-Identifier: Apache-2.0

/// The requests of a schedule, each in a slot of its own that others refer to, and found by its number or identifier.
///
/// A slot is on both indexes from `insert` to `remove`, and is used again after that.
struct TaskScheduleSlots: Sendable {
    /// Also those that are free. The heaps change places and keys; nothing else of a slot changes while it is in use.
    var all: [TaskScheduleSlot] = []
    private var free: [Int32] = []
    private var byNumber = TaskScheduleIndex()
    private var byIdentifier = TaskScheduleIndex()

    var count: Int { all.count - free.count }

    subscript(_ slot: Int) -> TaskScheduleSlot {
        get { all[slot] }
        _modify { yield &all[slot] }
    }

    func slot(_ number: UInt64) -> Int32? {
        byNumber.first(TaskScheduleSlot.hash(number: number)) { all[Int($0)].number == number }
    }

    /// The pending request with an identifier, the newest if there are several.
    func pendingNumber(of identifier: String, app: Int32, hash: UInt32) -> UInt64? {
        var found: UInt64?
        _ = byIdentifier.first(hash) { place in
            let slot = all[Int(place)]
            if slot.hash == hash, slot.isPending, slot.app == app, slot.identifier == identifier {
                found = max(found ?? 0, slot.number)
            }
            return false
        }
        return found
    }

    mutating func insert(_ value: TaskScheduleSlot) -> Int32 {
        let index: Int32
        if let reused = free.popLast() {
            index = reused
            all[Int(index)] = value
        } else {
            // Grow by a quarter rather than double, because requests are many and come one by one.
            if all.count == all.capacity { all.reserveCapacity(all.count + all.count / 4 + 64) }
            index = Int32(all.count)
            all.append(value)
        }
        putOnIndexes(index)
        return index
    }

    mutating func remove(_ slot: Int32) {
        takeOffIndexes(slot)
        all[Int(slot)] = TaskScheduleSlot()
        free.append(slot)
    }

    // Both read a second reference to the slots, because an index may not access them while it changes. The reference is
    // gone when they return; otherwise the next change of a slot would copy all of them.
    private mutating func putOnIndexes(_ slot: Int32) {
        let all = all
        byNumber.insert(slot, hash: Self.numberHash(slot, all)) { Self.numberHash($0, all) }
        byIdentifier.insert(slot, hash: all[Int(slot)].hash) { all[Int($0)].hash }
    }

    private mutating func takeOffIndexes(_ slot: Int32) {
        let all = all
        byNumber.remove(slot, hash: Self.numberHash(slot, all)) { Self.numberHash($0, all) }
        byIdentifier.remove(slot, hash: all[Int(slot)].hash) { all[Int($0)].hash }
    }

    private static func numberHash(_ slot: Int32, _ slots: [TaskScheduleSlot]) -> UInt32 {
        TaskScheduleSlot.hash(number: slots[Int(slot)].number)
    }
}
