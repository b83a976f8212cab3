// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageAccounts
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageSessions
import OffstageSupervisor
import OffstageTransfers
import OffstageWork

/// Listens on the Unix socket, checks who connects, and carries frames between clients and routes.
///
/// A peer that misbehaves is dropped alone: nothing here waits for a peer.
actor DaemonServer {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let queue: TransferQueue
    let sessions: SessionCenter
    let apps: AppCenter
    let tasks: TaskCenter
    let notifications: UserNotificationCenter
    let accounts: AccountCenter
    let information: DaemonInformation
    /// For what takes long.
    let workers: WorkerPool
    var listener: Int32
    var listenerWatch: EventLoop.Watch?
    var isStopping = false
    var isListenerPaused = false
    var connections: [UInt64: Connection] = [:]
    var perProcess: [Int32: Int] = [:]
    var nextConnection: UInt64 = 1
    /// Kept open so that there is always one descriptor left to refuse a peer with.
    var reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
    let log: @Sendable (String) -> Void

    var appConnections = 0
    /// Those of apps, which keep them while suspended, are no reason not to hear a command. Each costs three descriptors.
    let appConnectionLimit = DaemonServer.descriptorLimit / 6

    static let processBudget = ProcessBudget()
    static let budget = SocketBudget()
    var line = TurnLine()
    var ledger = RequestLedger()
    var bytes = ByteLedger()
    var watchedTransfers = 0
    var served: UInt64 = 0
    typealias Submission = Task<Result<SubmitTransfers.Reply, any Error>, Never>
    /// What each connection has handed over last, while it is not answered.
    var lastSubmissions: [UInt64: Submission] = [:]
    /// When connections are looked at for frames that do not come to their end, and the listener for room.
    let alarm: EventLoop.Alarm
    var alarmDue: Double?
    /// Who asks about accounts: each such request may wait for the network on a thread.
    var accountGate = FairGate<Int32>(
        total: budget.accountRequests,
        perOwner: processBudget.accountRequests,
        waitingPerOwner: processBudget.waitingAccountRequests
    )
    var accountTickets: UInt64 = 0
    var accountWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

    init(_ engines: Engines, listener: Int32, information: DaemonInformation) {
        loop = engines.base.loop
        log = engines.base.log
        workers = engines.base.workers
        queue = engines.queue
        sessions = engines.sessions
        apps = engines.apps
        tasks = engines.tasks
        notifications = engines.notifications
        accounts = engines.accounts
        self.listener = listener
        self.information = information
        alarm = loop.makeAlarm()
    }

    var connectionCount: Int { connections.count }

    func start() {
        let send: @Sendable (SessionEvent, UInt64) -> Void = { [weak self] event, connection in
            self?.assumeIsolated { $0.sendEvent(event, named: SessionEvent.name, to: connection) }
        }
        let hangUp: @Sendable (UInt64) -> Void = { [weak self] connection in
            self?.assumeIsolated { server in
                if let connection = server.connections[connection] { server.drop(connection) }
            }
        }
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
        loop.onAlarm(alarm) { [weak self] in self?.assumeIsolated { $0.alarmRang() } }
        loop.onTurn { [weak self] in self?.assumeIsolated { $0.takeTurn() } ?? false }
        listen()
    }

    /// Takes no more connections, lets the queue come to rest, closes the connections there are, and ends the loop.
    func shutDown() {
        isStopping = true
        if let listenerWatch { loop.unwatch(listenerWatch) }
        listenerWatch = nil
        loop.startTask {
            await sessions.shutDown()
            await tasks.shutDown()
            await apps.shutDown()
            await queue.prepareToStop()
            await accounts.shutDown()
            await queue.shutDown()
            for connection in connections.values {
                _ = connection.flush()
                drop(connection)
            }
            loop.stop()
        }
    }
}
