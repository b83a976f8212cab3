// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
package import OffstageProtocol
package import OffstageRuntime

/// The daemon's half of background sessions: which connection belongs to which app and holds which sessions, and which
/// events it receives. `JournalIntake` imports what apps hand over.
package actor SessionCenter {
    package typealias ConnectionID = UInt64

    nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let queue: any SessionTransfers
    let store: any AppStore
    let trouble: StoreTrouble
    let peers: PeerReader
    /// For reading, decoding and encoding large numbers of records, which is never done on the loop.
    let workers: WorkerPool
    let links = SessionLinks()
    let calls = AppCalls()
    let readiness = SessionReadiness()
    let intake: JournalIntake
    let leftovers: Leftovers
    var holders = SessionHolders()
    var withheld = WithheldSessions()
    var questions = OpenQuestions()

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
        crashes: CrashMemory,
        log: Log
    ) {
        self.loop = loop
        self.queue = queue
        self.store = store
        self.trouble = trouble
        workers = WorkerPool(threads: 2, staying: 0, substitute: substitute)
        self.peers = peers
        leftovers = Leftovers(
            loop: loop,
            queue: queue,
            peers: peers,
            workers: workers,
            paths: paths,
            readiness: readiness
        )
        intake = JournalIntake(
            loop: loop,
            queue: queue,
            accounts: accounts,
            trouble: trouble,
            log: log,
            links: links,
            readiness: readiness,
            workers: workers,
            crashes: crashes,
            leftovers: leftovers,
            paths: paths
        )
    }

    package func setServer(
        send: @escaping @Sendable (SessionEvent, ConnectionID) -> Void,
        hangUp: @escaping @Sendable (ConnectionID) -> Void
    ) {
        links.start(send: send, hangUp: hangUp)
    }

    /// Opens the journals of the daemon before.
    package func start() {
        intake.sessions = self
        leftovers.start(
            isConnected: { [links] in links.isConnected($0) },
            hasJournal: { [weak intake] in intake?.hasLeft($0) ?? false },
            appsSetAside: { [weak intake] in intake?.appsSetAside ?? [] }
        )
        loop.startTask {
            let stored = await trouble.waitOut(.reading, unless: { readiness.isStopping }) { () throws(StoreError) in
                try await store.journals()
            }
            guard let stored else { return }
            await intake.open(stored)
            readiness.becomeReady()
            loop.startTask { await beginCalling() }
            for app in intake.appsWithLeft { await intake.waitForImports(of: app) }
            await leftovers.deleteAll()
        }
    }

    /// Leaves every journal as it is: the next daemon continues with it.
    package func shutDown() {
        readiness.stop()
        workers.shutDown()
    }

    /// Records of apps' journals that could not be imported, as sentences.
    package var notices: [String] { intake.notices }

    // MARK: Connections

    /// Assigns a connection to its app. Returns the reply, and the descriptor of the journal to send along.
    package func openApp(
        connection: ConnectionID,
        process: Int32,
        pidfd: Int32
    ) async throws -> (reply: OpenApp.Reply, journal: Int32) {
        // Before any wait: otherwise a second request that arrives meanwhile would replace the journal of the first.
        guard links.beginOpening(connection) else {
            throw WireFailure(.badRequest, "This connection already belongs to an app.")
        }
        defer { links.endOpening(connection) }
        let peers = peers
        guard let identity = await workers.run({ peers.identify(process, pidfd) }) else {
            throw WireFailure.unknownProcess
        }
        await readiness.waitUntilReady()
        let (journal, client) = try await intake.make(for: identity, connection)
        // The journals of its earlier connections come first.
        for older in links.older(than: connection, of: identity.process) {
            links.hangUp(older)
            connectionEnded(older)
        }
        links.add(SessionLinks.Client(identity: identity, journal: journal), connection)
        await intake.waitForImports(of: identity.app)
        let admission = journal.admission
        let spool = admission.spool + "/" + identity.process.spoolPrefix
        return (OpenApp.Reply(app: identity.app, downloads: admission.downloads, spool: spool), client)
    }

    /// A client reports new records in its journal.
    package func rung(_ connection: ConnectionID) {
        if let journal = links.journal(of: connection) { intake.rung(journal) }
    }

    /// Handles the end of a connection: its sessions become free, and its last records are imported.
    package func connectionEnded(_ connection: ConnectionID) {
        guard !readiness.isStopping, let client = links.remove(connection) else { return }
        intake.leave(client.journal)
        for session in holders.ended(connection) { released(session) }
    }

    // MARK: Sessions

    /// Gives a connection a session, and reports the session's state.
    package func open(_ identifier: String, connection: ConnectionID) async throws -> OpenSession.Reply {
        let client = try links.client(connection)
        let session = SessionName(app: client.identity.app, identifier: identifier)
        if let problem = session.problem { throw WireFailure(.badRequest, problem) }
        try await claim(session, for: connection, process: client.identity.process)
        await intake.waitForImports(of: session.app)
        let standing: SessionStanding
        do {
            standing = try await store.session(identifier, of: session.app)
        } catch {
            release(session, of: connection)
            throw error
        }
        // It may have hung up in the meantime: the session then has no holder.
        guard links.contains(connection) else { throw WireFailure.notAnApp }
        let isWithheld = isWithheld(session)
        return OpenSession.Reply(
            highestTask: standing.highestTask,
            outstanding: standing.outstanding,
            pendingEnds: isWithheld ? 0 : standing.pendingEnds,
            isWithheld: isWithheld ? true : nil,
            untold: standing.pendingEnds
        )
    }

    private func claim(_ session: SessionName, for connection: ConnectionID, process: ProcessIdentity) async throws {
        let end = loop.uptime + SessionHolders.patience
        var isTimed = false
        while links.contains(connection) {
            switch holders.open(session, connection: connection, process: process) {
            case .granted, .takenOver:
                remember(session, of: connection)
                // New questions are sent together with the waiting ones: once, and after the reply.
                questions.suspended(session)
                return
            case .tooMany:
                throw WireFailure(
                    .badRequest,
                    "This process has \(SessionHolders.most) background sessions, more than one may: invalidate some."
                )
            case .held:
                let left = end - loop.uptime
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
                        readiness.happened(.released(session))
                    }
                }
                await readiness.wait(for: .released(session)) { holders.holder(of: session) != nil }
            }
        }
        throw WireFailure.notAnApp
    }

    /// Records that the journal of the connection may name the session from now on. Only some of the sessions that it
    /// no longer holds are remembered.
    private func remember(_ session: SessionName, of connection: ConnectionID) {
        guard let journal = links.journal(of: connection) else { return }
        journal.sessions.insert(session.identifier)
        guard journal.sessions.count > SessionHolders.most else { return }
        let former = journal.sessions.first {
            holders.holder(of: SessionName(app: session.app, identifier: $0)) != connection
        }
        if let former { journal.sessions.remove(former) }
    }

    /// Sends the waiting questions of a session's tasks to the app that has just opened it.
    package func askOpenQuestions(_ identifier: String, connection: ConnectionID) {
        guard let client = try? links.client(connection) else { return }
        let session = SessionName(app: client.identity.app, identifier: identifier)
        guard holders.holder(of: session) == connection, !isWithheld(session) else { return }
        questions.opened(session)
        askNext(session)
    }

    /// Sends the next questions of a session's tasks to the app.
    func askNext(_ session: SessionName) {
        loop.startTask { await ask(session) }
    }

    /// Like `askNext`, but returns once the questions have been sent.
    func ask(_ session: SessionName) async {
        while true {
            let ids = questions.next(in: session)
            guard !ids.isEmpty else { return }
            let holder = holders.holder(of: session)
            questions.lookUpBegan(in: session)
            let found = await queue.questions(of: ids)
            if questions.lookUpEnded(in: session) { readiness.happened(.asked(session)) }
            guard let holder, holders.holder(of: session) == holder, !isWithheld(session) else { return }
            for (id, key, question) in found where questions.isAsked(id, in: session) {
                links.send(.question(id, key, question), to: holder)
            }
            let absent = Set(ids).subtracting(found.map(\.id))
            for id in absent { settle(id, in: session) }
            if absent.isEmpty { return }
        }
    }

    package func close(_ identifier: String, connection: ConnectionID) throws {
        let client = try links.client(connection)
        release(SessionName(app: client.identity.app, identifier: identifier), of: connection)
    }

    private func release(_ session: SessionName, of connection: ConnectionID) {
        if holders.close(session, connection: connection) { released(session) }
    }

    private func released(_ session: SessionName) {
        letBegin(questions.released(session), app: session.app)
        lost(session)
        readiness.happened(.released(session))
    }

    /// The session, if the connection holds it.
    func held(_ identifier: String, by connection: ConnectionID) throws(WireFailure) -> SessionName {
        let session = SessionName(app: try links.client(connection).identity.app, identifier: identifier)
        guard holders.holder(of: session) == connection else {
            throw WireFailure(
                .badRequest,
                "This connection does not have the session '\(identifier.redactedControls)': open it first."
            )
        }
        return session
    }

    // MARK: Notifications from the queue

    /// Handles a notice. Called on the loop, in order.
    package func receive(_ notice: SessionNotice) {
        switch notice {
        case .taken(let tasks):
            for (session, count) in tasks { calls.added(count, in: session) }
        case .progress(let list): report(list)
        case .ended(let transfer):
            guard let session = transfer.sessionName else { return }
            questions.settled(transfer.id, in: session)
            let holder = isWithheld(session) ? nil : holders.holder(of: session)
            calls.ended(transfer, in: session, isSent: holder != nil)
            askNext(session)
            if let holder, let end = SessionTaskEnd(transfer) { links.send(.ended(end), to: holder) }
        case .acknowledged(let sessions): calls.acknowledged(in: sessions)
        case .question(let transfer, let question):
            guard let session = transfer.sessionName, let key = transfer.spec.sessionTask else { return }
            let holder = holders.holder(of: session)
            let isDelayed = question == .willBeginDelayedRequest
            let ruling = questions.asked(transfer.id, in: session, isDelayed: isDelayed, isHeld: holder != nil)
            if ruling == .continueLoading { return letBegin([transfer.id], app: session.app) }
            calls.asked(transfer, in: session)
            if ruling == .ask, let holder, !isWithheld(session) {
                links.send(.question(transfer.id, key, question), to: holder)
            }
        }
    }

    private func report(_ list: [SessionNotice.Progress]) {
        var perConnection: [ConnectionID: [SessionEvent.Progress]] = [:]
        for progress in list {
            let session = SessionName(app: progress.owner, identifier: progress.key.session)
            guard let holder = holders.holder(of: session), !isWithheld(session) else { continue }
            var event = SessionEvent.Progress(
                key: progress.key,
                bytesDone: progress.bytesDone,
                bytesTotal: progress.bytesTotal,
                offset: progress.offset
            )
            event.heard = progress.heard
            perConnection[holder, default: []].append(event)
        }
        for (connection, progress) in perConnection { links.send(.progress(progress), to: connection) }
    }

    /// Lets tasks begin whose app is not running and cannot be asked.
    private func letBegin(_ ids: [TransferID], app: String) {
        guard !ids.isEmpty else { return }
        loop.startTask {
            // The app's last decision may still be in a journal, and counts.
            await readiness.waitUntilReady()
            await intake.waitForImports(of: app)
            _ = await queue.carryOut(ids.map { (id: $0, command: .answer(.continueLoading)) }, for: app)
        }
    }
}
