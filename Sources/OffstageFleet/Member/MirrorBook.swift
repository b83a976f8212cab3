// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// The data that a device publishes: the outcomes of its own transfers, and the machine's conditions.
struct MirrorBook {
    /// One outcome, as stored in the database.
    struct Outcome {
        var transfer: TransferID
        var result: FleetEnd.Result
        var endedAt: Date
        var path: String
        var destination: String
        var bytes: Int64
        var detail: String?

        /// Returns nil for a transfer that has not ended, or that is the fleet's own.
        init?(_ detail: TransferDetail) {
            let row = detail.row
            guard row.keeper == nil, let end = FleetEnd(detail), let date = row.finishedAt else { return nil }
            transfer = row.id
            result = end.result
            endedAt = date
            path = FleetText(row.path, longest: 4000).description
            destination = FleetText(row.url, longest: 8000).description
            bytes = max(0, row.bytesTotal ?? row.bytesDone)
            self.detail = end.detail.map { FleetText($0, longest: 1000).description }
        }
    }

    /// The machine's conditions, as last published.
    struct Condition: Equatable {
        var network: String
        var power: String
        var waiting: Int
        var running: Int
    }

    let isOn: Bool
    private var ended: Set<TransferID> = []
    private(set) var outcomes: [Outcome] = []
    var condition: Condition?
    /// Whether outcomes are on their way to the database.
    var isShowing = false
    /// Whether the daemon's earlier outcomes must still be requested.
    private var mustLookBack = false

    /// The most outcomes in one question, and the most that wait for the database.
    static let most = 200
    private static let mostWaiting = 10_000

    init(isOn: Bool) { self.isOn = isOn }

    /// Handles a new connection to the daemon. Transfers may have ended unobserved.
    mutating func daemonCame() { mustLookBack = isOn }

    /// Handles the end of one of the machine's own transfers.
    mutating func finished(_ transfer: TransferID) {
        if isOn, ended.count < Self.mostWaiting { ended.insert(transfer) }
    }

    mutating func takeLookBack() -> Bool {
        defer { mustLookBack = false }
        return mustLookBack
    }

    mutating func takeEnded() -> [TransferID]? {
        guard !ended.isEmpty else { return nil }
        let some = Array(ended.prefix(50))
        ended.subtract(some)
        return some
    }

    mutating func add(_ outcome: Outcome) { if outcomes.count < Self.mostWaiting { outcomes.append(outcome) } }
    mutating func shown(_ count: Int) { outcomes.removeFirst(min(count, outcomes.count)) }
}
