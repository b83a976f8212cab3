// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// The interface of sessions for journals.
protocol JournalSessions: Actor {
    /// Whether a process may cancel all tasks of a session.
    func mayCancelAll(_ session: SessionName, process: ProcessIdentity?, hadIt: Bool) -> Bool
    /// Handles an app's decision that one of its tasks waited for; false if the daemon stops before it is durable.
    func decided(_ id: TransferID, _ answer: DelegateAnswer, app: String) async -> Bool
    /// Called when delegates have received ends, and that is durable.
    func lookUpAcknowledged() async
}

/// Imports everything that apps hand over into the store. A journal is read when its client rings, and imported
/// completely once no process adds to it any more.
///
/// `@unchecked Sendable`: belongs to the loop, like its users.
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
    let crashes: CrashMemory
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
        crashes: CrashMemory,
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

    /// Records that could not be imported, as sentences.
    var notices: [String] { troubles.notices }

    /// Reports the loss of something that an app handed over.
    func report(_ what: String, of app: String) { troubles.add(what, of: app) }

    // MARK: New ones

    /// Makes the journal of a connection.
    ///
    /// - Returns: the journal, and the descriptor for the app.
    /// - Throws: `WireFailure` if it cannot be made, or the daemon stops.
    func make(
        for identity: PeerIdentity,
        _ connection: SessionCenter.ConnectionID
    ) async throws -> (journal: HandOverJournal, client: Int32) {
        let admission = folder.admission(of: identity.app)
        let made = try await folder.make(admission)
        // The store has an entry before the app receives the journal, so that the next daemon knows its owner.
        do throws(WireFailure) { try await insert(made.name, owner: identity.app) } catch {
            Glibc.close(made.client)
            throw error
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

    private func insert(_ name: String, owner: String) async throws(WireFailure) {
        switch await queue.commit(.insertJournal(name: name, owner: owner)) {
        case .durable: return
        case .refused(let refusal): throw WireFailure(.store, refusal.sentence)
        case .stopped: throw WireFailure(.shuttingDown, "The daemon is stopping: try again.")
        }
    }

    /// Deletes the store's entry of a journal; false if the daemon stops before that is durable.
    func forget(_ name: String) async -> Bool {
        let outcome = await queue.commit(.deleteJournal(name: name))
        if case .refused(let refusal) = outcome { trouble.giveUp(refusal) }
        return outcome != .stopped
    }

    // MARK: Those that the daemon before left

    /// Opens the journals that the store lists.
    func open(_ stored: [StoredJournal]) async {
        report(unknown: await folder.sweep(known: Set(stored.map(\.name))))
        for entry in stored {
            if readiness.isStopping { return }
            if case .setAside(let crashes) = crashes.standing(of: .journal(entry.name)) {
                log.error(
                    "a journal is set aside, since it was being read whenever the daemon crashed",
                    ["app": entry.owner, "journal": folder.path(of: entry.name), "crashes": crashes]
                )
                left.add(setAsideOf: entry.owner)
                continue
            }
            switch await folder.open(entry.name) {
            case .opened(let file): leave(journal(entry, file))
            case .gone: await lose(entry, "it is gone")
            case .unusable(let why): await lose(entry, why)
            case .failed(let code):
                // Only the app with this journal waits.
                left.add(unopenedOf: entry.owner)
                loop.startTask { await self.keepOpening(entry, code) }
            }
        }
    }

    /// Reports journals whose entries the store has lost, and which have been set aside.
    private func report(unknown paths: [String]) {
        for path in paths {
            log.error(
                "the store has no entry of a journal: what was handed over last may be lost, and the journal is kept",
                ["kept": path]
            )
        }
        troubles.add(unknown: paths)
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

    /// Retries opening a journal that exists but currently cannot be opened. It contains what an app was promised, so
    /// this continues for a while. Then the app continues without it, rather than never.
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

    /// Continues without a journal.
    private func lose(_ entry: StoredJournal, _ why: String) async {
        log.error(
            "a journal is unusable, and what was handed over last is lost",
            ["app": entry.owner, "journal": folder.path(of: entry.name), "reason": why]
        )
        report("its journal \(entry.name) is unusable, since \(why)", of: entry.owner)
        await folder.setAside(entry.name)
        _ = await forget(entry.name)
    }

    /// Apps with closed journals that are not completely in the store.
    var appsWithLeft: [String] { left.apps }

    /// Apps with journals that are left to a later daemon, because reading them crashed the daemons before.
    var appsSetAside: Set<String> { left.appsSetAside }

    /// Whether a journal of this process has not been imported yet.
    func hasLeft(_ process: ProcessIdentity) -> Bool { left.contains(process) }

    /// Waits until everything that an app left behind is in the store.
    func waitForImports(of app: String) async {
        while !left.isEmpty(of: app) {
            await readiness.wait(for: .imported(app: app)) { !left.isEmpty(of: app) }
        }
    }

    /// Records that a journal left by an app is in the store, or lost.
    func imported(one app: String) {
        if left.finishOne(of: app) { readiness.happened(.imported(app: app)) }
    }

    // MARK: Apps that are quit

    /// Has the tasks in an app's closed journals cancelled when they are imported.
    func cancelLeft(of app: String) { left.cancel(app) }

    /// Whether tasks will be cancelled when they are imported.
    func hasCancelled(of app: String) -> Bool {
        left.hasCancelled(app) || links.journals(of: app).contains(where: \.isCancelled)
    }

    // MARK: Reading on

    /// A client reports new records in its journal.
    func rung(_ journal: HandOverJournal) { proceed(journal.life.rung(), journal) }

    /// Seals a journal that is no longer written to, imports it completely, and deletes it.
    func leave(_ journal: HandOverJournal) {
        left.add(journal)
        proceed(journal.life.connectionEnded(), journal)
    }

    /// Waits until no step of a journal is under way.
    func waitForRest(of journal: HandOverJournal) async {
        while journal.life.isBusy, !readiness.isStopping {
            await readiness.wait(for: .rested(journal: journal.name)) { journal.life.isBusy }
        }
    }

}
