// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// One row that the member holds: its life, and what the database gave with it.
struct HeldRow {
    var row: FleetRow
    /// The specification without its secrets, byte for byte: seals cover it.
    let spec: String
    let sealed: [UInt8]?
    let memory: [UInt8]?
    /// The server for which it was counted; nil for none that can be read.
    let host: String?
    /// 0 to 100.
    let priority: Int
    /// Seconds on the boot-time clock.
    let leasedAt: Double
    /// Whether an earlier process of this member held it.
    let isOld: Bool
    /// Whether the daemon was, or may have been, asked to take it: it may be on record there.
    var wasHandedOver: Bool
    /// What was learned of its end.
    private(set) var receipt: String?

    /// Bytes of a memory; the database's own limit.
    static let longestMemory = 262_144

    /// Reads a row of a turn; nil for one without a lease.
    ///
    /// - Parameters:
    ///   - record: nothing in it is trusted.
    ///   - now: seconds on the boot-time clock.
    ///   - isOld: whether an earlier process of this member held it.
    ///   - isBegun: whether the database was told that a request may be sent.
    init?(_ record: FleetRecord, now: Double, isOld: Bool = false, isBegun: Bool = false) {
        guard let grant = FleetGrant(row: record.raw("id"), fence: record.raw("fence")) else { return nil }
        // What cannot be read must not be repeated.
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

    /// Whether it is another's, and its transfer is not gone yet.
    var isLosing: Bool { if case .losing = row.state { true } else { false } }

    /// What the daemon is told once more of a transfer under way, as it may not have heard it; nil for nothing.
    ///
    /// - Parameter isPaused: whether the transfer is.
    /// - Returns: what to do with the transfer.
    func reminder(isPaused: Bool) -> ActOnTransfers.Verb? {
        switch row.state {
        case .running: isPaused ? .resume : nil
        case .halted: .pause
        case .stopping(_, let back): back.note == FleetWish.cancelled ? .cancel : .release
        case .losing: .release
        case .granted, .beginning, .handingOver, .reporting, .returning, .over: nil
        }
    }

    /// Bytes; the database's own limit.
    private static let longestReceipt = 65_536

    /// The database does not take it.
    mutating func forgetReceipt() { receipt = nil }

    /// Records what is known of the file that was sent.
    mutating func record(_ receipt: TransferReceipt?) {
        guard let receipt, let json = try? JSONEncoder().encode(receipt), json.count <= Self.longestReceipt else {
            return
        }
        self.receipt = String(decoding: json, as: UTF8.self)
    }
}
