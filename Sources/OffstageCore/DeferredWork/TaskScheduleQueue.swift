// SPDX-License-Identifier: Apache-2.0

/// The requests of one app with the same needs of the machine, except those that pause. The first due one may start
/// when the conditions, the app and the limits allow it. A change of condition opens or closes kinds of queues, and a
/// date that is reached moves its queue; neither touches a request.
struct TaskScheduleQueue: Sendable, TaskScheduleHeapElement {
    /// The needs of requests: one of a few sets.
    struct Kind: Sendable, Hashable {
        let index: Int

        static let count = 9
        static let continued = Kind(index: 8)

        init(index: Int) { self.index = index }

        init(_ kind: TaskRequest.Kind, requiresNetwork: Bool, requiresExternalPower: Bool) {
            guard kind != .continued else {
                self = .continued
                return
            }
            index = (requiresNetwork ? 1 : 0) | (requiresExternalPower ? 2 : 0) | (kind.needsIdleMachine ? 4 : 0)
        }

        var isContinued: Bool { index == 8 }
        var needsNetwork: Bool { !isContinued && index & 1 != 0 }
        var needsExternalPower: Bool { !isContinued && index & 2 != 0 }
        var needsIdleMachine: Bool { !isContinued && index & 4 != 0 }
        var isRefresh: Bool { index < 4 }
    }

    /// The heap of queues that it is in.
    enum Place: UInt8, Sendable {
        /// No heap: nothing in the queue is due, its app is held, or its app has a run.
        case aside
        /// Among the queues whose app has all of its time left.
        case full
        /// Among the queues whose app has used some of its time.
        case filling
    }

    let app: Int32
    let kind: Kind
    /// Requests without a begin date, or past it, by time of submission.
    var line = TaskScheduleHeap()
    /// Requests by begin date, past or future. A date that many share then moves their queue, but none of them.
    var dated = TaskScheduleHeap()
    var place = Place.aside
    var position: Int32 = -1
    /// When its app's budget is full again; 0 if it is full.
    var fullAt = 0.0
    /// When the first in line was due.
    var due = 0.0
    var number: UInt64 = 0

    /// The first due request; nil if there is none.
    func first(_ slots: [TaskScheduleSlot], wall: Double) -> Int32? {
        guard let early = dated.first, slots[Int(early)].key <= wall else { return line.first }
        guard let other = line.first else { return early }
        return slots[Int(early)].isBefore(slots[Int(other)]) ? early : other
    }

    func isBefore(_ other: TaskScheduleQueue) -> Bool {
        (fullAt, due, number) < (other.fullAt, other.due, other.number)
    }
}

/// The next begin date of a queue.
struct TaskScheduleDate: Sendable, TaskScheduleHeapElement {
    var date = 0.0
    var position: Int32 = -1

    func isBefore(_ other: TaskScheduleDate) -> Bool { date < other.date }
}
