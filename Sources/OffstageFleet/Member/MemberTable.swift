// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The rows that the member holds, and the transfers that carry them out.
///
/// Belongs to the loop's thread.
final class MemberTable {
    private(set) var rows: [FleetGrant: HeldRow] = [:]
    private var grants: [TransferID: FleetGrant] = [:]
    /// The fleet's transfers that the daemon had on record when it was connected, by lease.
    private(set) var known: [FleetGrant: TransferRow] = [:]
    /// Transfers that carry out no row of this member, to be released. The value is whether that was requested.
    private(set) var strangers: [TransferID: Bool] = [:]
    /// Transfers that ended before the daemon's answer told which rows they carry out.
    private var early: [TransferRow] = []

    private static let mostEarly = 1000

    var isEmpty: Bool { rows.isEmpty }
    var count: Int { rows.count }

    /// Adds a row.
    func add(_ row: HeldRow) { rows[row.grant] = row }

    /// Changes a row, if it is held. Returns the result of `body`.
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

    /// Records an end that cannot be attributed to a row yet.
    func addEarly(_ row: TransferRow) {
        if early.count >= Self.mostEarly { early.removeFirst() }  // checked: there are some
        early.append(row)
    }

    /// Takes the recorded ends of transfers, once their rows are known.
    func takeEarly(of transfers: Set<TransferID>) -> [TransferRow] {
        let found = early.filter { transfers.contains($0.id) }
        early.removeAll { transfers.contains($0.id) }
        return found
    }

    // MARK: - Records of the daemon

    /// Handles a connection to the daemon, which has these transfers of the fleet on record.
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

    /// Handles the loss of the daemon.
    func lostDaemon() {
        known = [:]
        strangers = [:]
        early = []
    }

    /// Takes the transfer that was found for a row.
    func takeKnown(_ grant: FleetGrant) -> TransferRow? { known.removeValue(forKey: grant) }

    /// Declares transfers found for other rows to be strangers, as the member's rows are now known.
    func settle() {
        for (grant, transfer) in known where rows[grant] == nil {
            strangers[transfer.id] = false
            known[grant] = nil
        }
    }

    /// Takes the strangers whose release was not requested yet, and marks them as requested.
    func takeStrangers() -> [TransferID] {
        let fresh = strangers.filter { !$0.value }.map(\.key).sorted { $0.rawValue < $1.rawValue }
        for id in fresh { strangers[id] = true }
        return fresh
    }

    /// Adds a stranger.
    func addStranger(_ id: TransferID) { strangers[id] = strangers[id] ?? false }

    /// Removes a transfer from the strangers. Returns whether it was one.
    func removeStranger(_ id: TransferID) -> Bool { strangers.removeValue(forKey: id) != nil }
}
