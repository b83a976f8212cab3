// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageRuntime

/// Launches of apps, from the attempt to the exit status of the child that came of it.
///
/// Belongs to `AppCenter`; every call is on the loop.
final class AppLaunches {
    /// What a launch has come to.
    struct Outcome {
        var result: Result<ProcessIdentity, LaunchError>
        /// The cgroup that was made for the process.
        var cgroup: String?
    }

    /// Takes exit statuses of children that have ended; on the loop.
    struct Reaper {
        /// Of all of them.
        var all: @Sendable () -> [(process: Int32, end: ProcessEnd)]
        /// Of one; nil when there is none.
        var one: @Sendable (_ process: Int32) -> ProcessEnd?
    }

    private let waiting: AppWaiting
    private let control: ProcessControl
    private let crashes: CrashLedger
    private let reaper: Reaper
    let workers: WorkerPool
    private let paths: OffstagePaths
    private let log: Log
    /// Children of this daemon that are apps.
    private var children: Set<Int32> = []
    /// How they ended, until that is told.
    private var ends: [Int32: ProcessEnd] = [:]
    private var underWay = 0
    /// The process that has just been launched, while that is told to its app's rule.
    var newest: StageProcess?

    /// - Parameters:
    ///   - waiting: threads for what may hang.
    ///   - control: makes the cgroups that apps are born in.
    ///   - crashes: whom the daemon has crashed over too often.
    ///   - reaper: knows how children have ended.
    ///   - workers: threads for files.
    ///   - paths: where apps' logs and containers are.
    ///   - log: the daemon's.
    init(
        waiting: AppWaiting,
        control: ProcessControl,
        crashes: CrashLedger,
        reaper: Reaper,
        workers: WorkerPool,
        paths: OffstagePaths,
        log: Log
    ) {
        self.waiting = waiting
        self.control = control
        self.crashes = crashes
        self.reaper = reaper
        self.workers = workers
        self.paths = paths
        self.log = log
    }

    /// Whether any app is being launched.
    var areUnderWay: Bool { underWay > 0 }

    /// Where what an app prints is appended to.
    func logPath(of app: String) -> String { paths.appLogs + "/" + AppIdentity.folderName(for: app) + ".log" }

    /// Where an app keeps its files.
    func container(of app: String) -> String { paths.container(of: app) }

    func removeLog(of app: String) {
        let path = logPath(of: app)
        workers.submit { unlink(path) }
    }

    /// Why the app is not begun, with the daemon's crashes over it; nil when it is.
    func setAside(_ app: String) -> String? {
        guard case .setAside(let crashes) = crashes.standing(of: .app(app)) else { return nil }
        return
            "the daemon crashed \(crashes) times while handling \(app.redactedControls): 'offstage app launch' tries it once more, and 'offstage doctor' shows a line to report"
    }

    /// Whether an app that a daemon before has left behind is led on; the log says so where it is not.
    func leadsOn(_ app: String) -> Bool {
        guard let sentence = setAside(app) else { return true }
        log.error("an app is set aside", ["app": app, "reason": sentence])
        return false
    }

    // MARK: Launching

    /// A launch has been asked for: until `ended` no child's status is taken but by its number.
    func begin() { underWay += 1 }

    /// Launches an app, between `begin` and `ended`.
    ///
    /// - Parameters:
    ///   - registration: what is started, and how.
    ///   - token: by which the process is known to a daemon after this one.
    /// - Returns: what it has come to.
    func launch(_ registration: AppRegistration, token: String) async -> Outcome {
        let id = registration.id
        let cgroup = await control.makeGroup(of: id)
        // On a thread of its own: an executable on a mount that does not answer holds up no other app.
        let found = await waiting.patiently {
            Result { () throws(LaunchError) in try AppExecutable(registration.executable) }
        }
        let executable =
            found ?? .failure(.tooLate(registration.executable, workingDirectory: registration.launch.workingDirectory))
        var environment = registration.launch.environment
        environment[AppLauncher.tokenVariable] = token
        let (variables, logPath) = (environment, logPath(of: id))
        let result = await waiting.patiently(within: nil) {
            Doing.named(.app, .launching, id) {
                Doing.faultPoint("trap-in-launch", id)
                return Result { () throws(LaunchError) in
                    try AppLauncher.spawn(
                        executable: executable.get(),
                        arguments: registration.launch.arguments,
                        environment: variables,
                        workingDirectory: registration.launch.workingDirectory,
                        logPath: logPath,
                        cgroup: cgroup
                    )
                }
            }
        }
        crashes.survived(.app(id), .launching)
        return Outcome(result: result ?? .failure(LaunchError.process(code: EAGAIN)), cgroup: cgroup)
    }

    /// A launch has come back.
    func ended(_ outcome: Outcome) {
        underWay -= 1
        if case .success(let identity) = outcome.result { children.insert(identity.number) }
        childrenChanged()
        if underWay == 0 { waiting.reached(.launched) }
    }

    // MARK: Children

    /// Children have ended: their statuses are taken, unless a child is just being made, whose status nobody could tell
    /// from another's.
    func childrenChanged() {
        guard underWay == 0 else { return }
        for (process, end) in reaper.all() where children.contains(process) { ends[process] = end }
    }

    /// How a process ended that is no more; unknown for one that is not this daemon's child.
    func takeEnd(of process: Int32) -> ProcessEnd {
        guard children.remove(process) != nil else { return .unknown }
        return ends.removeValue(forKey: process) ?? reaper.one(process) ?? .unknown
    }
}
