// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A request in the schedule, without the fields that only its app and its record need: a hundred thousand may wait in
/// memory.
struct TaskScheduleSlot: Sendable, TaskScheduleHeapElement {
    /// Its place: it is in at most one heap, ordered by `key`.
    enum Place: Sendable {
        /// Not in use.
        case free
        /// In its app's queue, in the heap by begin date; `key` is that date.
        case dated
        /// It was returned; `key` is when its pause ends, on the boot-time clock.
        case pausing
        /// In its app's queue, whatever the date; `key` is when it was submitted.
        case due
        /// Starting or running.
        case active
    }

    var number: UInt64 = 0
    var identifier = ""
    /// Dates are seconds since Foundation's reference date, as `Date` has them.
    var earliest = -Double.infinity
    var submittedWall = 0.0
    var submittedUptime = 0.0
    var key = 0.0
    var position: Int32 = -1
    var app: Int32 = 0
    var attempts = 0
    /// An index in the schedule's list of boots.
    var boot: UInt16 = 0
    var place = Place.free
    var kind = TaskRequest.Kind.refresh
    var requiresNetwork = false
    var requiresExternalPower = false

    /// The limit for a number from the store: one more must still fit.
    private static let mostAttempts = 65_535

    init() {}

    init(_ record: TaskRecord, app: Int32, boot: UInt16) {
        let request = record.request
        number = request.number
        identifier = request.identifier
        earliest = request.earliestBegin?.timeIntervalSinceReferenceDate ?? -.infinity
        submittedWall = request.submitted.wall.timeIntervalSinceReferenceDate
        submittedUptime = request.submitted.uptime
        self.app = app
        self.boot = boot
        kind = request.kind
        requiresNetwork = request.requiresNetwork
        requiresExternalPower = request.requiresExternalPower
        attempts = min(max(record.attempts, 0), Self.mostAttempts)
    }

    /// The begin date that it waits for, or -infinity. A date that had already passed at submission does not count: the
    /// request is due then, and stays due if the wall clock is set back.
    var begin: Double { kind != .continued && earliest > submittedWall ? earliest : -.infinity }

    var isPending: Bool { place != .active && place != .free }

    /// The conditions that it needs to run.
    var queue: TaskScheduleQueue.Kind {
        .init(kind, requiresNetwork: requiresNetwork, requiresExternalPower: requiresExternalPower)
    }

    func isBefore(_ other: TaskScheduleSlot) -> Bool {
        key != other.key ? key < other.key : number < other.number
    }
}
