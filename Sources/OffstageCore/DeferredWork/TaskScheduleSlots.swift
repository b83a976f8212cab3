// SPDX-License-Identifier: Apache-2.0

/// The requests of a schedule, each in its own slot, found by its number or identifier.
///
/// A slot is in both indexes from `insert` to `remove`, and is reused after that.
struct TaskScheduleSlots: Sendable {
    /// An app's name for a request.
    private struct Name: Hashable {
        var app: Int32
        var identifier: String

        init(_ slot: TaskScheduleSlot) { (app, identifier) = (slot.app, slot.identifier) }

        init(app: Int32, identifier: String) { (self.app, self.identifier) = (app, identifier) }
    }

    /// All slots, including free ones. The heaps change places and keys; nothing else in a slot changes while it is in
    /// use.
    var all: [TaskScheduleSlot] = []
    private var free: [Int32] = []
    private var byNumber: [UInt64: Int32] = [:]
    /// More than one if one runs, or was returned, while another waits.
    private var byName: [Name: [Int32]] = [:]

    var count: Int { byNumber.count }

    subscript(_ slot: Int) -> TaskScheduleSlot {
        get { all[slot] }
        _modify { yield &all[slot] }
    }

    func slot(_ number: UInt64) -> Int32? { byNumber[number] }

    /// The pending request with an identifier, the newest if there are several.
    func pendingNumber(of identifier: String, app: Int32) -> UInt64? {
        let slots = byName[Name(app: app, identifier: identifier)] ?? []
        return slots.lazy.map { all[Int($0)] }.filter(\.isPending).map(\.number).max()
    }

    mutating func insert(_ value: TaskScheduleSlot) -> Int32 {
        let index: Int32
        if let reused = free.popLast() {
            index = reused
            all[Int(index)] = value
        } else {
            // Grow by a quarter rather than double, because requests are many and arrive one by one.
            if all.count == all.capacity { all.reserveCapacity(all.count + all.count / 4 + 64) }
            index = Int32(all.count)
            all.append(value)
        }
        byNumber[value.number] = index
        byName[Name(value), default: []].append(index)
        return index
    }

    mutating func remove(_ slot: Int32) {
        let value = all[Int(slot)]
        byNumber[value.number] = nil
        let name = Name(value)
        byName[name]?.removeAll { $0 == slot }
        if byName[name]?.isEmpty == true { byName[name] = nil }
        all[Int(slot)] = TaskScheduleSlot()
        free.append(slot)
    }
}
