// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageSupervisor

/// The processes of a machine that has none: they outlive a daemon, as the kernel's do.
///
/// `@unchecked Sendable`: belongs to the test's one thread.
final class StandInProcesses: ProcessHost, @unchecked Sendable {
    private(set) var running: [Int32: StandInProcess] = [:]
    private(set) var last: StandInProcess?
    /// How often a program was started for the daemon.
    private(set) var launches = 0
    /// Why no program can be started; nil while it can.
    var refusal: LaunchError?
    /// What every process that is started does.
    var habits = StandInProcess.Habits()
    /// Who is told that something has ended, and looks at connections.
    weak var stage: SupervisorStage?
    private var ends: [(process: Int32, end: ProcessEnd)] = []
    private var nextNumber: Int32 = 20_000_000

    static func executable(of app: String) -> String { "/apps/" + app }

    /// Starts a program; by the daemon with a token, by a person without.
    func start(_ app: String, token: String?) -> StandInProcess {
        nextNumber += 1
        let process = StandInProcess(
            ProcessIdentity(number: nextNumber, startedAt: 7),
            of: app,
            token: token,
            in: self
        )
        running[nextNumber] = process
        last = process
        process.connect()
        return process
    }

    /// A process is no more.
    func ended(_ process: StandInProcess, _ end: ProcessEnd) {
        running[process.identity.number] = nil
        if process.isChild { ends.append((process.identity.number, end)) }
        stage?.processEnded(process)
    }

    /// The daemon is gone: nobody is its child any more, and connections are closed.
    func daemonEnded() {
        ends = []
        for process in running.values { process.daemonEnded() }
    }

    func reapAll() -> [(process: Int32, end: ProcessEnd)] {
        defer { ends = [] }
        return ends
    }

    func reap(_ number: Int32) -> ProcessEnd? {
        guard let index = ends.firstIndex(where: { $0.process == number }) else { return nil }
        return ends.remove(at: index).end
    }

    // MARK: ProcessHost

    func facts(of process: Int32, pidfd: Int32, variables: [String]) -> AppFacts? {
        guard let process = running[process] else { return nil }
        return AppFacts(
            app: process.app,
            process: process.identity,
            executable: Self.executable(of: process.app),
            information: AppRegistration.Information(name: "Photos", backgroundModes: ["fetch"]),
            launch: AppRegistration.Launch(arguments: ["--now"], workingDirectory: "/", environment: [:])
        )
    }

    func hold(_ process: ProcessIdentity) -> (any HeldProcess)? {
        guard let found = running[process.number], found.identity == process else { return nil }
        return found
    }

    func prepare(_ executable: String) throws(LaunchError) -> Launch {
        { [self] order throws(LaunchError) in
            launches += 1
            if let refusal { throw refusal }
            return start(String(executable.dropFirst("/apps/".count)), token: order.token).identity
        }
    }

    func process(launchedWith token: String) -> ProcessIdentity? {
        running.values.first { $0.token == token }?.identity
    }

    func tracer(of process: Int32) -> Int32? { nil }
}
