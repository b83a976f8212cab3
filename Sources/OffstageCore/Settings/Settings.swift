// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The contents of `settings.json`; every key is optional.
package struct Settings: Sendable, Equatable, Codable {
    /// Simultaneous transfers per host and port (Apple's `httpMaximumConnectionsPerHost`).
    package var connectionsPerHost = 6
    /// Simultaneous transfers in total.
    package var maximumRunning = 64
    /// Bytes per second for all transfers together; nil for no limit. `offstage limit` changes it until the daemon
    /// ends.
    package var rateLimit: Int64?
    /// The rules for all transfers by time of day; the first one that covers the time applies.
    package var schedule: [ScheduleEntry] = []
    /// Finished transfers are pruned after this many days…
    package var keepFinishedDays = 30
    /// …or when there are more than this many.
    package var keepFinishedCount = 10_000
    /// Seconds before the first retry, and the longest wait between two.
    package var retryBaseDelay: Double = 1
    package var retryMaximumDelay: Double = 300
    /// Run by `/bin/sh -c` with `OFFSTAGE_HOST` and `OFFSTAGE_URL` set, when a transfer waits for credentials; each line it prints is a header.
    package var credentialHelper: String?
    /// How long apps may run in background: `ios4`, `ios7`, `ios13` or seconds as a text (`BackgroundTimeProfile`).
    package var backgroundTime = "ios13"
    /// Seconds that an app continues after its last hold has ended, before it is suspended.
    package var suspendGrace = 0.25
    /// Whether an app that is launched in background receives `applicationDidEnterBackground`, as Apple documents but
    /// devices do not do.
    package var entersBackgroundAtLaunch = false
    /// Exceptions for single apps, by identifier.
    package var apps: [String: AppSettings] = [:]
    /// Apple's own limits, which are inconvenient: apps that are woken repeatedly wait longer each time.
    package var strict = false
    /// Whether an app's transfers continue when a person quits it.
    package var keepTransfersOnQuit = false
    /// When deferred work of apps runs, and for how long.
    package var deferredWork = DeferredWorkSettings()
    /// Whether apps may notify; on a phone, a person is asked.
    package var notifications = true
    /// The desktop notifications for transfers without their own choice.
    package var notify = NotifyChoice.never
    /// Whether to use the network as little as possible, like Low Data Mode on a phone.
    package var lowDataMode = false
    /// Seconds that the daemon has to stop; after that it ends at once.
    package var stopDeadline: Double = 20
    /// Additional variables that are recorded when an app is launched, for its relaunch.
    package var launchEnvironment: [String] = []
    /// The minimum level of the records in the daemon's log.
    package var logLevel = LogRecord.Level.notice
    /// A fault switch for tests: every commit takes this many seconds longer.
    package var testCommitDelay: Double = 0

    package init() {}

    /// The keys that the file may have.
    package static var keys: [String] { CodingKeys.allCases.map(\.rawValue) }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case connectionsPerHost, maximumRunning, rateLimit, keepFinishedDays, keepFinishedCount
        case retryBaseDelay, retryMaximumDelay, credentialHelper, testCommitDelay
        case backgroundTime, suspendGrace, entersBackgroundAtLaunch, apps, strict, keepTransfersOnQuit
        case launchEnvironment, deferredWork, stopDeadline, notifications, lowDataMode, schedule, logLevel, notify
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownKeys(CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        connectionsPerHost = try container.decodeIfPresent(Int.self, forKey: .connectionsPerHost) ?? connectionsPerHost
        maximumRunning = try container.decodeIfPresent(Int.self, forKey: .maximumRunning) ?? maximumRunning
        rateLimit = try container.decodeIfPresent(Int64.self, forKey: .rateLimit)
        schedule = try container.decodeIfPresent([ScheduleEntry].self, forKey: .schedule) ?? schedule
        keepFinishedDays = try container.decodeIfPresent(Int.self, forKey: .keepFinishedDays) ?? keepFinishedDays
        keepFinishedCount = try container.decodeIfPresent(Int.self, forKey: .keepFinishedCount) ?? keepFinishedCount
        retryBaseDelay = try container.decodeIfPresent(Double.self, forKey: .retryBaseDelay) ?? retryBaseDelay
        retryMaximumDelay = try container.decodeIfPresent(Double.self, forKey: .retryMaximumDelay) ?? retryMaximumDelay
        credentialHelper = try container.decodeIfPresent(String.self, forKey: .credentialHelper)
        backgroundTime = try container.decodeIfPresent(String.self, forKey: .backgroundTime) ?? backgroundTime
        suspendGrace = try container.decodeIfPresent(Double.self, forKey: .suspendGrace) ?? suspendGrace
        entersBackgroundAtLaunch =
            try container.decodeIfPresent(Bool.self, forKey: .entersBackgroundAtLaunch) ?? entersBackgroundAtLaunch
        apps = try container.decodeIfPresent([String: AppSettings].self, forKey: .apps) ?? apps
        strict = try container.decodeIfPresent(Bool.self, forKey: .strict) ?? strict
        keepTransfersOnQuit =
            try container.decodeIfPresent(Bool.self, forKey: .keepTransfersOnQuit) ?? keepTransfersOnQuit
        deferredWork = try container.decodeIfPresent(DeferredWorkSettings.self, forKey: .deferredWork) ?? deferredWork
        notifications = try container.decodeIfPresent(Bool.self, forKey: .notifications) ?? notifications
        notify = try container.decodeIfPresent(NotifyChoice.self, forKey: .notify) ?? notify
        lowDataMode = try container.decodeIfPresent(Bool.self, forKey: .lowDataMode) ?? lowDataMode
        stopDeadline = try container.decodeIfPresent(Double.self, forKey: .stopDeadline) ?? stopDeadline
        launchEnvironment =
            try container.decodeIfPresent([String].self, forKey: .launchEnvironment) ?? launchEnvironment
        logLevel = try container.decodeIfPresent(LogRecord.Level.self, forKey: .logLevel) ?? logLevel
        testCommitDelay = try container.decodeIfPresent(Double.self, forKey: .testCommitDelay) ?? testCommitDelay
    }

    /// Reads settings from the bytes of a file.
    ///
    /// - Throws: `SettingsError.invalid` with the place of a syntax error, an unknown key or a value out of range.
    package static func parse(_ bytes: [UInt8], path: String) throws(SettingsError) -> Settings {
        let settings: Settings
        do {
            settings = try ForeignJSON.decode(Settings.self, from: bytes)
        } catch let error as DecodingError {
            throw .invalid(path: path, detail: describe(error, in: bytes))
        } catch {
            let mistake = JSONSyntax.firstMistake(in: bytes)
            throw .invalid(path: path, detail: mistake.map { "syntax error: \($0)" } ?? "\(error)")
        }
        func check(_ holds: Bool, _ text: String) throws(SettingsError) {
            if !holds { throw .invalid(path: path, detail: text) }
        }
        try check((1...1024).contains(settings.connectionsPerHost), "connectionsPerHost must be from 1 to 1024")
        try check((1...1024).contains(settings.maximumRunning), "maximumRunning must be from 1 to 1024")
        try check(settings.rateLimit.map { $0 > 0 } ?? true, "rateLimit must be above 0, or left out")
        try check(settings.schedule.count <= 100, "schedule may have up to 100 entries")
        try check((0...36_500).contains(settings.keepFinishedDays), "keepFinishedDays must be from 0 to 36500")
        try check(settings.keepFinishedCount >= 0, "keepFinishedCount must not be negative")
        try check(settings.retryBaseDelay > 0, "retryBaseDelay must be above 0 seconds")
        try check(
            settings.retryMaximumDelay >= settings.retryBaseDelay,
            "retryMaximumDelay must not be below retryBaseDelay"
        )
        try check(settings.retryMaximumDelay <= 604_800, "retryMaximumDelay must be at most 604800 seconds, a week")
        try check((0...60).contains(settings.suspendGrace), "suspendGrace must be from 0 to 60 seconds")
        try check((1...3600).contains(settings.stopDeadline), "stopDeadline must be from 1 to 3600 seconds")
        try check((0...60).contains(settings.testCommitDelay), "testCommitDelay must be from 0 to 60 seconds")
        if let problem = settings.deferredWork.problem { try check(false, problem) }
        for text in [settings.backgroundTime] + settings.apps.values.compactMap(\.backgroundTime) {
            try check(
                BackgroundTimeProfile(text) != nil,
                "backgroundTime must be ios4, ios7, ios13 or a text with the seconds, from 0.1 to 86400, not '\(text)'"
            )
        }
        return settings
    }

    /// How long this app may run in background.
    package func backgroundTime(of app: String) -> BackgroundTimeProfile {
        BackgroundTimeProfile(apps[app]?.backgroundTime ?? backgroundTime) ?? .ios13
    }

    private static func describe(_ error: DecodingError, in bytes: [UInt8]) -> String {
        if let mistake = JSONSyntax.firstMistake(in: bytes) { return "syntax error: \(mistake)" }
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            guard let key = context.codingPath.last?.stringValue else { return "it must hold one object in { }" }
            return "the value of '\(key)' has the wrong type"
        case .keyNotFound(let key, _): return "'\(key.stringValue)' is missing"
        case .dataCorrupted(let context):
            guard let key = context.codingPath.last?.stringValue else {
                // The decoder's message for an unknown key is clear; for a number that does not fit, it is too vague.
                return context.debugDescription.contains("JSON")
                    ? "a number is too large, or has a fraction where only whole numbers are allowed"
                    : context.debugDescription
            }
            return "the value of '\(key)' is not usable: \(context.debugDescription)"
        @unknown default: return "\(error)"
        }
    }
}
