// SPDX-License-Identifier: Apache-2.0

/// How the daemon is.
package struct GetStatus: WireRequest {
    package static let name = "status"
    package typealias Reply = DaemonStatus
    package init() {}
}

/// Commits, breaks off what runs (it goes on with the next daemon) and exits.
package struct StopDaemon: WireRequest {
    package static let name = "stop"
    package typealias Reply = Empty
    package init() {}
}

/// The daemon's own condition, for `offstage daemon status` and `offstage doctor`.
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
    /// Whether a non-loopback network is there, or the sentence why not.
    package var network: String
    package var rateLimit: Int64?
    /// What the time of day has to do with that; nil where the settings have no schedule.
    package var schedule: ScheduleStatus?
    /// What the daemon has to say: a damaged store that was set aside, commits that fail.
    package var notices: [String]
    /// How it was started: `on demand`, `systemd socket`, `by hand`.
    package var startedBy: String

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
        startedBy: String
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
    }
}
