// SPDX-License-Identifier: Apache-2.0

/// The paths of one user's daemon: in the XDG directories, or in one folder if `OFFSTAGE_HOME` is set.
package struct OffstagePaths: Sendable, Equatable {
    package var socket: String
    package var store: String
    /// The key that encrypts the accounts' tokens in the store.
    package var accountKey: String
    /// The mark of a crash, and the memory of crashes.
    package var crashMark: String
    package var crashes: String
    /// Locked as long as the daemon runs.
    package var lock: String
    package var settings: String
    package var log: String
    /// Private copies of files to be uploaded.
    package var snapshots: String
    /// Hand-over journals of connected apps.
    package var journals: String
    /// Downloads of background sessions, one folder for each app, until a delegate has taken them.
    package var downloads: String
    /// The kept beginnings of downloads that were cancelled with resume data.
    package var resumable: String
    /// The apps' own folders, and the folders that the apps of a group share. The daemon never deletes them.
    package var containers: String
    package var groups: String
    /// The output of launched apps, a file for each.
    package var appLogs: String
    /// Which fleet this user's commands address; stored next to the settings.
    package var fleetPlace: String
    /// The private half of a fleet's key, which `offstage fleet init` makes and members hold.
    package var fleetKey: String
    /// This machine's role in a fleet, next to the settings; exists if it is a member.
    package var fleetMember: String
    /// The member's identity in the fleet's database. The member keeps this file locked as long as it runs.
    package var fleetMemberState: String
    package var fleetMemberLock: String
    /// The variable that determined the path, for messages that name it.
    package var decidedBy: String

    /// Whether the daemon is a separate one under `OFFSTAGE_HOME`, rather than the person's main daemon.
    package var isApart: Bool

    /// The longest path that fits `sockaddr_un` on Linux, in bytes without the final NUL.
    package static let longestSocketPath = 107

    /// Checks whose folders the environment may lead to.
    package struct Border {
        package var trust: PathTrust
        /// The existing folders on the way to a path, from the root down, with links resolved. The last is the path
        /// itself if it exists.
        package var folders: (_ path: String) -> (found: [FileStanding], isWhole: Bool)
        /// Whether this user may not enter an existing folder.
        package var isClosed: (_ folder: String) -> Bool = { _ in false }
        /// The socket of the daemon that holds a lock; nil if none does.
        package var listening: (_ lock: String) -> String? = { _ in nil }

        package init(
            trust: PathTrust,
            folders: @escaping (_ path: String) -> (found: [FileStanding], isWhole: Bool)
        ) {
            self.trust = trust
            self.folders = folders
        }
    }

    /// Determines the paths from an environment.
    ///
    /// Without `XDG_RUNTIME_DIR` (no log-in session, a container) the socket is beside the state. The same applies if
    /// that folder is not this user's own: `su` and `sudo` keep the variable, and a folder made by root there would
    /// lock out the other user. Any other place that belongs to another user is refused, because that user could change
    /// its contents.
    ///
    /// - Parameters:
    ///   - environment: the variables.
    ///   - border: whose folders they may lead to; nil to use them unchecked, without looking at the disk.
    /// - Throws: `SettingsError.noHome` if neither `OFFSTAGE_HOME` nor `HOME` is set to an absolute path,
    ///   `.socketPathTooLong`, `.foreignFolder` and `.closedFolder`.
    package init(environment: [String: String], border: Border? = nil) throws(SettingsError) {
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
            // A trailing slash, as in the root folder's path, would appear twice in every path.
            let home = directory("HOME").map { $0 == "/" ? "" : $0 }
            guard let data = directory("XDG_DATA_HOME") ?? home.map({ $0 + "/.local/share" }),
                let state = directory("XDG_STATE_HOME") ?? home.map({ $0 + "/.local/state" }),
                let config = directory("XDG_CONFIG_HOME") ?? home.map({ $0 + "/.config" })
            else { throw .noHome }
            self.init(
                data: data + "/offstage",
                state: state + "/offstage",
                settings: config + "/offstage/settings.json",
                runtime: directory("XDG_RUNTIME_DIR").flatMap { Self.isUsable($0, border) ? $0 + "/offstage" : nil }
                    ?? state + "/offstage/run"
            )
        }
        if let border { try check(border) }
        guard socket.utf8.count > Self.longestSocketPath else { return }
        // A cron job with a long HOME can still use the shorter path of a daemon that a log-in session started.
        guard let known = border?.listening(lock) else { throw .socketPathTooLong(socket) }
        socket = known
    }

    /// The folder of an app's documents, caches and temporary files.
    package func container(of app: String) -> String { containers + "/" + AppIdentity.folderName(for: app) }

    /// The folder that the apps of a group share.
    package func group(_ name: String) -> String { groups + "/" + AppIdentity.folderName(for: name) }

    /// The names of the files and folders that a daemon and its commands create in the store's folder. Some files also
    /// appear there with an additional suffix.
    package var namesInHome: Set<String> {
        let home = String(store[..<(store.lastSlash ?? store.startIndex)]) + "/"
        let all = [
            socket, store, accountKey, crashMark, crashes, lock, settings, log, snapshots, journals, downloads,
            resumable,
            containers, groups, appLogs, fleetPlace, fleetKey, fleetMember, fleetMemberState, fleetMemberLock,
        ]
        return Set(all.filter { $0.hasPrefix(home) }.compactMap { $0.dropFirst(home.count).pathParts.first })
    }

    private static func isUsable(_ runtime: String, _ border: Border?) -> Bool {
        guard let border else { return true }
        let (found, isWhole) = border.folders(runtime)
        guard isWhole, let last = found.last, border.trust.foreign(in: found) == nil else { return false }
        return border.trust.isOwn(last)
    }

    private func check(_ border: Border) throws(SettingsError) {
        for place in [store, log, settings, socket] {
            let folder = String(place[..<(place.lastSlash ?? place.startIndex)])
            let (found, isWhole) = border.folders(folder)
            if let foreign = border.trust.foreign(in: found) {
                throw .foreignFolder(path: foreign.path, owner: foreign.owner, place: folder)
            }
            // Like /root after `su` with root's HOME.
            if !isWhole, let last = found.last, border.isClosed(last.path) {
                throw .closedFolder(path: last.path, place: folder)
            }
        }
    }

    private init(data: String, state: String, settings: String, runtime: String) {
        socket = runtime + "/daemon.sock"
        store = data + "/store.sqlite"
        accountKey = data + "/accounts.key"
        crashMark = data + "/crash.mark"
        crashes = data + "/crashes.json"
        lock = data + "/daemon.lock"
        self.settings = settings
        log = state + "/daemon.log"
        snapshots = data + "/snapshots"
        journals = data + "/journals"
        downloads = data + "/downloads"
        resumable = data + "/resumable"
        containers = data + "/containers"
        groups = data + "/groups"
        appLogs = state + "/apps"
        fleetPlace = String(settings[..<(settings.lastSlash ?? settings.startIndex)]) + "/fleet.json"
        fleetKey = data + "/fleet.key"
        fleetMember = String(settings[..<(settings.lastSlash ?? settings.startIndex)]) + "/fleet-member.json"
        fleetMemberState = data + "/fleet-member.state"
        fleetMemberLock = data + "/fleet-member.lock"
        decidedBy = "the XDG directories"
        isApart = false
    }
}
