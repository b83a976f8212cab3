// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCommands
import OffstageCore
import OffstageProtocol

/// A part of the list.
struct ListDocument: Encodable {
    let transfers: [PageTransfer]
    let hasMore: Bool
    let counts: [String: Int]

    init(_ reply: ListTransfers.Reply) {
        transfers = reply.rows.map(PageTransfer.init)
        hasMore = reply.hasMore
        counts = reply.counts
    }
}

/// One transfer: what `offstage show --json` prints, and its row.
struct DetailDocument: Encodable {
    let row: PageTransfer
    let detail: TransferDetailDocument

    init(_ detail: TransferDetail) {
        row = PageTransfer(detail.row)
        self.detail = TransferDetailDocument(detail)
    }
}

/// The parts of the daemon's state that the page shows.
struct StateDocument: Encodable {
    struct Schedule: Encodable {
        let isInForce: Bool
        let isPause: Bool
        let until: Date?
    }

    let version: String
    let processID: Int32
    let uptime: Double
    let counts: [String: Int]
    let network: String
    let rateLimit: Int64?
    let schedule: Schedule?
    let notices: [String]
    /// Whether this user's commands are for a fleet.
    let hasFleet: Bool

    init(_ status: DaemonStatus, hasFleet: Bool) {
        self.hasFleet = hasFleet
        version = status.version.description
        processID = status.processID
        uptime = status.uptime
        counts = status.counts
        network = status.network
        rateLimit = status.rateLimit
        schedule = status.schedule.map {
            Schedule(isInForce: $0.isInForce, isPause: $0.isPause, until: $0.until)
        }
        notices = status.notices
    }
}

/// An update for a page.
struct NewsDocument: Encodable {
    struct Progress: Encodable {
        let id: Int64
        let bytesDone: Int64
        let bytesTotal: Int64?
        let rate: Double
        let standing: String?

        init(_ progress: TransferEvent.Progress) {
            id = progress.id.rawValue
            bytesDone = progress.bytesDone
            bytesTotal = progress.bytesTotal
            rate = progress.rate
            standing = progress.standing
        }
    }

    /// The transfers under way, in the first update, up to the limit of one answer.
    var snapshot: [PageTransfer]?
    var rows: [PageTransfer]?
    var progress: [Progress]?
    var removed: [Int64]?
    var hasTasks: Bool?
    var isCut: Bool?
    var state: StateDocument?
    /// Why the daemon cannot be reached; empty once it is reachable again.
    var trouble: String?

    init() {}

    init(_ bulletin: PageNews.Bulletin) {
        if !bulletin.rows.isEmpty { rows = bulletin.rows.map(PageTransfer.init) }
        if !bulletin.progress.isEmpty { progress = bulletin.progress.map(Progress.init) }
        if !bulletin.removed.isEmpty { removed = bulletin.removed.map(\.rawValue) }
        if bulletin.hasTasks { hasTasks = true }
        if bulletin.isCut { isCut = true }
    }
}

/// The result of an action.
struct ActDocument: Encodable {
    struct Refusal: Encodable {
        let id: Int64
        let message: String
    }

    /// The first transfers that the action was applied to.
    let done: [Int64]
    let count: Int
    let refused: [Refusal]
    private static let most = 1000

    init(_ reply: ActOnTransfers.Reply) {
        done = reply.done.prefix(Self.most).map(\.rawValue)
        count = reply.done.count
        refused = reply.refused.prefix(Self.most).map { Refusal(id: $0.id.rawValue, message: $0.failure.message) }
    }
}

struct FailureDocument: Encodable {
    let error: String
}

struct AppsDocument: Encodable {
    let apps: [AppDocument]
}

struct AccountsDocument: Encodable {
    let accounts: [AccountDocument]
}

struct FindingsDocument: Encodable {
    let findings: [Finding]
}
