// SPDX-License-Identifier: Apache-2.0

/// The daemon's state.
package struct GetStatus: WireRequest {
    package static let name = "status"
    package typealias Reply = DaemonStatus
    package init() {}
}

/// Commits, interrupts running transfers (the next daemon continues them) and exits.
package struct StopDaemon: WireRequest {
    package static let name = "stop"
    package typealias Reply = Empty
    package init() {}
}

/// The daemon's own state, for `offstage daemon status` and `offstage doctor`.
package struct DaemonStatus: Codable, Sendable, Equatable {
    package var version: OffstageVersion
    package var processID: Int32
    /// Seconds since it started.
    package var uptime: Double
    package var socketPath: String
    package var storePath: String
    package var settingsPath: String
    /// How many transfers there are, by `TransferState.Kind.rawValue`.
    package var counts: [String: Int]
    package var connections: Int
    /// Whether there is a non-loopback network, or a sentence explaining why not.
    package var network: String
    package var rateLimit: Int64?
    /// The schedule's effect on transfers; nil if the settings have no schedule.
    package var schedule: ScheduleStatus?
    /// The daemon's notices: a damaged store that was set aside, failing commits.
    package var notices: [String]
    /// How it was started: `on demand`, `systemd socket`, `by hand`.
    package var startedBy: String
    /// Why it cannot show anything on a desktop; empty if it can, and nil from an older daemon.
    package var desktop: String?

    package init(
        version: OffstageVersion,
        processID: Int32,
        uptime: Double,
        socketPath: String,
        storePath: String,
        settingsPath: String,
        counts: [String: Int],
        connections: Int,
        network: String,
        rateLimit: Int64?,
        schedule: ScheduleStatus? = nil,
        notices: [String],
        startedBy: String,
        desktop: String? = nil
    ) {
        self.version = version
        self.processID = processID
        self.uptime = uptime
        self.socketPath = socketPath
        self.storePath = storePath
        self.settingsPath = settingsPath
        self.counts = counts
        self.connections = connections
        self.network = network
        self.rateLimit = rateLimit
        self.schedule = schedule
        self.notices = notices
        self.startedBy = startedBy
        self.desktop = desktop
    }
}
