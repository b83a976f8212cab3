// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// What taking in asks of whoever knows the sessions.
protocol JournalSessions: Actor {
    /// Whether a process may cancel everything that a session has.
    func mayCancelAll(_ session: SessionName, process: ProcessIdentity?, hadIt: Bool) -> Bool
    /// An app has decided what one of its tasks waited for; false when the daemon stops before that is durable.
    func decided(_ id: TransferID, _ answer: DelegateAnswer, app: String) async -> Bool
    /// Delegates have heard of ends, durably.
    func lookUpAcknowledged() async
}

/// What apps hand over, taken into the store: journals are read when they ring, and taken in whole when nobody adds to
/// them any more.
///
/// `@unchecked Sendable`: belongs to the loop, as whoever uses it.
final class JournalIntake: @unchecked Sendable {
    let loop: EventLoop
    let queue: any SessionTransfers
    let accounts: any TransferAdmission
    let trouble: StoreTrouble
    let log: Log
    let links: SessionLinks
    let readiness: SessionReadiness
    weak var sessions: (any JournalSessions)?
    let workers: WorkerPool
    let crashes: CrashLedger
    let leftovers: Leftovers
    private let folder: JournalFolder
    var left = LeftJournals()
    private var troubles = JournalTroubles()

    init(
        loop: EventLoop,
        queue: any SessionTransfers,
        accounts: any TransferAdmission,
        trouble: StoreTrouble,
        log: Log,
        links: SessionLinks,
        readiness: SessionReadiness,
        workers: WorkerPool,
        crashes: CrashLedger,
        leftovers: Leftovers,
        paths: OffstagePaths
    ) {
        self.loop = loop
        self.queue = queue
        self.accounts = accounts
        self.trouble = trouble
        self.log = log
        self.links = links
        self.readiness = readiness
        self.workers = workers
        self.crashes = crashes
        self.leftovers = leftovers
        folder = JournalFolder(paths: paths, workers: workers)
    }

    /// What could not be taken in, as sentences.
    var notices: [String] { troubles.notices }

    /// Something that an app handed over is lost.
    func note(_ what: String, of app: String) { troubles.add(what, of: app) }

    // MARK: New ones

    /// Makes the journal of a connection.
    ///
    /// - Returns: the journal, and the descriptor that goes to the app.
    /// - Throws: `WireFailure` when there can be none, or the daemon stops.
    func make(
        for identity: PeerIdentity,
        _ connection: SessionCenter.ConnectionID
    ) async throws -> (journal: HandOverJournal, client: Int32) {
        let admission = folder.admission(of: identity.app)
        let made = try await folder.make(admission)
        // An entry before the journal is passed on: a daemon that starts anew knows whose it is.
        guard await queue.commit(.insertJournal(name: made.name, owner: identity.app)) else {
            Glibc.close(made.client)
            throw WireFailure(.shuttingDown, "The daemon is stopping: try again.")
        }
        let journal = HandOverJournal(
            name: made.name,
            admission: admission,
            file: made.file,
            connection: connection,
            process: identity.process,
            life: JournalLife()
        )
        journal.isCancelled = links.isBeingEnded(identity)
        return (journal, made.client)
    }

    // MARK: Those that the daemon before left

    /// Takes up the journals that are in the store.
    func takeUp(_ stored: [StoredJournal]) async {
        await folder.sweep(known: Set(stored.map(\.name)))
        for entry in stored {
            if readiness.isStopping { return }
            if case .setAside(let crashes) = crashes.standing(of: .journal(entry.name)) {
                log.error(
                    "a journal is set aside, since it was being read whenever the daemon crashed",
                    ["app": entry.owner, "journal": folder.path(of: entry.name), "crashes": crashes]
                )
                continue
            }
            switch await folder.open(entry.name) {
            case .opened(let file): leave(journal(entry, file))
            case .gone: await lose(entry, "it is gone")
            case .unusable(let why): await lose(entry, why)
            case .failed(let code):
                // Only its own app waits for it.
                left.add(unopenedOf: entry.owner)
                loop.startTask { await self.keepOpening(entry, code) }
            }
        }
    }

    private func journal(_ entry: StoredJournal, _ file: JournalFile) -> HandOverJournal {
        HandOverJournal(
            name: entry.name,
            admission: folder.admission(of: entry.owner),
            file: file,
            connection: nil,
            process: nil,
            life: JournalLife(sequence: entry.sequence, isOpen: false)
        )
    }

    /// Opens a journal that is there and cannot be opened now. It holds what an app was promised, so that is tried for a
    /// while; and then the app goes on without it, rather than never.
    private func keepOpening(_ entry: StoredJournal, _ first: Int32) async {
        defer { imported(one: entry.owner) }
        let path = folder.path(of: entry.name)
        var (code, said) = (first, Int32(0))
        for _ in 0..<JournalBudget().openings {
            if said != code {
                said = code
                log.error(
                    "a journal cannot be opened, and is tried again",
                    ["app": entry.owner, "journal": path, "reason": ErrorNumber(code)]
                )
            }
            await loop.sleep(seconds: 1)
            if readiness.isStopping { return }
            switch await folder.open(entry.name) {
            case .opened(let file): return leave(journal(entry, file))
            case .gone: return await lose(entry, "it is gone")
            case .unusable(let why): return await lose(entry, why)
            case .failed(let next): code = next
            }
        }
        await lose(entry, "it cannot be opened: \(String(cString: strerror(code)))")
    }

    /// Goes on without a journal.
    private func lose(_ entry: StoredJournal, _ why: String) async {
        log.error(
            "a journal is unusable, and what was handed over last is lost",
            ["app": entry.owner, "journal": folder.path(of: entry.name), "reason": why]
        )
        note("its journal \(entry.name) is unusable, since \(why)", of: entry.owner)
        await folder.setAside(entry.name)
        _ = await queue.commit(.deleteJournal(name: entry.name))
    }

    /// Apps that have handed over what is not in the store yet, and cannot add to it.
    var appsWithLeft: [String] { left.apps }

    /// Whether a journal of this process is still to be taken in.
    func hasLeft(_ process: ProcessIdentity) -> Bool { left.contains(process) }

    /// Waits until all that an app left behind is in the store.
    func waitForImports(of app: String) async {
        while !left.isEmpty(of: app) {
            await readiness.wait(for: .imported(app: app)) { !left.isEmpty(of: app) }
        }
    }

    /// One that its app left is in the store, or lost.
    func imported(one app: String) {
        if left.finishOne(of: app) { readiness.happened(.imported(app: app)) }
    }

    // MARK: Apps that are quit

    /// What an app has handed over by journals that were left is cancelled as it is taken in.
    func cancelLeft(of app: String) { left.cancel(app) }

    /// Whether something that is still to be taken in is to be cancelled then.
    func hasCancelled(of app: String) -> Bool {
        left.hasCancelled(app) || links.journals(of: app).contains(where: \.isCancelled)
    }

    // MARK: Reading on

    /// Its client says that a journal has new records.
    func rung(_ journal: HandOverJournal) { proceed(journal.life.rung(), journal) }

    /// Nobody adds to the journal any more: it is sealed, taken in whole, and deleted.
    func leave(_ journal: HandOverJournal) {
        left.add(journal)
        proceed(journal.life.connectionEnded(), journal)
    }

    /// Waits until nothing is under way with a journal.
    func waitForRest(of journal: HandOverJournal) async {
        while journal.life.isBusy, !readiness.isStopping {
            await readiness.wait(for: .rested(journal: journal.name)) { journal.life.isBusy }
        }
    }

}
