// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A request in the schedule, in as few bytes as possible, because a hundred thousand may wait in memory.
struct TaskScheduleSlot: Sendable, TaskScheduleHeapElement {
    /// Its place: it is in at most one heap, ordered by `key`.
    enum Place: UInt8, Sendable {
        /// Not in use.
        case free
        /// In its app's lane, among those by begin date; `key` is that date.
        case dated
        /// It came back; `key` is when its pause ends, on the boot-time clock.
        case pausing
        /// In its app's lane, whatever the date; `key` is when it was submitted.
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
    /// Of app and identifier.
    var hash: UInt32 = 0
    private var smallAttempts: UInt16 = 0
    /// An index in the schedule's list of boots.
    var boot: UInt16 = 0
    var place = Place.free
    private var flags: UInt8 = 0

    init() {}

    init(_ record: TaskRecord, app: Int32, boot: UInt16, hash: UInt32) {
        let request = record.request
        number = request.number
        identifier = request.identifier
        earliest = request.earliestBegin?.timeIntervalSinceReferenceDate ?? -.infinity
        submittedWall = request.submitted.wall.timeIntervalSinceReferenceDate
        submittedUptime = request.submitted.uptime
        self.app = app
        self.boot = boot
        self.hash = hash
        let kind: UInt8 =
            switch request.kind {
            case .refresh: 0
            case .processing: 1
            case .healthResearch: 2
            case .continued: 3
            }
        flags = kind | (request.requiresNetwork ? 4 : 0) | (request.requiresExternalPower ? 8 : 0)
        attempts = record.attempts
    }

    var attempts: Int {
        get { Int(smallAttempts) }
        set { smallAttempts = UInt16(clamping: newValue) }
    }

    var kind: TaskRequest.Kind {
        switch flags & 3 {
        case 0: .refresh
        case 1: .processing
        case 2: .healthResearch
        default: .continued
        }
    }

    /// The begin date that it waits for, or -infinity. A date that had already come at the submission does not count:
    /// the request is due then, and stays so if the wall clock is set back.
    var begin: Double { kind != .continued && earliest > submittedWall ? earliest : -.infinity }

    var requiresNetwork: Bool { flags & 4 != 0 }
    var requiresExternalPower: Bool { flags & 8 != 0 }
    var isPending: Bool { place != .active && place != .free }

    /// The conditions that it needs to run.
    var lane: TaskScheduleLane.Kind {
        .init(kind, requiresNetwork: requiresNetwork, requiresExternalPower: requiresExternalPower)
    }

    func isBefore(_ other: TaskScheduleSlot) -> Bool {
        key != other.key ? key < other.key : number < other.number
    }

    static func hash(number: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    static func hash(app: Int32, identifier: String) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(app)
        hasher.combine(identifier)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
