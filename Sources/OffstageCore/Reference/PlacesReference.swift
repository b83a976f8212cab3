// SPDX-License-Identifier: Apache-2.0

/// The programs' environment variables and the paths of their files: the source of docs/settings.md and the manual.
package enum PlacesReference {
    /// One or more variables of the environment.
    package struct Variable: Sendable {
        package let names: [String]
        /// In Markdown.
        package let meaning: String
        /// Whether the daemon reads it; the command and the apps read the others.
        package let isForDaemon: Bool
    }

    /// One place, with and without `OFFSTAGE_HOME`.
    package struct Place: Sendable {
        package let what: String
        /// In Markdown.
        package let usual: String
        /// In Markdown.
        package let underHome: String
    }

    package static let variables = [
        Variable(
            names: ["OFFSTAGE_HOME"],
            meaning: "one folder for everything (store, settings, socket, log) instead of the XDG directories",
            isForDaemon: true
        ),
        Variable(
            names: ["OFFSTAGED"],
            meaning:
                "the daemon's program, for the command that starts it; otherwise `offstaged` beside the command, then in `PATH`",
            isForDaemon: false
        ),
        Variable(
            names: ["OFFSTAGE_PAGE"],
            meaning:
                "for `offstage page`: the program that serves the [page](page.md); otherwise `offstage-page` beside the command or in `PATH`",
            isForDaemon: false
        ),
        Variable(
            names: ["OFFSTAGE_FLEET"],
            meaning:
                "for `offstage fleet` and `offstage upload --fleet`: the program that speaks to [a fleet](fleet.md); otherwise `offstage-fleet` beside the command or in `PATH`",
            isForDaemon: false
        ),
        Variable(
            names: ["OFFSTAGE_FLEET_DATABASE"],
            meaning: "the address of the fleet's database, in place of the one that `offstage fleet use` has kept",
            isForDaemon: false
        ),
        Variable(
            names: ["OFFSTAGE_NOTIFIER"],
            meaning:
                "for the daemon: the program that shows [notifications](notifications.md) on a desktop, by an absolute path; otherwise `offstage-notifier` beside the daemon",
            isForDaemon: true
        ),
        Variable(
            names: ["OFFSTAGE_CGROUP"],
            meaning:
                "for the daemon: a folder of cgroup v2 that it may write, in which it makes a group for each app that it launches, whatever else is delegated to it",
            isForDaemon: true
        ),
        Variable(
            names: ["OFFSTAGE_LAUNCH"],
            meaning:
                "set by the daemon in the apps that it launches, for a later daemon to find them again; do not set it by hand",
            isForDaemon: false
        ),
        Variable(
            names: ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"],
            meaning:
                "where things are without `OFFSTAGE_HOME`; an `XDG_RUNTIME_DIR` that does not exist, belongs to another user or is open to others, as after `su`, is ignored, and `offstage doctor` warns about it",
            isForDaemon: true
        ),
        Variable(
            names: ["SSL_CERT_FILE"],
            meaning:
                "certificate authorities instead of the system's, in the environment of the command that hands a transfer over; kept with the transfer, as `--cacert` is",
            isForDaemon: false
        ),
        Variable(
            names: ["http_proxy", "https_proxy", "all_proxy", "no_proxy"],
            meaning: "in the environment of the command that hands a transfer over; kept with the transfer",
            isForDaemon: false
        ),
        Variable(
            names: ["OFFSTAGE_OS_LOG"],
            meaning:
                "for apps that log with `OffstageOS`: which entries are kept, and where they go ([words](logging.md#what-is-kept))",
            isForDaemon: false
        ),
        Variable(names: ["NO_COLOR"], meaning: "no colours", isForDaemon: false),
    ]

    package static let places = [
        Place(
            what: "socket",
            usual:
                "`$XDG_RUNTIME_DIR/offstage/daemon.sock`, without that variable `~/.local/state/offstage/run/daemon.sock`; if a daemon is already running, its own socket, whatever the environment says",
            underHome: "`run/daemon.sock`"
        ),
        Place(what: "store", usual: "`~/.local/share/offstage/store.sqlite`", underHome: "`store.sqlite`"),
        Place(
            what: "key to accounts' tokens",
            usual: "`~/.local/share/offstage/accounts.key`",
            underHome: "`accounts.key`"
        ),
        Place(what: "lock", usual: "`~/.local/share/offstage/daemon.lock`", underHome: "`daemon.lock`"),
        Place(
            what: "crashes: the mark of one, and the record of all",
            usual: "`~/.local/share/offstage/crash.mark`, `crashes.json`",
            underHome: "`crash.mark`, `crashes.json`"
        ),
        Place(what: "snapshots", usual: "`~/.local/share/offstage/snapshots/`", underHome: "`snapshots/`"),
        Place(what: "log", usual: "`~/.local/state/offstage/daemon.log`", underHome: "`daemon.log`"),
        Place(
            what: "apps' own folders, and those of groups",
            usual: "`~/.local/share/offstage/containers/`, `groups/`",
            underHome: "`containers/`, `groups/`"
        ),
        Place(what: "output of launched apps", usual: "`~/.local/state/offstage/apps/`", underHome: "`apps/`"),
        Place(what: "settings", usual: "`~/.config/offstage/settings.json`", underHome: "`settings.json`"),
        Place(
            what: "which fleet the commands are for",
            usual: "`~/.config/offstage/fleet.json`",
            underHome: "`fleet.json`"
        ),
        Place(
            what: "what this machine is in a fleet",
            usual: "`~/.config/offstage/fleet-member.json`",
            underHome: "`fleet-member.json`"
        ),
        Place(
            what: "a member's lease, and its lock",
            usual: "`~/.local/share/offstage/fleet-member.state`, `fleet-member.lock`",
            underHome: "`fleet-member.state`, `fleet-member.lock`"
        ),
        Place(what: "a fleet's private key", usual: "`~/.local/share/offstage/fleet.key`", underHome: "`fleet.key`"),
    ]
}
