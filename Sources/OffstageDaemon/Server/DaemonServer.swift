// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTransfers

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
    let accounts: AccountCenter
    let information: DaemonInformation
    private let listener: Int32
    private var listenerWatch: EventLoop.Watch?
    private var connections: [UInt64: Connection] = [:]
    private var perProcess: [Int32: Int] = [:]
    private var nextConnection: UInt64 = 1
    /// Kept open so that there is always one descriptor left to refuse a peer with.
    private var reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)

    private var appConnections = 0

    /// Connections of commands and of whoever has not said what it is, and of one process: the daemon's descriptors are
    /// for transfers first.
    static let connectionLimit = 512
    static let connectionsPerProcess = 128
    /// Those of apps, which keep them while suspended, are no reason not to hear a command. Each costs three descriptors.
    private let appConnectionLimit = DaemonServer.descriptorLimit / 6

    init(
        loop: EventLoop,
        queue: TransferQueue,
        sessions: SessionCenter,
        apps: AppCenter,
        tasks: TaskCenter,
        accounts: AccountCenter,
        listener: Int32,
        information: DaemonInformation
    ) {
        self.loop = loop
        self.queue = queue
        self.sessions = sessions
        self.apps = apps
        self.tasks = tasks
        self.accounts = accounts
        self.listener = listener
        self.information = information
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
        tasks.assumeIsolated { center in
            center.setServer(send: event)
            center.start()
        }
        let readRest: @Sendable (UInt64) -> Void = { [weak self] connection in
            self?.assumeIsolated { $0.readRest(of: connection) }
        }
        apps.assumeIsolated { center in
            center.setServer(send: command, hangUp: hangUp, readRest: readRest)
            center.start()
        }
        sessions.assumeIsolated { center in
            center.setServer(send: send, hangUp: hangUp)
            center.start()
        }
        listenerWatch = loop.watch(listener, events: offstage_epoll_in) { [weak self] _ in
            self?.assumeIsolated { $0.acceptAll() }
        }
    }

    /// Takes no more connections, lets the queue come to rest, closes the connections there are, and ends the loop.
    func shutDown() {
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

    // MARK: Accepting

    private func acceptAll() {
        for _ in 0..<64 {
            let descriptor = offstage_accept(listener)
            if descriptor < 0 {
                if errno == EMFILE || errno == ENFILE { refuseOne() }
                return
            }
            admit(descriptor)
        }
    }

    private func refuseOne() {
        close(reserve)
        let descriptor = offstage_accept(listener)
        if descriptor >= 0 { close(descriptor) }
        reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    private func admit(_ descriptor: Int32) {
        var user = uid_t()
        var process = pid_t()
        guard offstage_peer_credentials(descriptor, &user, &process) == 0, user == geteuid() else {
            close(descriptor)
            return
        }
        let connection = Connection(id: nextConnection, fileDescriptor: descriptor, peerProcess: process)
        nextConnection += 1
        if perProcess[process, default: 0] >= Self.connectionsPerProcess {
            return refuse(connection, "one process may have \(Self.connectionsPerProcess) connections: close some.")
        }
        if connections.count - appConnections >= Self.connectionLimit {
            // Whoever never said hello makes room for whoever may.
            guard let silent = connections.values.filter({ !$0.hasSaidHello }).min(by: { $0.id < $1.id }) else {
                return refuse(connection, "the daemon has \(Self.connectionLimit) connections: close some.")
            }
            drop(silent)
        }
        perProcess[process, default: 0] += 1
        connections[connection.id] = connection
        let id = connection.id
        connection.watch = loop.watch(descriptor, events: offstage_epoll_in) { [weak self] events in
            self?.assumeIsolated { $0.ready(id, events: events) }
        }
    }

    private func refuse(_ connection: Connection, _ text: String) {
        let failure = WireFailure(.tooManyConnections, "Too many connections: \(text)")
        if let payload = try? WireCoding.encode(failure) {
            _ = connection.send(WireFrame(kind: .failure, exchange: 0, payload: payload))
        }
        close(connection.fileDescriptor)
    }

    // MARK: Traffic

    private func ready(_ id: UInt64, events: UInt32) {
        guard let connection = connections[id] else { return }
        if events & offstage_epoll_out != 0, !connection.flush() { return drop(connection) }
        if events & (offstage_epoll_in | offstage_epoll_hup | offstage_epoll_err) != 0 {
            switch connection.readAvailable() {
            case .closed: return drop(connection)
            case .violation(let violation):
                let text =
                    switch violation {
                    case .frameTooLong(let length): "A frame of \(length) bytes is longer than the protocol allows."
                    case .malformed: "That is not Offstage's protocol."
                    }
                fail(connection, exchange: 0, WireFailure(.badRequest, text))
                return drop(connection)
            case .frames(let frames):
                // One of them may have been the last that is heard of it.
                for frame in frames where connections[id] != nil { receive(frame, from: connection) }
            }
        }
        if connections[id] != nil { updateEvents(connection) }
    }

    /// Takes what a process that is no more has sent before it ended: the kernel may tell its end first.
    private func readRest(of id: UInt64) {
        // No peer keeps the loop to itself, whatever it goes on sending.
        for _ in 0..<16 {
            guard let connection = connections[id], case .frames(let frames) = connection.readAvailable(),
                !frames.isEmpty
            else { return }
            for frame in frames where connections[id] != nil { receive(frame, from: connection) }
        }
    }

    private func receive(_ frame: WireFrame, from connection: Connection) {
        guard frame.kind == .request else {
            return fail(
                connection,
                exchange: frame.exchange,
                WireFailure(.badRequest, "Only requests may come from a client.")
            )
        }
        if frame.name == Hello.name { return greet(frame, connection) }
        if frame.name == Ring.name {
            let id = connection.id
            return sessions.assumeIsolated { $0.rung(id) }
        }
        if frame.name == StageReport.name {
            let id = connection.id
            return apps.assumeIsolated { $0.reported(frame.payload, id) }
        }
        guard connection.hasSaidHello, connection.isCompatible || frame.name == HandOver.name else {
            return fail(
                connection,
                exchange: frame.exchange,
                connection.hasSaidHello
                    ? incompatibility : WireFailure(.badRequest, "The first request must be hello.")
            )
        }
        connection.requestsUnderWay += 1
        let id = connection.id
        loop.startTask {
            let result: Result<RouteAnswer, WireFailure>
            do {
                result = .success(try await self.route(frame, connection: id))
            } catch {
                result = .failure(Self.failure(for: error))
            }
            self.answer(id, exchange: frame.exchange, result)
        }
    }

    private func greet(_ frame: WireFrame, _ connection: Connection) {
        connection.hasSaidHello = true
        guard let hello = try? WireCoding.decode(Hello.self, from: frame.payload) else {
            return fail(connection, exchange: frame.exchange, WireFailure(.badRequest, "That hello cannot be read."))
        }
        connection.isCompatible = hello.protocolVersion == Hello.protocolVersion
        guard connection.isCompatible else {
            return fail(connection, exchange: frame.exchange, incompatibility)
        }
        let reply = Hello.Reply(version: .current, protocolVersion: Hello.protocolVersion, processID: getpid())
        if let payload = try? WireCoding.encode(reply) {
            send(WireFrame(kind: .reply, exchange: frame.exchange, payload: payload), to: connection)
        }
    }

    private var incompatibility: WireFailure {
        WireFailure(
            .incompatible,
            "This daemon is Offstage \(OffstageVersion.current) and speaks protocol \(Hello.protocolVersion) only: use the same version of the command and the daemon."
        )
    }

    private func answer(_ id: UInt64, exchange: UInt32, _ result: Result<RouteAnswer, WireFailure>) {
        guard let connection = connections[id] else {
            // Gone while it was worked on: nobody will say so again.
            if case .success(let answer) = result, answer.descriptor >= 0 { close(answer.descriptor) }
            return sessions.assumeIsolated { $0.connectionEnded(id) }
        }
        connection.requestsUnderWay -= 1
        switch result {
        case .success(let answer) where answer.payload.count > WireFrame.maximumLength - 512:
            if answer.descriptor >= 0 { close(answer.descriptor) }
            fail(
                connection,
                exchange: exchange,
                WireFailure(.badRequest, "The answer is longer than the protocol allows: ask for less at once.")
            )
        case .success(let answer):
            let frame = WireFrame(kind: .reply, exchange: exchange, payload: answer.payload)
            send(frame, descriptor: answer.descriptor, to: connection)
            answer.afterwards?()
        case .failure(let failure): fail(connection, exchange: exchange, failure)
        }
        if connections[id] != nil { updateEvents(connection) }
    }

    private func fail(_ connection: Connection, exchange: UInt32, _ failure: WireFailure) {
        guard let payload = try? WireCoding.encode(failure) else { return }
        send(WireFrame(kind: .failure, exchange: exchange, payload: payload), to: connection)
    }

    /// Sends an event; on the loop.
    func sendEvent(_ event: some Encodable, named name: String, to id: UInt64) {
        guard let connection = connections[id], let payload = try? WireCoding.encode(event) else { return }
        send(WireFrame(kind: .event, exchange: 0, name: name, payload: payload), to: connection)
    }

    /// What the kernel knows of a connection's peer: its number, and a pidfd or -1.
    func peer(of id: UInt64) -> (process: Int32, pidfd: Int32)? {
        connections[id].map { ($0.peerProcess, offstage_peer_pidfd($0.fileDescriptor)) }
    }

    private func send(_ frame: WireFrame, descriptor: Int32 = -1, to connection: Connection) {
        if connection.send(frame, descriptor: descriptor) {
            updateEvents(connection)
        } else {
            readRest(of: connection.id)
            drop(connection)
        }
    }

    /// An app has taken the connection for its own.
    func takeForApp(_ id: UInt64) throws(WireFailure) {
        guard let connection = connections[id], !connection.isOfApp else { return }
        guard appConnections < appConnectionLimit else {
            throw WireFailure(
                .tooManyConnections,
                "Too many connections: apps have \(appConnectionLimit). Terminate some, or raise the limit of open files."
            )
        }
        connection.isOfApp = true
        appConnections += 1
    }

    private static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    private func updateEvents(_ connection: Connection) {
        guard let watch = connection.watch else { return }
        var events: UInt32 = 0
        if connection.requestsUnderWay < Connection.requestLimit { events |= offstage_epoll_in }
        if connection.hasUnsent { events |= offstage_epoll_out }
        if events != connection.watchedEvents {
            connection.watchedEvents = events
            loop.modify(watch, events: events)
        }
    }

    func remember(_ observation: UInt64, for id: UInt64) -> Bool {
        connections[id]?.observations.append(observation)
        return connections[id] != nil
    }

    private func drop(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        if connection.isOfApp { appConnections -= 1 }
        perProcess[connection.peerProcess, default: 1] -= 1
        if perProcess[connection.peerProcess] == 0 { perProcess[connection.peerProcess] = nil }
        if let watch = connection.watch { loop.unwatch(watch) }
        connection.closeAll()
        let id = connection.id
        sessions.assumeIsolated { $0.connectionEnded(id) }
        apps.assumeIsolated { $0.connectionEnded(id) }
        tasks.assumeIsolated { $0.connectionEnded(id) }
        let observations = connection.observations
        if !observations.isEmpty {
            queue.assumeIsolated { queue in
                for observation in observations { queue.stopObserving(observation) }
            }
        }
    }
}
