// SPDX-License-Identifier: Apache-2.0

/// Where one user's daemon keeps its things: the XDG directories, or one folder when `OFFSTAGE_HOME` is set.
package struct OffstagePaths: Sendable, Equatable {
    package var socket: String
    package var store: String
    /// The key that accounts' tokens in the store are encrypted under.
    package var accountKey: String
    /// Held locked for the daemon's life.
    package var lock: String
    package var settings: String
    package var log: String
    /// Private copies of files to be uploaded.
    package var snapshots: String
    /// Hand-over journals of connected apps.
    package var journals: String
    /// Downloads of background sessions, one folder for each app, until a delegate has taken them.
    package var downloads: String
    /// Beginnings of downloads that were cancelled with resume data.
    package var resumable: String
    /// What relaunched apps print, a file for each.
    package var appLogs: String
    /// What to mention when the place is named: the variable that decided it.
    package var decidedBy: String

    /// Whether the daemon is one of its own, under `OFFSTAGE_HOME`, and not the person's.
    package var isApart: Bool

    /// The longest path that fits `sockaddr_un` on Linux, in bytes without the final NUL.
    package static let longestSocketPath = 107

    /// Works out the paths from an environment.
    ///
    /// Without `XDG_RUNTIME_DIR` (no log-in session, a container) the socket lies beside the store.
    ///
    /// - Throws: `SettingsError.noHome` when neither `OFFSTAGE_HOME` nor `HOME` is set to an absolute path, and
    ///   `.socketPathTooLong`.
    package init(environment: [String: String]) throws(SettingsError) {
        func directory(_ name: String) -> String? {
            guard let value = environment[name], value.hasPrefix("/") else { return nil }
            return value.count > 1 && value.hasSuffix("/") ? String(value.dropLast()) : value
        }
        if let home = directory("OFFSTAGE_HOME") {
            self.init(data: home, state: home, settings: home + "/settings.json", runtime: home + "/run")
            decidedBy = "OFFSTAGE_HOME"
            isApart = true
        } else if environment["OFFSTAGE_HOME"].map({ !$0.isEmpty }) == true {
            throw .homeIsRelative(environment["OFFSTAGE_HOME"] ?? "")
        } else {
            let home = directory("HOME")
            guard let data = directory("XDG_DATA_HOME") ?? home.map({ $0 + "/.local/share" }),
                let state = directory("XDG_STATE_HOME") ?? home.map({ $0 + "/.local/state" }),
                let config = directory("XDG_CONFIG_HOME") ?? home.map({ $0 + "/.config" })
            else { throw .noHome }
            self.init(
                data: data + "/offstage",
                state: state + "/offstage",
                settings: config + "/offstage/settings.json",
                runtime: directory("XDG_RUNTIME_DIR").map { $0 + "/offstage" } ?? state + "/offstage/run"
            )
        }
        guard socket.utf8.count <= Self.longestSocketPath else { throw .socketPathTooLong(socket) }
    }

    private init(data: String, state: String, settings: String, runtime: String) {
        socket = runtime + "/daemon.sock"
        store = data + "/store.sqlite"
        accountKey = data + "/accounts.key"
        lock = data + "/daemon.lock"
        self.settings = settings
        log = state + "/daemon.log"
        snapshots = data + "/snapshots"
        journals = data + "/journals"
        downloads = data + "/downloads"
        resumable = data + "/resumable"
        appLogs = state + "/apps"
        decidedBy = "the XDG directories"
        isApart = false
    }
}
