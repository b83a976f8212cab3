// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The rows that the member holds, and the transfers that carry them out.
///
/// Belongs to the loop's thread.
final class MemberTable {
    private(set) var rows: [FleetGrant: HeldRow] = [:]
    private var grants: [TransferID: FleetGrant] = [:]
    /// Transfers of the fleet at the daemon, by their lease, that were found when it was connected to.
    private(set) var known: [FleetGrant: TransferRow] = [:]
    /// Transfers that carry out no row of this member's: they are let go of. The value says whether that was asked for.
    private(set) var strangers: [TransferID: Bool] = [:]
    /// Transfers that ended before the daemon's answer has said what they carry out.
    private var early: [TransferRow] = []

    private static let mostEarly = 1000

    var isEmpty: Bool { rows.isEmpty }
    var count: Int { rows.count }

    /// Adds a row.
    func add(_ row: HeldRow) { rows[row.grant] = row }

    /// Changes a row, if it is held; returns what the change does.
    func change<Result>(_ grant: FleetGrant, _ body: (inout HeldRow) -> Result) -> Result? {
        guard var held = rows[grant] else { return nil }
        let before = held.row.transfer
        let result = body(&held)
        if held.row.state == .over {
            rows[grant] = nil
        } else {
            rows[grant] = held
        }
        if let transfer = held.row.transfer, held.row.state != .over {
            grants[transfer] = grant
        } else if let before {
            grants[before] = nil
        }
        return result
    }

    /// The row that a transfer carries out.
    func grant(of transfer: TransferID) -> FleetGrant? { grants[transfer] }

    /// Notes an end that nobody can be told of yet.
    func addEarly(_ row: TransferRow) {
        if early.count >= Self.mostEarly { early.removeFirst() }  // checked: there are some
        early.append(row)
    }

    /// Ends that were noted, once it is known what the transfers carry out.
    func takeEarly(of transfers: Set<TransferID>) -> [TransferRow] {
        let found = early.filter { transfers.contains($0.id) }
        early.removeAll { transfers.contains($0.id) }
        return found
    }

    // MARK: - What the daemon has on record

    /// The daemon is there, with these transfers of the fleet on record.
    func found(_ transfers: [TransferRow]) {
        known = [:]
        strangers = [:]
        for transfer in transfers {
            guard let keeper = transfer.keeper, let grant = FleetGrant(row: keeper.row, fence: keeper.fence) else {
                strangers[transfer.id] = false
                continue
            }
            known[grant] = transfer
        }
    }

    /// The daemon has gone.
    func lostDaemon() {
        known = [:]
        strangers = [:]
        early = []
    }

    /// Takes a transfer that was found for a row.
    func takeKnown(_ grant: FleetGrant) -> TransferRow? { known.removeValue(forKey: grant) }

    /// It is known what the member holds: transfers that were found for anything else are nobody's.
    func settle() {
        for (grant, transfer) in known where rows[grant] == nil {
            strangers[transfer.id] = false
            known[grant] = nil
        }
    }

    /// Strangers that nothing was asked about yet; from now on it was.
    func takeStrangers() -> [TransferID] {
        let fresh = strangers.filter { !$0.value }.map(\.key).sorted { $0.rawValue < $1.rawValue }
        for id in fresh { strangers[id] = true }
        return fresh
    }

    /// Adds one that has turned up.
    func addStranger(_ id: TransferID) { strangers[id] = strangers[id] ?? false }

    /// Whether the transfer was a stranger, which is done with.
    func removeStranger(_ id: TransferID) -> Bool { strangers.removeValue(forKey: id) != nil }
}
