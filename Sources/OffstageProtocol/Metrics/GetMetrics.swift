// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// The daemon's counts and measurements since it started, and its present figures.
package struct GetMetrics: WireRequest {
    package static let name = "metrics"
    package typealias Reply = DaemonMetrics
    package init() {}
}

/// The figures of a daemon. All of it is bounded: nothing in it comes from a transfer, an app or a server.
package struct DaemonMetrics: Codable, Sendable, Equatable {
    package var version: OffstageVersion
    /// When every count began.
    @Within<CalendarDates> package var startedAt: Date
    package var process: ProcessFigures
    @Within<Counts> package var connections: Int
    /// The number of notices that `offstage daemon status` shows.
    @Within<Counts> package var notices: Int
    package var transfers: TransferMetrics
    /// The unfinished transfers.
    package var standings: Tally<TransferStanding>
    /// The queued ones among them, by the reason why they are not started.
    package var line: Tally<LineStanding>
    package var store: StoreFigures
    package var apps: Tally<LifeState>
    package var tasks: Tally<TaskStanding>
    package var accounts: Tally<AccountStanding>

    package init(
        version: OffstageVersion,
        startedAt: Date,
        process: ProcessFigures,
        connections: Int,
        notices: Int,
        transfers: TransferMetrics,
        standings: Tally<TransferStanding>,
        line: Tally<LineStanding>,
        store: StoreFigures,
        apps: Tally<LifeState>,
        tasks: Tally<TaskStanding>,
        accounts: Tally<AccountStanding>
    ) {
        self.version = version
        self.startedAt = startedAt
        self.process = process
        self.connections = connections
        self.notices = notices
        self.transfers = transfers
        self.standings = standings
        self.line = line
        self.store = store
        self.apps = apps
        self.tasks = tasks
        self.accounts = accounts
    }

    /// The resource usage of the daemon's process.
    package struct ProcessFigures: Codable, Sendable, Equatable {
        /// Processor time in seconds, in the program and in the kernel.
        @Within<Uptimes> package var processorTime: Double
        @Within<ByteCounts> package var residentBytes: Int64

        package init(processorTime: Double, residentBytes: Int64) {
            self.processorTime = processorTime
            self.residentBytes = residentBytes
        }
    }

    package struct StoreFigures: Codable, Sendable, Equatable {
        package var commits: Histogram
        @Within<ByteCounts> package var bytes: Int64
        /// The size of the write-ahead log, in bytes.
        @Within<ByteCounts> package var logBytes: Int64
        /// Ended transfers that are still on record.
        @Within<Counts> package var finished: Int
        /// Whether the store cannot be read or written now.
        package var isFailing: Bool

        package init(commits: Histogram, bytes: Int64, logBytes: Int64, finished: Int, isFailing: Bool) {
            self.commits = commits
            self.bytes = bytes
            self.logBytes = logBytes
            self.finished = finished
            self.isFailing = isFailing
        }
    }
}

/// The states in which requests for deferred work are counted.
package enum TaskStanding: String, Sendable, Hashable, CaseIterable {
    case pending, running
}

/// The states in which accounts are counted.
package enum AccountStanding: String, Sendable, Hashable, CaseIterable {
    case usable, needsSignIn
}
