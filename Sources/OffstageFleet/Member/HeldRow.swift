// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// One row that the member holds: its state, and the values from the database.
struct HeldRow {
    var row: FleetRow
    /// The exact bytes of the specification without its secrets, which are covered by seals.
    let spec: String
    let sealed: [UInt8]?
    let memory: [UInt8]?
    /// The server that the row counts towards; nil if it cannot be parsed.
    let host: String?
    /// 0 to 100.
    let priority: Int
    /// Seconds on the boot-time clock.
    let leasedAt: Double
    /// Whether an earlier process of this member held it.
    let isOld: Bool
    /// Whether the row was, or may have been, handed over to the daemon, which may have it on record.
    var wasHandedOver: Bool
    /// The receipt, if the transfer has ended with one.
    private(set) var receipt: String?

    /// The most bytes of a memory, which is the database's limit.
    static let longestMemory = 262_144

    /// Parses a row of a turn; nil for a row without a lease.
    ///
    /// - Parameters:
    ///   - record: an untrusted record.
    ///   - now: seconds on the boot-time clock.
    ///   - isOld: whether an earlier process of this member held it.
    ///   - isBegun: whether the database has recorded that a request may be sent.
    init?(_ record: FleetRecord, now: Double, isOld: Bool = false, isBegun: Bool = false) {
        guard let grant = FleetGrant(row: record.raw("id"), fence: record.raw("fence")) else { return nil }
        // If the flag cannot be parsed, the row must not be repeated.
        row = FleetRow(grant, isRepeatable: record.flag("is_repeatable") ?? false)
        spec = record.raw("spec") ?? ""
        sealed = record.raw("sealed").map { FleetBytes.read($0, most: FleetSpec.longestSealed) ?? [] }
        memory = record.raw("memory").map { FleetBytes.read($0, most: Self.longestMemory) ?? [] }
        host = record.raw("host")
        priority = record.number("priority", Counts.self) ?? 50
        leasedAt = now
        self.isOld = isOld
        wasHandedOver = isOld && (isBegun || row.isRepeatable)
    }

    var grant: FleetGrant { row.grant }

    /// Whether the row is another member's, but its transfer is not gone yet.
    var isLosing: Bool { if case .losing = row.state { true } else { false } }

    /// The order to repeat for a transfer under way, as the daemon may not have received it; nil for none.
    ///
    /// - Parameter isPaused: whether the transfer is paused.
    /// - Returns: the order.
    func reminder(isPaused: Bool) -> ActOnTransfers.Verb? {
        switch row.state {
        case .running: isPaused ? .resume : nil
        case .halted: .pause
        case .stopping(_, let back): back.note == FleetWish.cancelled ? .cancel : .release
        case .losing: .release
        case .granted, .beginning, .handingOver, .reporting, .returning, .over: nil
        }
    }

    /// The most bytes of a receipt, which is the database's limit.
    private static let longestReceipt = 65_536

    /// Discards the receipt, as the database does not accept it.
    mutating func forgetReceipt() { receipt = nil }

    /// Records the receipt of the file that was sent.
    mutating func record(_ receipt: TransferReceipt?) {
        guard let receipt, let json = try? JSONEncoder().encode(receipt), json.count <= Self.longestReceipt else {
            return
        }
        self.receipt = String(decoding: json, as: UTF8.self)
    }
}
