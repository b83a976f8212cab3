// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageRuntime

/// The previous daemon's unfinished transfers, entered one at a time: a million in line are never held a second time in
/// addition to the line.
package struct RestoredTransfers: Sendable {
    var schedule: TransferSchedule
    var deadlines = DeadlineHeap()
    /// Transfers that crashed the daemon too often to begin together with other transfers.
    private var suspected: [TransferID] = []
    private var begun: [TransferID] = []
    /// The number of tasks of each session.
    private(set) var tasks: [SessionName: Int] = [:]
    /// Counts the transfers that need not be read.
    private(set) var census = TransferCensus()
    private let crashes: CrashMemory
    private let now: Moment

    package init(settings: Settings, crashes: CrashMemory = CrashMemory(), now: Moment) {
        schedule = TransferSchedule(limits: .init(perHost: settings.connectionsPerHost, total: settings.maximumRunning))
        self.crashes = crashes
        self.now = now
    }

    /// The transfers that must still be read, for their needs, for their further addresses or for the transfers that
    /// they come after; lowest number first.
    var toBeAsked: [TransferID] {
        var all = suspected + begun
        all.sort()
        return all
    }

    package mutating func add(_ summary: TransferSummary) {
        if let session = summary.session {
            tasks[SessionName(app: summary.owner, identifier: session), default: 0] += 1
        }
        switch summary.kind {
        case .waiting, .running: begun.append(summary.id)
        case .paused:
            // Its predecessors may end and be forgotten before it continues.
            if summary.mustBeRead { begun.append(summary.id) } else { census.add(.paused) }
        case .finished: break
        case .queued:
            guard crashes.standing(of: .transfer(summary.id)) == .free else { return suspected.append(summary.id) }
            // All of its addresses determine its line.
            guard !summary.mustBeRead else { return begun.append(summary.id) }
            census.add(.queued)
            schedule.enqueue(
                summary.id,
                owner: summary.owner,
                session: summary.session,
                hostKey: summary.hostKey,
                priority: summary.priority,
                perHost: summary.connectionsPerHost
            )
            if let expiry = summary.expiry {
                deadlines.insert(summary.id, due: now.uptime + expiry.remaining(at: now))
            }
        }
    }
}
