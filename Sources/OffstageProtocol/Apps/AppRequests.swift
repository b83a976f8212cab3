// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// All registered apps, by identifier.
package struct ListApps: WireRequest {
    package static let name = "apps.list"
    package struct Reply: Codable, Sendable, Equatable {
        package var rows: [AppRow]
        package init(rows: [AppRow]) { self.rows = rows }
    }
    package init() {}
}

/// An app in a list.
package struct AppRow: Codable, Sendable, Equatable {
    package var id: String
    package var name: String?
    package var state: LifeState
    package var isQuit: Bool
    package var process: Int32?
    /// When it entered its state; nil if that was before this daemon started.
    package var since: Date?
    /// The number of unfinished transfers.
    package var outstanding: Int

    package init(
        id: String,
        name: String?,
        state: LifeState,
        isQuit: Bool,
        process: Int32?,
        since: Date?,
        outstanding: Int
    ) {
        self.id = id
        self.name = name
        self.state = state
        self.isQuit = isQuit
        self.process = process
        self.since = since
        self.outstanding = outstanding
    }
}

/// All details of one app that may be shown, with only the names of its environment variables and only the number of
/// its arguments.
package struct ShowApp: WireRequest {
    package static let name = "apps.show"
    package struct Reply: Codable, Sendable, Equatable {
        package var row: AppRow
        package var executable: String
        package var information: AppRegistration.Information
        package var arguments: [String]
        package var workingDirectory: String
        package var environmentNames: [String]
        package var backgroundTime: BackgroundTimeProfile
        package var tasks: [BackgroundTask]
        /// When its time in the background is over.
        package var timeEnds: Date?
        /// Until when it is not launched in the background.
        package var delayedUntil: Date?
        package var logPath: String
        /// How it is suspended: `signal` or `freezer`.
        package var suspendsBy: String
        /// Why the daemon would not launch it now, as a sentence; nil if it would.
        package var launchProblem: String?
        /// The folder of its documents, caches and temporary files; nil from an older daemon.
        package var container: String?

        package init(
            row: AppRow,
            executable: String,
            information: AppRegistration.Information,
            arguments: [String],
            workingDirectory: String,
            environmentNames: [String],
            backgroundTime: BackgroundTimeProfile,
            tasks: [BackgroundTask],
            timeEnds: Date?,
            delayedUntil: Date?,
            logPath: String,
            suspendsBy: String,
            launchProblem: String? = nil,
            container: String? = nil
        ) {
            self.container = container
            self.row = row
            self.executable = executable
            self.information = information
            self.arguments = arguments
            self.workingDirectory = workingDirectory
            self.environmentNames = environmentNames
            self.backgroundTime = backgroundTime
            self.tasks = tasks
            self.timeEnds = timeEnds
            self.delayedUntil = delayedUntil
            self.logPath = logPath
            self.suspendsBy = suspendsBy
            self.launchProblem = launchProblem
        }
    }
    /// The identifier.
    package var app: String
    /// Whether to show its arguments, which may contain a secret; nil, as from an older command, for no.
    package var reveals: Bool?
    package init(app: String, reveals: Bool = false) {
        self.app = app
        self.reveals = reveals ? true : nil
    }
}

/// The story of one app, oldest first.
package struct ReadAppStory: WireRequest {
    package static let name = "apps.story"
    package struct Reply: Codable, Sendable, Equatable {
        package var entries: [StoredAppEntry]
        package init(entries: [StoredAppEntry]) { self.entries = entries }
    }
    package var app: String
    /// Only later entries, at most `limit`, starting with the first; nil for the last entries.
    package var after: Int64?
    package var limit: Int
    package init(app: String, after: Int64? = nil, limit: Int = 1000) {
        self.app = app
        self.after = after
        self.limit = limit
    }
}

/// Registers an app: a `Name.app` folder, or an executable with an `Info.plist`.
package struct InstallApp: WireRequest {
    package static let name = "apps.install"
    package struct Reply: Codable, Sendable, Equatable {
        package var app: String
        /// Whether it was not registered before.
        package var isNew: Bool
        package init(app: String, isNew: Bool) {
            self.app = app
            self.isNew = isNew
        }
    }
    /// Absolute.
    package var path: String
    package var arguments: [String]
    package var workingDirectory: String
    /// The environment of the command; only variables on the allow-list are kept.
    package var environment: [String: String]
    package init(path: String, arguments: [String], workingDirectory: String, environment: [String: String]) {
        self.path = path
        self.arguments = arguments
        self.workingDirectory = workingDirectory
        self.environment = environment
    }
}

/// Performs one action on an app; answered once it is durable and under way.
package struct ActOnApp: WireRequest {
    package static let name = "apps.act"
    package enum Verb: Codable, Sendable, Equatable {
        case launch(inBackground: Bool)
        case background
        case foreground
        /// Nil to follow the settings.
        case quit(keepsTransfers: Bool?)
        case terminate
        /// Forgets it; refused while it runs.
        case remove
        case memoryWarning
    }
    package struct Reply: Codable, Sendable, Equatable {
        package var row: AppRow?
        package var cancelledTransfers: Int
        package init(row: AppRow?, cancelledTransfers: Int) {
            self.row = row
            self.cancelledTransfers = cancelledTransfers
        }
    }
    package var app: String
    package var verb: Verb
    /// Whether to answer only once the app has reached the requested state, or has ended.
    package var waits: Bool
    package init(app: String, verb: Verb, waits: Bool) {
        self.app = app
        self.verb = verb
        self.waits = waits
    }
}

/// Simulates memory pressure: one suspended app is reclaimed or, if there is none, the running ones are warned.
package struct SimulateMemoryPressure: WireRequest {
    package static let name = "apps.pressure"
    package typealias Reply = Empty
    package init() {}
}
