// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageFiles
package import OffstageProtocol
import OffstageRuntime

/// Hand-over journals: made for connections, read when they ring, and taken in whole when they are left.
extension SessionCenter {
    /// Takes up the journals that the daemon before left.
    package func start() {
        loop.startTask {
            let stored = await trouble.waitOut(.reading, unless: { isStopping }) { () throws(StoreError) in
                try await store.journals()
            }
            guard let stored else { return }
            await takeUp(stored)
            isReady = true
            happened(.ready)
            loop.startTask { await beginCalling() }
            for app in leftJournals.keys { await waitForImports(of: app) }
            await queue.sweepSnapshots()
            mayDeleteBodies = true
            await deleteBodiesOfTheDead()
            await deleteUnclaimedDownloads()
        }
    }

    private func takeUp(_ stored: [StoredJournal]) async {
        let folder = paths.journals
        let known = Set(stored.map(\.name))
        await workers.run {
            // A file without an entry was never passed on, or is in the store to its end.
            for name in Self.names(in: folder) where !known.contains(name) { unlink(folder + "/" + name) }
            // What was set aside has been there to be looked at.
            let aside = Set(Self.names(in: folder, suffix: JournalFile.asideSuffix))
            for name in OldFiles.names(in: folder, olderThan: 7 * 86_400) where aside.contains(name) {
                unlink(folder + "/" + name)
            }
        }
        for entry in stored {
            if isStopping { return }
            if case .setAside(let crashes) = crashes.standing(of: .journal(entry.name)) {
                log(
                    "the journal \(folder)/\(entry.name) is set aside: it was being read during \(crashes) crashes of the daemon; what \(entry.owner) handed over last waits"
                )
                continue
            }
            switch await workers.run({ JournalFile.existing(folder + "/" + entry.name) }) {
            case .opened(let file): leave(Self.journal(entry, file, admission(of: entry.owner)))
            case .gone: await lose(entry, "it is gone")
            case .unusable(let why): await lose(entry, why)
            case .failed(let code):
                // Only its own app waits for it.
                leftJournals[entry.owner, default: 0] += 1
                loop.startTask { await keepOpening(entry, code) }
            }
        }
    }

