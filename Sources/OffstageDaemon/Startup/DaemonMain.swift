// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageFiles
import OffstageHost
import OffstageProtocol
import OffstageStore
import OffstageSupervisor
import OffstageTransfers

/// The program `offstaged`: makes the parts, runs the loop, and ends the parts in order.
package enum DaemonMain {
    /// Runs until a signal or a client stops it. Returns the process's exit status.
    package static func run(arguments: [String]) -> Int32 {
        offstage_fill_standard_descriptors()
        let environment = ChildProcesses.environment()
        // Few arenas: each thread's own free memory would add to an idle daemon's size.
        offstage_limit_arenas(2)
        // The memory contains header values, passwords and tokens.
        offstage_forbid_core_dumps()
        // Before the first thread is started, so that all threads inherit the blocked signals.
        let signals = offstage_signalfd_for_daemon()
        let readiness = Readiness(environment: environment)
        let output = DaemonLog(journalStream: environment["JOURNAL_STREAM"])
        do throws(DaemonError) {
            if try answersQuestion(arguments) { return 0 }
            try start(environment: environment, signals: signals, readiness: readiness, output: output)
            return 0
        } catch {
            output.log(least: .error).error("offstaged cannot continue", ["reason": error.sentence])
            readiness.failed(error)
            return error.exitStatus
        }
    }

    private static func answersQuestion(_ arguments: [String]) throws(DaemonError) -> Bool {
        switch arguments.dropFirst().first {
        case nil: return false
        case "--version":
            try say("offstaged \(OffstageVersion.current)")
            return true
        case "--help", "-h":
            try say(DaemonReference.help)
            return true
        case let other?: throw .usage("offstaged takes no '\(other.redactedControls)'")
        }
    }

    /// Writes to standard output.
    private static func say(_ text: String) throws(DaemonError) {
        var rest = Array((text + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .output(String(cString: strerror(errno))) }
            rest = rest.dropFirst(count)
        }
    }

    private static func start(
        environment: [String: String],
        signals: Int32,
        readiness: Readiness,
        output: DaemonLog
    ) throws(DaemonError) {
        let paths: OffstagePaths
        do { paths = try OffstagePaths.ofThisUser(environment) } catch { throw .settings(error) }
        try DaemonFolders.checkHome(paths)
        for folder in [paths.store, paths.log, paths.socket].map(DaemonFolders.folder)
            + [paths.snapshots, paths.journals, paths.downloads]
        {
            try DaemonFolders.make(folder, mustSync: access(paths.store, F_OK) != 0)
        }
        for folder in [paths.store, paths.log, paths.socket].map(DaemonFolders.folder) {
            try DaemonFolders.checkPrivate(folder)
        }
        let settings = try DaemonFolders.settings(at: paths.settings)
        let lock = try DaemonFolders.lock(paths.lock, and: paths.journals)
        let log = output.log(least: settings.logLevel)
        let crashes = CrashFiles.takeUp(paths, environment, log)
        raiseDescriptorLimit()
        let opened: SQLiteStore.Opened
        do {
            opened = try SQLiteStore.open(
                path: paths.store,
                commitDelay: settings.testCommitDelay,
                crashesReading: { crashes.crashesReading($0) }
            )
        } catch {
            throw .store(error)
        }
        for notice in opened.notices { log.error("the store was damaged", ["notice": notice]) }
        let inherited = ListeningSocket.inherited(environment: environment)
        let listener: Int32 = if let inherited { inherited } else { try ListeningSocket.make(at: paths.socket) }
        let daemon = try Daemon(
            paths: paths,
            settings: settings,
            opened: opened,
            place: DaemonPlace(
                listener: listener,
                isInherited: inherited != nil,
                lock: lock,
                environment: environment
            ),
            startedBy: startedBy(environment, isInherited: inherited != nil),
            crashes: crashes,
            output: output,
            log: log
        )
        log.notice(
            "offstaged started",
            ["version": OffstageVersion.current.description, "process": getpid(), "socket": paths.socket]
        )
        try daemon.run(signals: signals, readiness: readiness)
        output.settle()
        log.notice("offstaged stopped")
    }

    private static func startedBy(_ environment: [String: String], isInherited: Bool) -> String {
        if isInherited { return "systemd socket" }
        if environment["NOTIFY_SOCKET"] != nil { return "systemd service" }
        return environment["OFFSTAGE_READY_FD"] != nil ? "on demand" : "by hand"
    }

    /// Each suspended app and each connection takes a descriptor.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
