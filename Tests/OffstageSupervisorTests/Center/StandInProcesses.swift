// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageSupervisor

/// The simulated processes of a machine: they outlive a daemon, as the kernel's do.
///
/// `@unchecked Sendable`: belongs to the test's one thread.
final class StandInProcesses: ProcessHost, @unchecked Sendable {
    private(set) var running: [Int32: StandInProcess] = [:]
    private(set) var last: StandInProcess?
    /// How often the daemon had a program started.
    private(set) var launches = 0
    /// Why no program can be started; nil if programs can start.
    var refusal: LaunchError?
    /// The behaviour of every process that is started.
    var habits = StandInProcess.Habits()
    /// The stage that is notified of ends, and checks connections.
    weak var stage: SupervisorStage?
    private var ends: [(process: Int32, end: ProcessEnd)] = []
    private var nextNumber: Int32 = 20_000_000

    static func executable(of app: String) -> String { "/apps/" + app }

    /// Starts a program; with a token for the daemon, without one for a person.
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

    /// A process has ended.
    func ended(_ process: StandInProcess, _ end: ProcessEnd) {
        running[process.identity.number] = nil
        if process.isChild { ends.append((process.identity.number, end)) }
        stage?.processEnded(process)
    }

    /// The daemon is gone: it has no children any more, and connections are closed.
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
