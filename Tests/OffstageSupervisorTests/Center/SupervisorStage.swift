// SPDX-License-Identifier: Apache-2.0
import EngineTestSupport
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageSupervisor
import OffstageTestSupport

/// The engine of apps as processes, in virtual time, with simulated processes.
///
/// `@unchecked Sendable`: belongs to the test's one thread.
final class SupervisorStage: @unchecked Sendable {
    static let app = "com.example.photos"

    let engine: EngineStage
    let processes: StandInProcesses
    let sessions: StandInSessions
    let center: AppCenter
    private var nextConnection: UInt64 = 1
    private var connections: [UInt64: StandInProcess] = [:]
    /// Connections on which the daemon has hung up.
    private(set) var hungUp: [UInt64] = []

    convenience init(_ settings: Settings = Settings()) throws {
        try self.init(EngineStage(), StandInProcesses(), settings)
    }

    private init(_ engine: EngineStage, _ processes: StandInProcesses, _ settings: Settings) throws {
        self.engine = engine
        self.processes = processes
        let sessions = StandInSessions(loop: engine.loop)
        self.sessions = sessions
        center = AppCenter(
            loop: engine.loop,
            sessions: sessions,
            store: engine.store,
            trouble: engine.trouble,
            workers: engine.workers,
            paths: engine.paths,
            settings: settings,
            clock: engine.clock,
            host: processes,
            freezer: nil,
            crashes: engine.crashes,
            reapAll: { processes.reapAll() },
            reapOne: { processes.reap($0) },
            log: engine.log
        )
        processes.stage = self
        let server = StageLinks.Server(
            send: { [weak self] command, connection in self?.connections[connection]?.receive(command) },
            hangUp: { [weak self] connection in self?.hungUp.append(connection) },
            readRest: { _ in }
        )
        let center = center
        engine.loop.post { center.assumeIsolated { $0.start(server) } }
        engine.atEnd { await center.shutDown() }
        engine.settle()
    }

    /// The next daemon, on the same machine: its processes keep running, and connect to it.
    ///
    /// - Parameters:
    ///   - seconds: how long there was no daemon.
    ///   - isReboot: whether the machine was rebooted in the meantime, so that no process is left.
    ///   - prepare: any other differences at its start.
    /// - Returns: that daemon.
    /// - Throws: as `EngineStage`.
    func next(
        after seconds: Double = 0,
        isReboot: Bool = false,
        prepare: (EngineStage) -> Void = { _ in }
    ) throws -> SupervisorStage {
        processes.stage = nil
        processes.daemonEnded()
        let engine = try engine.next(after: seconds, isReboot: isReboot)
        prepare(engine)
        let next = try SupervisorStage(engine, isReboot ? StandInProcesses() : processes, Settings())
        for process in next.processes.running.values where !process.isHalted { process.connect() }
        next.engine.settle()
        return next
    }

    // MARK: The server's part

    func attach(_ process: StandInProcess) {
        let connection = nextConnection
        nextConnection += 1
        connections[connection] = process
        let center = center
        let loop = engine.loop
        loop.post {
            loop.startTask {
                let reply = try? await center.attach(
                    AttachApp(view: process.view),
                    connection: connection,
                    process: process.identity.number,
                    pidfd: -1
                )
                process.connection = reply == nil ? nil : connection
                await center.answered(connection)
                if let reply { process.attached(reply.launch) }
            }
        }
    }

    func report(_ report: StageReport, of process: StandInProcess) {
        guard let connection = process.connection, let bytes = try? WireCoding.encode(report) else { return }
        let center = center
        // Later, as from a socket: the daemon is not called while it is sending a command.
        engine.loop.post { center.assumeIsolated { $0.reported(bytes, connection) } }
    }

    func processEnded(_ process: StandInProcess) {
        let (center, connection) = (center, process.connection)
        process.connection = nil
        engine.loop.post {
            center.assumeIsolated { center in
                center.childrenChanged()
                if let connection { center.connectionEnded(connection) }
            }
        }
    }

    // MARK: What a test does

    /// A person opens the app in a shell; returns its process once it is on stage.
    func open(_ app: String = app) throws -> StandInProcess {
        let process = processes.start(app, token: nil)
        engine.settle()
        guard process.connection != nil else { throw TestError("The app is not on stage") }
        return process
    }

    /// A person opens the app, and sends it to background.
    func openAndLeave() throws -> StandInProcess {
        let process = try open()
        try act(.background)
        return process
    }

    func act(_ verb: ActOnApp.Verb, on app: String = app, waits: Bool = false) throws {
        let (center, request) = (center, ActOnApp(app: app, verb: verb, waits: waits))
        _ = try engine.run { try await center.act(request, connection: 900) }
        engine.settle()
    }

    func call(for session: String) {
        let sessions = sessions
        engine.loop.post { sessions.assumeIsolated { $0.call(Self.app, for: session) } }
        engine.settle()
    }

    // MARK: What a test sees

    func details() throws -> ShowApp.Reply {
        let center = center
        return try engine.run { try await center.show(ShowApp(app: Self.app)) }
    }

    func state() throws -> LifeState { try details().row.state }

    /// The app's history, as people see it.
    func story() throws -> [AppEntry.Happening] {
        let center = center
        return try engine.run { try await center.story(ReadAppStory(app: Self.app)).entries.map(\.entry.happening) }
    }
}