    private static func journal(_ entry: StoredJournal, _ file: JournalFile, _ admission: TaskAdmission)
        -> HandOverJournal
    {
        HandOverJournal(
            name: entry.name,
            admission: admission,
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
        let path = paths.journals + "/" + entry.name
        var (code, said) = (first, Int32(0))
        for _ in 0..<JournalBudget().openings {
            if said != code {
                said = code
                let reason = String(cString: strerror(code))
                log("the journal \(path) cannot be opened (\(reason)): the daemon tries again")
            }
            await loop.sleep(seconds: 1)
            if isStopping { return }
            switch await workers.run({ JournalFile.existing(path) }) {
            case .opened(let file): return leave(Self.journal(entry, file, admission(of: entry.owner)))
            case .gone: return await lose(entry, "it is gone")
            case .unusable(let why): return await lose(entry, why)
            case .failed(let next): code = next
            }
        }
        await lose(entry, "it cannot be opened: \(String(cString: strerror(code)))")
    }

    /// Goes on without a journal.
    private func lose(_ entry: StoredJournal, _ why: String) async {
        let path = paths.journals + "/" + entry.name
        log("the journal \(path) is unusable, since \(why): what \(entry.owner) handed over last is lost")
        trouble(entry.owner, "its journal \(entry.name) is unusable, since \(why)")
        await workers.run { JournalFile.setAside(path) }
        _ = await queue.commit(.deleteJournal(name: entry.name))
    }

    /// Something that an app handed over is lost: `offstage doctor` and `offstage daemon status` say so.
    func trouble(_ app: String, _ what: String) {
        journalTroubles[app, default: (0, "")].count += 1
        journalTroubles[app]?.last = what
        // Some say enough.
        if journalTroubles.count > 20, let other = journalTroubles.keys.first(where: { $0 != app }) {
            journalTroubles[other] = nil
        }
    }

    /// The same as sentences.
    package var notices: [String] {
        journalTroubles.sorted { $0.key < $1.key }.map { app, trouble in
            let often = trouble.count == 1 ? "" : " (\(trouble.count) times)"
            return "Something that the app \(app.redactedControls) handed over was left out\(often): \(trouble.last)."
        }
    }

    func admission(of app: String) -> TaskAdmission {
        TaskAdmission(
            app: app,
            downloads: paths.downloads + "/" + AppIdentity.folderName(for: app),
            spool: paths.snapshots
        )
    }

    static func names(in folder: String, suffix: String = ".journal") -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix("."), name.hasSuffix(suffix) { names.append(name) }
        }
        return names
    }

    /// Makes a connection its app's. Returns the reply, and the descriptor of the journal that goes with it.
    package func openApp(
        connection: ConnectionID,
        process: Int32,
        pidfd: Int32
    ) async throws -> (reply: OpenApp.Reply, journal: Int32) {
        let peers = peers
        let identity = await workers.run {
            peers.identify(process, pidfd)
        }
        guard let identity else {
            throw WireFailure.unknownProcess
        }
        await waitUntilReady()
        guard clients[connection] == nil else { throw WireFailure(.badRequest, "This connection is an app's already.") }
        let admission = admission(of: identity.app)
        let name = Self.randomName()
        let path = paths.journals + "/" + name
        let made = await workers.run { () -> Result<(file: JournalFile, client: Int32), PrivateFolder.Failure> in
            do throws(PrivateFolder.Failure) {
                try PrivateFolder.make(admission.downloads)
            } catch {
                return .failure(error)
            }
            guard let made = Lack.waitedOut({ JournalFile.make(path) }) else {
                return .failure(.init(path: path, detail: String(cString: strerror(errno))))
            }
            return .success(made)
        }
        let (file, client) = try made.mapError { WireFailure(.internalError, $0.sentence) }.get()
        // An entry before the journal is passed on: a daemon that starts anew knows whose it is.
        guard await queue.commit(.insertJournal(name: name, owner: identity.app)) else {
            Glibc.close(client)
            throw WireFailure(.shuttingDown, "The daemon is stopping: try again.")
        }
        let journal = HandOverJournal(
            name: name,
            admission: admission,
            file: file,
            connection: connection,
            process: identity.process,
            life: JournalLife()
        )
        journal.isCancelled = quitProcesses[identity.app] == identity.process
        endOlder(than: connection, of: identity.process)
        clients[connection] = Client(identity: identity, journal: journal)
        await waitForImports(of: identity.app)
        let spool = admission.spool + "/" + identity.process.spoolPrefix
        return (OpenApp.Reply(app: identity.app, downloads: admission.downloads, spool: spool), client)
    }

    /// A process that connects anew has given up the connection before, although that may not have been noticed yet:
    /// what lies in its journal comes first.
    private func endOlder(than connection: ConnectionID, of process: ProcessIdentity) {
        let older = clients.filter { $0.key < connection && $0.value.identity.process == process }
        for connection in older.keys.sorted() {
            hangUp?(connection)
            connectionEnded(connection)
        }
    }

    private static func randomName() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + ".journal"
    }

    /// A client says that its journal has new records.
    package func rung(_ connection: ConnectionID) {
        guard let journal = clients[connection]?.journal else { return }
        proceed(journal.life.rung(), journal)
    }

    /// Nobody adds to the journal any more: it is sealed, taken in whole, and deleted.
    func leave(_ journal: HandOverJournal) {
        leftJournals[journal.app, default: 0] += 1
        leaving[journal.name] = journal
        if let process = journal.process { leftProcesses[process, default: 0] += 1 }
        proceed(journal.life.connectionEnded(), journal)
    }

    private func proceed(_ action: JournalLife.Action?, _ journal: HandOverJournal) {
        guard let action else { return }
        loop.startTask {
            var next: JournalLife.Action? = action
            while let action = next, !isStopping { next = await perform(action, journal) }
            happened(.rested(journal: journal.name))
        }
    }

    /// Does one thing with a journal and returns the next. Returns nil, too, when the daemon stops.
    private func perform(_ action: JournalLife.Action, _ journal: HandOverJournal) async -> JournalLife.Action? {
        let file = journal.file
        switch action {
        case .read(let offset):
            guard !journal.isGivenUp else { return journal.life.foundNothing() }
            let chunk = await chunk(of: journal, from: offset)
            if let trouble = chunk.trouble { return await meet(trouble, action, journal) }
            guard chunk.count > 0 else { return journal.life.foundNothing() }
            note(chunk, journal)
            if chunk.count == JournalFile.recordLimit { readAhead(chunk, journal) }
            guard await takeIn(chunk, of: journal) else { return nil }
            crashes.survived(.journal(journal.name), .takingIn)
            let next = journal.life.imported(through: chunk.sequence, endingAt: chunk.end)
            if let connection = journal.connection { send?(.committed(sequence: chunk.sequence), connection) }
            return next
        case .empty(let size):
            return journal.life.emptied(await workers.run { file.empty(ifSize: size) })
        case .seal:
            // A process that was stopped in the middle of writing holds the lock until it goes on or dies.
            var pause = 0.05
            while !(await workers.run { file.seal() }) {
                await loop.sleep(seconds: pause)
                if isStopping { return nil }
                pause = min(1, pause * 1.2)
            }
            return journal.life.sealed()
        case .delete:
            await delete(journal)
            return nil
        }
    }

    /// A journal cannot be read on now, or not at all.
    private func meet(
        _ trouble: JournalChunk.Trouble,
        _ action: JournalLife.Action,
        _ journal: HandOverJournal
    ) async -> JournalLife.Action? {
        switch trouble {
        case .unreadable(let code):
            log("the journal of \(journal.app) cannot be read (\(String(cString: strerror(code)))): tried again")
            await loop.sleep(seconds: 1)
            return isStopping ? nil : action
        case .tooLong:
            giveUp(journal, "it holds more than \(JournalBudget().bytes >> 20) MiB")
            return journal.life.foundNothing()
        }
    }

    /// Says what of a journal is no record.
    private func note(_ chunk: JournalChunk, _ journal: HandOverJournal) {
        guard chunk.damaged > 0 else { return }
        let what = "\(chunk.damaged) bytes that are not a complete record"
        log("\(journal.app) handed over \(what): left out, and what follows is read")
        trouble(journal.app, what)
        journal.damaged += chunk.damaged
        if journal.damaged > JournalBudget().damagedBytes { giveUp(journal, "too much of it is damaged") }
    }

    private func giveUp(_ journal: HandOverJournal, _ why: String) {
        journal.isGivenUp = true
        log(
            "the journal of \(journal.app) is read no further, since \(why): the rest is kept as \(journal.name)\(JournalFile.asideSuffix)"
        )
        trouble(journal.app, "its journal is read no further, since \(why)")
        // It hands over what is not in the store through a new one.
        if let connection = journal.connection { hangUp?(connection) }
    }

    private func chunk(of journal: HandOverJournal, from offset: Int64) async -> JournalChunk {
        if let ahead = journal.ahead {
            journal.ahead = nil
            if ahead.offset == offset { return await ahead.chunk.value }
        }
        let (file, admission, sequence) = (journal.file, journal.admission, journal.life.sequence)
        let name = journal.name
        return await workers.run { Self.read(file, name, from: offset, after: sequence, admission) }
    }

    /// Has what follows a chunk decoded while the chunk is made durable.
    private func readAhead(_ chunk: JournalChunk, _ journal: HandOverJournal) {
        let (file, admission) = (journal.file, journal.admission)
        let (end, sequence) = (chunk.end, chunk.sequence)
        let name = journal.name
        let task = loop.startTask {
            await workers.run { Self.read(file, name, from: end, after: sequence, admission) }
        }
        journal.ahead = (end, task)
    }

    private nonisolated static func read(
        _ file: JournalFile,
        _ name: String,
        from offset: Int64,
        after sequence: UInt64,
        _ admission: TaskAdmission
    ) -> JournalChunk {
        Doing.named(.journal, .takingIn, name) {
            Doing.faultPoint("trap-in-journal", admission.app)
            return file.read(from: offset, after: sequence, admission)
        }
    }

    private func delete(_ journal: HandOverJournal) async {
        let file = journal.file
        let offset = journal.life.offset
        let rest = await workers.run { file.length(after: offset) }
        if rest > 0, !journal.isGivenUp {
            log("the last \(rest) bytes of what \(journal.app) handed over are not a complete record: left out")
            trouble(journal.app, "the last \(rest) bytes are not a complete record")
        }
        guard await queue.commit(.deleteJournal(name: journal.name)) else { return }
        crashes.forget(.journal(journal.name))
        journal.life.deleted()
        let isGivenUp = journal.isGivenUp
        await workers.run { if isGivenUp { JournalFile.setAside(file.path) } else { file.delete() } }
        leaving[journal.name] = nil
        if let process = journal.process { processEnded(process) }
        happened(.journalDeleted(app: journal.app))
        imported(one: journal.app)
    }

    /// One that its app left is in the store, or lost.
    private func imported(one app: String) {
        leftJournals[app, default: 1] -= 1
        guard leftJournals[app] == 0 else { return }
        leftJournals[app] = nil
        happened(.imported(app: app))
    }
}
