// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
package import OffstageProtocol
package import OffstageRuntime

/// The daemon's half of background sessions: which connection is which app's and has which of its sessions, and what
/// each is told. What apps hand over is taken in by `SessionCenter+Journals.swift`.
package actor SessionCenter {
    package typealias ConnectionID = UInt64

    nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let queue: any SessionTransfers
    let store: any AppStore
    let trouble: StoreTrouble
    let accounts: any TransferAdmission
    let peers: PeerReader
    let paths: OffstagePaths
    let clock: SystemClock
    let crashes: CrashLedger
    let log: @Sendable (String) -> Void
    /// For reading, decoding and encoding many records: the loop does none of that.
    let workers: WorkerPool
    /// Sends an event to a connection, on the loop.
    var send: (@Sendable (SessionEvent, ConnectionID) -> Void)?
    /// Hangs up on a connection, on the loop.
    private(set) var hangUp: (@Sendable (ConnectionID) -> Void)?

    /// A connection of an app.
    struct Client {
        var identity: PeerIdentity
        var journal: HandOverJournal
    }

    var clients: [ConnectionID: Client] = [:]
    var holders = SessionHolders()
    var questions = OpenQuestions()
    /// Sessions whose delegates have heard of ends since it was last looked whether that was all.
    var acknowledged: Set<SessionName> = []
    var withheld = WithheldSessions()
    var wakes = SessionWakes()
    var appSink: (@Sendable (AppNotice) -> Void)?
    /// How many journals each app has that nobody adds to any more and that are not yet wholly in the store.
    var leftJournals: [String: Int] = [:]
    /// What of their journals could not be taken in, by app: how often, and what it was last.
    var journalTroubles: [String: (count: Int, last: String)] = [:]
    /// The same for each process.
    var leftProcesses: [ProcessIdentity: Int] = [:]
    /// Those journals by their names.
    var leaving: [String: HandOverJournal] = [:]
    /// The process of each app that the person quit last, which is being ended.
    var quitProcesses: [String: ProcessIdentity] = [:]
    /// Whether everything that was handed over to the daemon before is in the store.
    var mayDeleteBodies = false
    /// How many times a session's questions are being looked up to be sent.
    var asking: [SessionName: Int] = [:]
    private var waiters: [Event: [CheckedContinuation<Void, Never>]] = [:]
    var isReady = false
    /// Whether apps may be called for what the daemon before left.
    var mayCall = false
    var isStopping = false

    /// What somebody may wait for.
    enum Event: Hashable {
        case ready
        /// All that the app left behind is in the store.
        case imported(app: String)
        case released(SessionName)
        /// One of the app's journals is wholly in the store.
        case journalDeleted(app: String)
        /// Nothing is under way with a journal.
        case rested(journal: String)
        /// Apps may be called for what the daemon before left.
        case mayCall
        /// A session's questions have been sent to whoever has it.
        case asked(SessionName)
    }

    package init(
        loop: EventLoop,
        queue: any SessionTransfers,
        store: any AppStore,
        trouble: StoreTrouble,
        workers substitute: WorkerPool,
        accounts: any TransferAdmission,
        peers: PeerReader,
        paths: OffstagePaths,
        clock: SystemClock,
        crashes: CrashLedger,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.loop = loop
        self.queue = queue
        self.store = store
        self.trouble = trouble
        workers = WorkerPool(threads: 2, staying: 0, substitute: substitute)
        self.accounts = accounts
        self.peers = peers
        self.paths = paths
        self.clock = clock
        self.crashes = crashes
        self.log = log
    }

    package func setServer(
        send: @escaping @Sendable (SessionEvent, ConnectionID) -> Void,
        hangUp: @escaping @Sendable (ConnectionID) -> Void
    ) {
        self.send = send
        self.hangUp = hangUp
    }

    /// Leaves every journal as it is: the next daemon goes on with it.
    package func shutDown() {
        isStopping = true
        workers.shutDown()
    }

    // MARK: Sessions

    /// Gives a connection a session, and says how it stands.
    package func open(_ identifier: String, connection: ConnectionID) async throws -> OpenSession.Reply {
        let client = try client(connection)
        let session = SessionName(app: client.identity.app, identifier: identifier)
        if let problem = session.problem { throw WireFailure(.badRequest, problem) }
        try await take(session, for: connection, process: client.identity.process)
        await waitForImports(of: session.app)
        let standing: SessionStanding
        do {
            standing = try await store.session(identifier, of: session.app)
        } catch {
            release(session, of: connection)
            throw error
        }
        // It may have hung up meanwhile: then nobody has the session.
        guard clients[connection] != nil else { throw Self.notAnApp }
        let isWithheld = isWithheld(session)
        return OpenSession.Reply(
            highestTask: standing.highestTask,
            outstanding: standing.outstanding,
            pendingEnds: isWithheld ? 0 : standing.pendingEnds,
            isWithheld: isWithheld ? true : nil,
            untold: standing.pendingEnds
        )
    }

    private func take(_ session: SessionName, for connection: ConnectionID, process: ProcessIdentity) async throws {
        let begin = clock.now()
        var isTimed = false
        while clients[connection] != nil {
            switch holders.open(session, connection: connection, process: process) {
            case .granted, .takenOver:
                clients[connection]?.journal.sessions.insert(session.identifier)
                // What is asked meanwhile comes with what waited already: once, and after the reply.
                questions.suspended(session)
                return
            case .held:
                let left = SessionHolders.patience - clock.now().seconds(since: begin)
                guard left > 0 else {
                    throw WireFailure(
                        .inUse,
                        "Another process of this app has the background session '\(session.identifier.redactedControls)': only one at a time can have it."
                    )
                }
                if !isTimed {
                    isTimed = true
                    loop.startTask {
                        await loop.sleep(seconds: left)
                        happened(.released(session))
                    }
                }
                await wait(for: .released(session)) { holders.holder(of: session) != nil }
            }
        }
        throw Self.notAnApp
    }

    /// Asks the app that has just got a session what its tasks wait for.
    package func askOpenQuestions(_ identifier: String, connection: ConnectionID) {
        guard let client = clients[connection] else { return }
        let session = SessionName(app: client.identity.app, identifier: identifier)
        guard holders.holder(of: session) == connection, !isWithheld(session) else { return }
        questions.opened(session)
        askNext(session)
    }

    /// Asks the app what is to be asked next of a session's tasks.
    func askNext(_ session: SessionName) {
        loop.startTask { await ask(session) }
    }

    /// As `askNext`; returns once the questions have been sent.
    func ask(_ session: SessionName) async {
        while true {
            let ids = questions.next(in: session)
            guard !ids.isEmpty else { return }
            let holder = holders.holder(of: session)
            asking[session, default: 0] += 1
            let found = await queue.questions(of: ids)
            asking[session, default: 1] -= 1
            if asking[session] == 0 {
                asking[session] = nil
                happened(.asked(session))
            }
            guard let holder, holders.holder(of: session) == holder, !isWithheld(session) else { return }
            for (id, key, question) in found where questions.isAsked(id, in: session) {
                send?(.question(id, key, question), holder)
            }
            let absent = Set(ids).subtracting(found.map(\.id))
            for id in absent { settle(id, in: session) }
            if absent.isEmpty { return }
        }
    }

    package func close(_ identifier: String, connection: ConnectionID) throws {
        let client = try client(connection)
        release(SessionName(app: client.identity.app, identifier: identifier), of: connection)
    }

    private func release(_ session: SessionName, of connection: ConnectionID) {
        if holders.close(session, connection: connection) { released(session) }
    }

    private func released(_ session: SessionName) {
        letBegin(questions.released(session), app: session.app)
        lost(session)
        happened(.released(session))
    }

    /// A connection is gone: its sessions are free, and what it handed over last is taken in.
    package func connectionEnded(_ connection: ConnectionID) {
        guard !isStopping, let client = clients.removeValue(forKey: connection) else { return }
        leave(client.journal)
        for session in holders.ended(connection) { released(session) }
    }

    func client(_ connection: ConnectionID) throws(WireFailure) -> Client {
        guard let client = clients[connection] else { throw Self.notAnApp }
        return client
    }

    /// The session, if the connection has it.
    func held(_ identifier: String, by connection: ConnectionID) throws(WireFailure) -> SessionName {
        let session = SessionName(app: try client(connection).identity.app, identifier: identifier)
        guard holders.holder(of: session) == connection else {
            throw WireFailure(
                .badRequest,
                "This connection does not have the session '\(identifier.redactedControls)': open it first."
            )
        }
        return session
    }

    package static var notAnApp: WireFailure {
        WireFailure(.badRequest, "This connection belongs to no app: app.open comes first.")
    }

    // MARK: What the queue tells

    /// Called on the loop, in order.
    package func heard(_ notice: SessionNotice) {
        switch notice {
        case .taken(let tasks):
            for (session, count) in tasks { wakes.taken(count, in: session) }
        case .progress(let list): tell(list)
        case .ended(let transfer):
            guard let session = transfer.sessionName else { return }
            questions.settled(transfer.id, in: session)
            let holder = isWithheld(session) ? nil : holders.holder(of: session)
            let sendsLaunchEvents = transfer.spec.sendsLaunchEvents
            tell(
                wakes.ended(transfer.id, in: session, sendsLaunchEvents: sendsLaunchEvents, isSent: holder != nil)
            )
            askNext(session)
            if let holder, let end = TaskEnd(transfer) { send?(.ended(end), holder) }
        case .acknowledged(let sessions): acknowledged.formUnion(sessions)
        case .question(let transfer, let question):
            guard let session = transfer.sessionName, let key = transfer.spec.sessionTask else { return }
            let holder = holders.holder(of: session)
            let isDelayed = question == .willBeginDelayedRequest
            let ruling = questions.asked(transfer.id, in: session, isDelayed: isDelayed, isHeld: holder != nil)
            if ruling == .continueLoading { return letBegin([transfer.id], app: session.app) }
            tell(wakes.asked(transfer.id, in: session, sendsLaunchEvents: transfer.spec.sendsLaunchEvents))
            if ruling == .ask, let holder, !isWithheld(session) {
                send?(.question(transfer.id, key, question), holder)
            }
        }
    }

    private func tell(_ list: [SessionNotice.Progress]) {
        var perConnection: [ConnectionID: [SessionEvent.Progress]] = [:]
        for progress in list {
            let session = SessionName(app: progress.owner, identifier: progress.key.session)
            guard let holder = holders.holder(of: session), !isWithheld(session) else { continue }
            perConnection[holder, default: []].append(
                .init(
                    key: progress.key,
                    bytesDone: progress.bytesDone,
                    bytesTotal: progress.bytesTotal,
                    offset: progress.offset
                )
            )
        }
        for (connection, progress) in perConnection { send?(.progress(progress), connection) }
    }

    /// Lets tasks begin whose app is not there to be asked.
    private func letBegin(_ ids: [TransferID], app: String) {
        guard !ids.isEmpty else { return }
        loop.startTask {
            // What the app decided last may still lie in a journal, and counts.
            await waitUntilReady()
            await waitForImports(of: app)
            _ = await queue.carryOut(ids.map { (id: $0, command: .answer(.continueLoading)) }, for: app)
        }
    }

    // MARK: Waiting

    /// - Parameters:
    ///   - event: what may end the wait.
    ///   - isNeeded: whether there is anything to wait for. It is asked where nothing comes between: whoever calls may be
    ///     suspended on the way here, and what happens meanwhile would be waited for without end.
    func wait(for event: Event, while isNeeded: () -> Bool) async {
        await withCheckedContinuation { continuation in
            guard isNeeded() else { return continuation.resume() }
            waiters[event, default: []].append(continuation)
        }
    }

    /// Waits until all that the daemon before left is known.
    func waitUntilReady() async { await wait(for: .ready) { !isReady } }

    func happened(_ event: Event) {
        for waiter in waiters.removeValue(forKey: event) ?? [] { waiter.resume() }
    }

    func waitForImports(of app: String) async {
        while leftJournals[app, default: 0] > 0 {
            await wait(for: .imported(app: app)) { leftJournals[app, default: 0] > 0 }
        }
    }
}
