// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageAccounts
import OffstageCore
import OffstageHost
import OffstageProtocol
import OffstageRuntime
import OffstageSessions
import OffstageStore
import OffstageSupervisor
import OffstageTransfers
import OffstageWork

/// Listens on the Unix socket, checks its peers, and carries frames between clients and routes.
///
/// Only a misbehaving peer is dropped. Nothing here waits for a peer.
actor DaemonServer {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The engines, which answer requests, and their common base.
    private let engines: Engines
    let information: DaemonInformation
    let listener: SocketListener
    let connections: ConnectionRegister
    let submissions: SubmissionIntake
    let inquiries: ServerInquiries

    static let budget = SocketBudget()
    /// The last notice sent to observers: its number and its encoded payload.
    var lastNotice: (number: UInt64, payload: [UInt8])?
    var line = TurnLine()
    var departed = DepartedPeers()
    var ledger = RequestUsage()
    var bytes = ByteUsage()
    /// Rings when connections have to be checked for unfinished frames.
    let alarm: EventLoop.Alarm
    var alarmDue: Double?

    init(_ engines: Engines, listener: Int32, information: DaemonInformation) {
        loop = engines.base.loop
        self.engines = engines
        self.information = information
        self.listener = SocketListener(listener, loop: engines.base.loop, log: engines.base.log)
        alarm = loop.makeAlarm()
        let perProcess = ProcessBudget()
        connections = ConnectionRegister(Self.budget, perProcess: perProcess, descriptorLimit: Self.descriptorLimit)
        submissions = SubmissionIntake(engines)
        inquiries = ServerInquiries(
            engines.queue,
            engines.accounts,
            token: engines.token,
            turns: AccountTurns(Self.budget, perProcess: perProcess)
        ) { [connections] in connections[$0]?.peerProcess }
    }

    var queue: TransferQueue { engines.queue }
    var sessions: SessionCenter { engines.sessions }
    var apps: AppCenter { engines.apps }
    var tasks: TaskCenter { engines.tasks }
    var notifications: UserNotificationCenter { engines.notifications }
    var accounts: AccountCenter { engines.accounts }
    var store: SQLiteStore { engines.base.store }
    /// Workers for long tasks.
    var workers: WorkerPool { engines.base.workers }
    var coding: RequestCoding { RequestCoding(workers: workers) }
    var log: Log { engines.base.log }
    var now: Date { engines.base.clock.now().wall }

    func start() {
        let send: @Sendable (SessionEvent, UInt64) -> Void = { [weak self] event, connection in
            self?.assumeIsolated { $0.sendEvent(event, named: SessionEvent.name, to: connection) }
        }
        let hangUp: @Sendable (UInt64) -> Void = { [weak self] connection in
            self?.assumeIsolated { server in
                if let connection = server.connections[connection] { server.drop(connection) }
            }
        }
        let goOn: @Sendable (String) -> Void = { [weak queue, loop] name in
            loop.startTask { await queue?.accountAdded(name) }
        }
        accounts.assumeIsolated { $0.start(onAdded: goOn) }
        let lead = loop.lead
        let command: @Sendable (StageCommand, UInt64) -> Void = { [weak self] command, connection in
            let told = command.shifted(by: -lead.seconds)
            self?.assumeIsolated { $0.sendEvent(told, named: StageCommand.name, to: connection) }
        }
        let event: @Sendable (TaskEvent, UInt64) -> Void = { [weak self] event, connection in
            self?.assumeIsolated { $0.sendEvent(event, named: TaskEvent.name, to: connection) }
        }
        tasks.assumeIsolated { $0.start(send: event) }
        let desktop: @Sendable (DesktopCommand, UInt64) -> Void = { [weak self] command, connection in
            self?.assumeIsolated { $0.sendEvent(command, named: DesktopCommand.name, to: connection) }
        }
        notifications.desktop.assumeIsolated { $0.setServer(send: desktop) }
        notifications.assumeIsolated { $0.start() }
        let readRest: @Sendable (UInt64) -> Void = { [weak self] connection in
            self?.assumeIsolated { $0.readRest(of: connection) }
        }
        apps.assumeIsolated { $0.start(StageLinks.Server(send: command, hangUp: hangUp, readRest: readRest)) }
        sessions.assumeIsolated { center in
            center.setServer(send: send, hangUp: hangUp)
            center.start()
        }
        loop.onAlarm(alarm) { [weak self] in self?.assumeIsolated { $0.endUnfinished() } }
        loop.onTurn { [weak self] in self?.assumeIsolated { $0.runTurn() } ?? false }
        listener.start { [weak self] descriptor in self?.assumeIsolated { $0.admit(descriptor) } }
    }

    /// Stops accepting connections, lets the engines come to rest, closes the open connections, and ends the loop.
    func shutDown() {
        listener.stop()
        loop.startTask {
            await sessions.shutDown()
            await tasks.shutDown()
            await apps.shutDown()
            await queue.prepareToStop()
            await accounts.shutDown()
            await queue.shutDown()
            engines.base.store.chronicle.finish()
            for connection in connections.all {
                _ = connection.flush()
                drop(connection)
            }
            loop.stop()
        }
    }
}
