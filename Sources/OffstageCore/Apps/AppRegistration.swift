// SPDX-License-Identifier: Apache-2.0

/// The daemon's record of an app, running or not; kept in the store.
package struct AppRegistration: Sendable, Equatable, Codable {
    /// The values of an `Info.plist`, by Apple's keys.
    package struct Information: Sendable, Equatable, Codable {
        /// `CFBundleDisplayName`, otherwise `CFBundleName`.
        package var name: String?
        /// `UIBackgroundModes`.
        package var backgroundModes: [String]
        /// `BGTaskSchedulerPermittedIdentifiers`.
        package var permittedTaskIdentifiers: [String]

        package init(name: String? = nil, backgroundModes: [String] = [], permittedTaskIdentifiers: [String] = []) {
            self.name = name
            self.backgroundModes = backgroundModes
            self.permittedTaskIdentifiers = permittedTaskIdentifiers
        }
    }

    /// How it was last launched in foreground, for later launches.
    package struct Launch: Sendable, Equatable, Codable {
        /// All except the first, which is the executable.
        package var arguments: [String]
        package var workingDirectory: String
        /// The environment in the kernel's form, sorted: a tenth of a dictionary's size, for perhaps ten thousand apps
        /// that do not run.
        private var variables: String

        package init(arguments: [String], workingDirectory: String, environment: [String: String]) {
            self.arguments = arguments
            self.workingDirectory = workingDirectory
            variables = Self.packed(environment)
        }

        /// Only variables of the allow-list (`LaunchEnvironment`).
        package var environment: [String: String] {
            get {
                var environment: [String: String] = [:]
                for variable in variables.split(separator: "\0") {
                    let parts = variable.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    environment[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
                }
                return environment
            }
            set { variables = Self.packed(newValue) }
        }

        private static func packed(_ environment: [String: String]) -> String {
            let joined = environment.map { "\($0)=\($1)" }.sorted().joined(separator: "\0")
            // A copy of exactly its length, because joining leaves room at the end.
            return String(decoding: Array(joined.utf8), as: UTF8.self)
        }

        private enum CodingKeys: CodingKey {
            case arguments, workingDirectory, environment
        }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                arguments: try container.decode([String].self, forKey: .arguments),
                workingDirectory: try container.decode(String.self, forKey: .workingDirectory),
                environment: try container.decode([String: String].self, forKey: .environment)
            )
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(arguments, forKey: .arguments)
            try container.encode(workingDirectory, forKey: .workingDirectory)
            try container.encode(environment, forKey: .environment)
        }
    }

    /// The process that is, or was, the app's.
    package struct Process: Sendable, Equatable, Codable {
        package var identity: ProcessIdentity
        /// The boot that it belongs to.
        package var bootID: String
        /// Whether the daemon launched it.
        package var isChild: Bool

        package init(identity: ProcessIdentity, bootID: String, isChild: Bool) {
            self.identity = identity
            self.bootID = bootID
            self.isChild = isChild
        }
    }

    /// `AppIdentity`: the bundle identifier, or the executable's path.
    package var id: String
    package var executable: String
    package var information: Information
    package var launch: Launch
    /// The person swiped it away: only the person launches it.
    package var isQuit: Bool
    /// Its transfers must be cancelled because it was swiped away, and the cancellation is not durable yet.
    package var owesCancellation: Bool
    /// Whether one of its processes has ever connected. An app that never connects is a plain program, and is not
    /// launched for its sessions.
    package var hasAttached: Bool
    /// Its intended state, into which a new daemon brings the processes that it finds.
    package var isInForeground: Bool
    package var process: Process?
    /// The value of `OFFSTAGE_LAUNCH` for a process that is being launched. If this daemon is killed before it knows
    /// the process's number, the next one finds the process by this value.
    package var launchToken: String?
    package var backoff: LaunchBackoff
    /// When it was last in front or woken, in seconds on `CLOCK_BOOTTIME` of its process's boot.
    package var lastUsed: Double?
    /// The minimum number of seconds between two calls of `performFetchWithCompletionHandler`; nil for no calls.
    @WithinIfPresent<Durations> package var fetchInterval: Double?

    package init(id: String, executable: String, information: Information, launch: Launch) {
        self.id = id
        self.executable = executable
        self.information = information
        self.launch = launch
        isQuit = false
        owesCancellation = false
        hasAttached = false
        isInForeground = false
        backoff = LaunchBackoff()
        fetchInterval = nil
    }

    private enum CodingKeys: CodingKey {
        case id, executable, information, launch, isQuit, owesCancellation, hasAttached, isInForeground, process
        case launchToken, backoff, lastUsed, fetchInterval
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        executable = try container.decode(String.self, forKey: .executable)
        information = try container.decode(Information.self, forKey: .information)
        launch = try container.decode(Launch.self, forKey: .launch)
        isQuit = try container.decode(Bool.self, forKey: .isQuit)
        owesCancellation = try container.decodeIfPresent(Bool.self, forKey: .owesCancellation) ?? false
        // A record without this field: an unnecessary launch is better than a lost wake.
        hasAttached = try container.decodeIfPresent(Bool.self, forKey: .hasAttached) ?? true
        isInForeground = try container.decode(Bool.self, forKey: .isInForeground)
        process = try container.decodeIfPresent(Process.self, forKey: .process)
        launchToken = try container.decodeIfPresent(String.self, forKey: .launchToken)
        backoff = try container.decode(LaunchBackoff.self, forKey: .backoff)
        lastUsed = try container.decodeIfPresent(Double.self, forKey: .lastUsed)
        _fetchInterval = try container.decode(WithinIfPresent<Durations>.self, forKey: .fetchInterval)
    }
}
