// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageRuntime

/// Launches of apps, from the attempt to the exit status of the child.
///
/// Belongs to `AppCenter`; every call is on the loop.
final class AppLaunches {
    /// The result of a launch.
    struct Outcome {
        var result: Result<ProcessIdentity, LaunchError>
        /// The cgroup that was made for the process.
        var cgroup: String?
    }

    /// Takes exit statuses of children that have ended; on the loop.
    struct Reaper {
        /// Statuses of all children.
        var all: @Sendable () -> [(process: Int32, end: ProcessEnd)]
        /// The status of one child; nil if there is none.
        var one: @Sendable (_ process: Int32) -> ProcessEnd?
    }

    private let waiting: AppWaiting
    private let control: ProcessControl
    private let host: any ProcessHost
    let crashes: CrashMemory
    private let reaper: Reaper
    let workers: WorkerPool
    private let paths: OffstagePaths
    private let log: Log
    /// The child processes of this daemon that are apps.
    private var children: Set<Int32> = []
    /// Their ends, until they are reported.
    private var ends: [Int32: ProcessEnd] = [:]
    private var underWay = 0
    /// The new process, while its app's rule is being notified.
    var newest: StageProcess?

    /// - Parameters:
    ///   - waiting: threads for work that may hang.
    ///   - control: makes the cgroups that apps are born in.
    ///   - host: the host of the apps' processes.
    ///   - crashes: the apps that have crashed the daemon too often.
    ///   - reaper: collects the exit statuses of children.
    ///   - workers: threads for files.
    ///   - paths: the paths of apps' logs and containers.
    ///   - log: the daemon's log.
    init(
        waiting: AppWaiting,
        control: ProcessControl,
        host: any ProcessHost,
        crashes: CrashMemory,
        reaper: Reaper,
        workers: WorkerPool,
        paths: OffstagePaths,
        log: Log
    ) {
        self.waiting = waiting
        self.control = control
        self.host = host
        self.crashes = crashes
        self.reaper = reaper
        self.workers = workers
        self.paths = paths
        self.log = log
    }

    /// Whether any app is being launched.
    var areUnderWay: Bool { underWay > 0 }

    /// The log to which an app's output is appended.
    func logPath(of app: String) -> String { paths.appLogs + "/" + AppIdentity.folderName(for: app) + ".log" }

    /// The folder of an app's files.
    func container(of app: String) -> String { paths.container(of: app) }

    func removeLog(of app: String) {
        let path = logPath(of: app)
        workers.submit { unlink(path) }
    }

    /// Why the app is set aside after crashes of the daemon; nil if it is not.
    func setAside(_ app: String) -> String? {
        guard case .setAside(let crashes) = crashes.standing(of: .app(app)) else { return nil }
        return
            "the daemon crashed \(crashes) times while handling \(app.redactedControls): 'offstage app launch' tries it once more, and 'offstage doctor' shows a line to report"
    }

    /// Whether to restore an app of an earlier daemon; if not, this is logged.
    func leadsOn(_ app: String) -> Bool {
        guard let sentence = setAside(app) else { return true }
        log.error("an app is set aside", ["app": app, "reason": sentence])
        return false
    }

    // MARK: Launching

    /// Begins a launch: until `ended`, children's statuses are only taken by number.
    func begin() { underWay += 1 }

    /// Launches an app, between `begin` and `ended`.
    ///
    /// - Parameters:
    ///   - registration: the program, and how to start it.
    ///   - token: identifies the process for the next daemon.
    /// - Returns: the result.
    func launch(_ registration: AppRegistration, token: String) async -> Outcome {
        let id = registration.id
        let cgroup = await control.makeGroup(of: id)
        // On its own thread: an executable on an unresponsive mount delays no other app.
        let path = registration.executable
        let found = await waiting.patiently { [host] in
            Result { () throws(LaunchError) in try host.prepare(path) }
        }
        let start = found ?? .failure(.tooLate(path, workingDirectory: registration.launch.workingDirectory))
        let order = LaunchOrder(
            arguments: registration.launch.arguments,
            environment: registration.launch.environment,
            token: token,
            workingDirectory: registration.launch.workingDirectory,
            logPath: logPath(of: id),
            cgroup: cgroup
        )
        let result = await waiting.patiently(within: nil) {
            Doing.named(.app, .launching, id) {
                Doing.faultPoint("trap-in-launch", id)
                return Result { () throws(LaunchError) in try start.get()(order) }
            }
        }
        crashes.survived(.app(id), .launching)
        return Outcome(result: result ?? .failure(LaunchError.process(code: EAGAIN)), cgroup: cgroup)
    }

    /// Handles the return of a launch.
    func ended(_ outcome: Outcome) {
        underWay -= 1
        if case .success(let identity) = outcome.result { children.insert(identity.number) }
        childrenChanged()
        if underWay == 0 { waiting.reached(.launched) }
    }

    // MARK: Children

    /// Takes the statuses of children that have ended, unless a launch is under way, whose child's status could not be
    /// distinguished from another's.
    func childrenChanged() {
        guard underWay == 0 else { return }
        for (process, end) in reaper.all() where children.contains(process) { ends[process] = end }
    }

    /// How a process ended; unknown unless it was this daemon's child.
    func takeEnd(of process: Int32) -> ProcessEnd {
        guard children.remove(process) != nil else { return .unknown }
        return ends.removeValue(forKey: process) ?? reaper.one(process) ?? .unknown
    }
}

extension String {
    /// A new token, which identifies the process launched with it.
    static func launchToken() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined(separator: "-")
    }
}
