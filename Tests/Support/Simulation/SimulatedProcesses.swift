// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageSupervisor

/// The processes of the simulated machine, which outlive any daemon.
///
/// `@unchecked Sendable`: belongs to the simulation's single thread.
final class SimulatedProcesses: ProcessHost, @unchecked Sendable {
    private let world: SimulatedWorld
    private(set) var running: [Int32: SimulatedProcess] = [:]
    /// Beyond every process ID that the kernel assigns.
    private var nextNumber: Int32 = 10_000_000
    /// Children of the current daemon that have ended and have not been reaped.
    private var ends: [(process: Int32, end: ProcessEnd)] = []

    init(_ world: SimulatedWorld) { self.world = world }

    /// Starts a program: by the daemon if there is a token, by a person otherwise.
    func start(_ app: SimulatedApp, token: String?) -> SimulatedProcess {
        nextNumber += 1
        let process = SimulatedProcess(
            ProcessIdentity(number: nextNumber, startedAt: UInt64(world.clock.elapsed * 100)),
            of: app,
            token: token,
            in: world
        )
        process.isChild = token != nil
        running[nextNumber] = process
        return process
    }

    func hasEnded(_ process: SimulatedProcess) {
        running[process.identity.number] = nil
        guard process.isChild else { return }
        ends.append((process.identity.number, .signalled(SIGKILL)))
        let life = world.life
        life?.loop.post { life?.core.childrenChanged() }
    }

    /// Handles the daemon's death: no process is its child any more.
    func cutOff() {
        for process in running.values { process.isChild = false }
        ends = []
    }

    func reapAll() -> [(process: Int32, end: ProcessEnd)] {
        defer { ends = [] }
        return ends
    }

    func reap(_ number: Int32) -> ProcessEnd? {
        guard let index = ends.firstIndex(where: { $0.process == number }) else { return nil }
        return ends.remove(at: index).end
    }

    func identify(_ number: Int32, _ pidfd: Int32) -> PeerIdentity? {
        if pidfd >= 0 { close(pidfd) }
        return running[number].map { PeerIdentity(app: $0.app.id, process: $0.identity) }
    }

    func isGone(_ process: ProcessIdentity) -> Bool { running[process.number]?.identity != process }

    // MARK: ProcessHost

    func facts(of process: Int32, pidfd: Int32, variables: [String]) -> AppFacts? {
        guard let identity = identify(process, pidfd), let app = running[process]?.app else { return nil }
        return AppFacts(
            app: identity.app,
            process: identity.process,
            executable: "/apps/\(app.id)",
            information: AppRegistration.Information(
                name: app.id,
                backgroundModes: ["fetch", "processing"],
                permittedTaskIdentifiers: SimulatedApp.taskIdentifiers
            ),
            launch: AppRegistration.Launch(arguments: [], workingDirectory: "/", environment: [:])
        )
    }

    func hold(_ process: ProcessIdentity) -> (any HeldProcess)? {
        guard let found = running[process.number], found.identity == process else { return nil }
        return found
    }

    func prepare(_ executable: String) throws(LaunchError) -> Launch {
        guard let app = world.apps.first(where: { executable == "/apps/\($0.id)" }) else {
            throw .executable(executable, code: ENOENT)
        }
        return { [world] order throws(LaunchError) in
            if world.chance(15) { throw .process(code: EAGAIN) }
            let process = self.start(app, token: order.token)
            app.hasStarted(process)
            return process.identity
        }
    }

    func process(launchedWith token: String) -> ProcessIdentity? {
        running.values.first { $0.token == token }?.identity
    }

    func tracer(of process: Int32) -> Int32? { nil }
}
