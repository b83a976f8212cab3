// SPDX-License-Identifier: Apache-2.0

/// The reference for `settings.json`: the source of docs/settings.md, docs/timing.md and offstage-settings(5).
package enum SettingsReference {
    /// A description of the whole file, in Markdown.
    package static let introduction = [
        """
        The daemon reads `settings.json` when it starts: `~/.config/offstage/settings.json` (`$XDG_CONFIG_HOME/offstage/`), or \
        `$OFFSTAGE_HOME/settings.json`. The file and every key are optional. A syntax error, an unknown key or a value out of \
        range prevents the daemon from starting; one sentence says what is wrong and where. Nothing is guessed.
        """
    ]

    /// A file that the daemon accepts.
    package static let example = """
        {
          "connectionsPerHost": 4,
          "rateLimit": 2000000,
          "backgroundTime": "ios7",
          "apps": { "com.example.taskkeeper": { "backgroundTime": "2.5" } }
        }
        """

    /// The keys of the file itself.
    package static var settings: [SettingDescription] { ofTransfers + ofApps + ofBackgroundWork + ofTheDaemon }

    private static var ofTransfers: [SettingDescription] {
        let usual = Settings()
        return [
            SettingDescription(
                "connectionsPerHost",
                "simultaneous transfers of one owner with one host and port; a download [in pieces](pieces.md), or an upload to [Dropbox](dropbox.md#several-chunks-at-once), counts as many as it has connections",
                .numbers(1...1024),
                usual: "\(usual.connectionsPerHost)"
            ),
            SettingDescription(
                "maximumRunning",
                "simultaneous transfers in total; an owner that has none running may always start one",
                .numbers(1...1024),
                usual: "\(usual.maximumRunning)"
            ),
            SettingDescription(
                "rateLimit",
                "bytes a second for all transfers together; `offstage limit` changes it until the next start",
                .described("above 0"),
                usual: usual.rateLimit.map { "\($0)" } ?? "no limit"
            ),
            SettingDescription(
                "schedule",
                "what applies at which time of day: a list of objects, see [When a transfer runs](timing.md#a-schedule)",
                .described("up to 100"),
                usual: "`[]`"
            ),
            SettingDescription(
                "keepFinishedDays",
                "finished transfers are forgotten after this many days",
                .numbers(0...36_500),
                usual: "\(usual.keepFinishedDays)"
            ),
            SettingDescription(
                "keepFinishedCount",
                "or when there are more than this many",
                .described("0 or more"),
                usual: "\(usual.keepFinishedCount)"
            ),
            SettingDescription(
                "retryBaseDelay",
                "seconds before the first retry; it doubles with every attempt that gets no further, and from the second time on that a download finds another file at its server. With 0.01 here and 3 below, all waits are a hundredth of the usual ones, to try out what otherwise waits for minutes",
                .described("above 0"),
                usual: SettingDescription.number(usual.retryBaseDelay)
            ),
            SettingDescription(
                "retryMaximumDelay",
                "the longest wait between two attempts in seconds, unless the server asks for more",
                .described("`retryBaseDelay`–604800"),
                usual: SettingDescription.number(usual.retryMaximumDelay)
            ),
            SettingDescription(
                "credentialHelper",
                "a command for `/bin/sh -c`, run with `OFFSTAGE_HOST` and `OFFSTAGE_URL` set when a transfer waits for credentials; each line it prints is a header; it must end within a minute, with status 0. If it has nothing but what the server has refused, or fails, it is asked again after 5 s and then ever more rarely, at last every 10 minutes; new headers that are refused again and again are tried with growing pauses, too",
                .described(""),
                usual: "none"
            ),
        ]
    }

    private static var ofApps: [SettingDescription] {
        let usual = Settings()
        return [
            SettingDescription(
                "backgroundTime",
                "how long apps may run in the background: `\"ios13\"` (30 s), `\"ios7\"` (180 s), `\"ios4\"` (600 s), or a text with the seconds ([apps](apps.md))",
                .described("`\"0.1\"`–`\"86400\"`"),
                usual: "`\"\(usual.backgroundTime)\"`"
            ),
            SettingDescription(
                "suspendGrace",
                "seconds that an app continues after its last hold has ended, before it is asked and suspended ([apps](apps.md#suspended))",
                .numbers(0...60),
                usual: SettingDescription.number(usual.suspendGrace)
            ),
            SettingDescription(
                "entersBackgroundAtLaunch",
                "whether an app that is launched in the background receives `applicationDidEnterBackground` then, as Apple documents but devices do not do ([uikit](uikit.md))",
                .toggle,
                usual: "`\(usual.entersBackgroundAtLaunch)`"
            ),
            SettingDescription(
                "apps",
                "exceptions for individual apps: an object by identifier. Its values may have `backgroundTime`, `backgroundRefresh` (`true` or `false`: whether the app's refresh tasks run, whatever `deferredWork` says) and `notifications` (`true` or `false`, whatever the setting of that name says)",
                .described(""),
                usual: "`{}`"
            ),
        ]
    }

    private static var ofBackgroundWork: [SettingDescription] {
        let usual = Settings()
        return [
            SettingDescription(
                "strict",
                "as on a phone, an app that is woken again and again without coming to the front waits longer each time: a minute, then twice as long with every wake, an hour at most. Deferred work has a phone's limits",
                .toggle,
                usual: "`\(usual.strict)`"
            ),
            SettingDescription(
                "deferredWork",
                "when [deferred work](background-tasks.md) of apps runs: an object, see below",
                .described(""),
                usual: "`{}`"
            ),
            SettingDescription(
                "keepTransfersOnQuit",
                "whether an app's transfers continue when a person quits it",
                .toggle,
                usual: "`\(usual.keepTransfersOnQuit)`"
            ),
            SettingDescription(
                "launchEnvironment",
                "names of additional variables that are recorded when an app is launched, for its relaunch; their values are then in the store",
                .described(""),
                usual: "`[]`"
            ),
            SettingDescription(
                "notifications",
                "whether apps may [notify](notifications.md); on a phone, a person is asked",
                .toggle,
                usual: "`\(usual.notifications)`"
            ),
            SettingDescription(
                "notify",
                "what is shown on the desktop [about transfers](notifications.md#of-transfers) without `--notify` or `--no-notify`: nothing, failures and whatever waits for a person, or all ends",
                .words(NotifyChoice.allCases.map(\.rawValue)),
                usual: "`\"\(usual.notify.rawValue)\"`"
            ),
        ]
    }

    private static var ofTheDaemon: [SettingDescription] {
        let usual = Settings()
        return [
            SettingDescription(
                "lowDataMode",
                "whether to use the network as little as possible, like Low Data Mode on a phone: transfers of sessions with `allowsConstrainedNetworkAccess` false, and discretionary ones, wait for its end",
                .toggle,
                usual: "`\(usual.lowDataMode)`"
            ),
            SettingDescription(
                "stopDeadline",
                "seconds that the daemon has to stop; if its disk does not answer by then, it ends with the status 74 and a sentence in its log",
                .numbers(1...3600),
                usual: SettingDescription.number(usual.stopDeadline)
            ),
            SettingDescription(
                "logLevel",
                "the lowest level of the records in [the daemon's log](#the-daemons-log)",
                .words(LogRecord.Level.allCases.map(\.rawValue)),
                usual: "`\"\(usual.logLevel.rawValue)\"`"
            ),
            SettingDescription(
                "testCommitDelay",
                "a fault switch for tests: every commit takes this many seconds longer",
                .numbers(0...60),
                usual: SettingDescription.number(usual.testCommitDelay)
            ),
        ]
    }

    /// The keys of each entry of `schedule`.
    package static let schedule = [
        SettingDescription(
            "from, to",
            "local times, `00:00` to `24:00`; a `to` that is not later than `from` is on the next day",
            .described("")
        ),
        SettingDescription(
            "days",
            "the days on which it begins: `mon-fri`, `sat,sun`; every day if left out",
            .described("")
        ),
        SettingDescription(
            "rateLimit",
            "bytes a second for all transfers together; no limit if left out",
            .described("")
        ),
        SettingDescription(
            "transfers",
            "`false` lets no transfers run: running transfers are interrupted and continue afterwards",
            .described("")
        ),
    ]

    /// The keys of `deferredWork`.
    package static var deferredWork: [SettingDescription] {
        let usual = TaskPolicy(), strict = TaskPolicy.strict
        func seconds(_ policy: TaskPolicy) -> String { SettingDescription.number(policy.dailySeconds) }
        return [
            SettingDescription(
                "refresh",
                "whether refresh tasks run; `apps` may say otherwise for individual apps",
                .toggle,
                usual: "`\(usual.isRefreshOn)`",
                strict: "`\(strict.isRefreshOn)`"
            ),
            SettingDescription(
                "dailySeconds",
                "seconds that the tasks of one app may take in any day, continued processing aside; they are given back bit by bit",
                .numbers(1...86_400),
                usual: seconds(usual),
                strict: seconds(strict)
            ),
            SettingDescription(
                "running",
                "simultaneous tasks, continued processing aside",
                .numbers(1...1000),
                usual: "\(usual.runningLimit)",
                strict: "\(strict.runningLimit)"
            ),
            SettingDescription(
                "refreshRequests",
                "refresh requests that one app may have pending",
                .numbers(1...100_000),
                usual: "\(usual.refreshLimit)",
                strict: "\(strict.refreshLimit)"
            ),
            SettingDescription(
                "processingRequests",
                "processing requests that one app may have pending",
                .numbers(1...100_000),
                usual: "\(usual.processingLimit)",
                strict: "\(strict.processingLimit)"
            ),
            SettingDescription(
                "processingSeconds",
                "seconds that a processing task may take; a refresh task has \(SettingDescription.number(usual.refreshSeconds))",
                .numbers(1...86_400),
                usual: SettingDescription.number(usual.processingSeconds),
                strict: SettingDescription.number(strict.processingSeconds)
            ),
            SettingDescription(
                "leastCharge",
                "the charge of the battery, from 0 to 1, below which no task runs without external power",
                .numbers(0...1),
                usual: SettingDescription.number(usual.leastCharge),
                strict: SettingDescription.number(strict.leastCharge)
            ),
        ]
    }
}
