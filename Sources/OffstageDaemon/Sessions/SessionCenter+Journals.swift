// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTransfers

/// Hand-over journals: made for connections, read when they ring, and taken in whole when they are left.
extension SessionCenter {
    /// Takes up the journals that the daemon before left.
    func start() {
        loop.startTask {
            var stored: [StoredJournal]?
            while stored == nil, !isStopping {
                do throws(StoreError) {
                    stored = try await store.journals()
                } catch {
                    log(error.sentence)
                    await queue.wait(seconds: 1)
                }
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
        }
        for entry in stored {
            guard let file = await file(of: entry) else {
                if isStopping { return }
                log("the journal \(folder)/\(entry.name) is gone: what \(entry.owner) handed over last is lost")
                _ = await queue.commit(.deleteJournal(name: entry.name))
                continue
            }
            leave(
                HandOverJournal(
                    name: entry.name,
                    admission: admission(of: entry.owner),
                    file: file,
                    connection: nil,
                    process: nil,
                    life: JournalLife(sequence: entry.sequence, isOpen: false)
                )
            )
        }
    }

    /// Opens a journal that is left. Returns nil when there is none any more, or the daemon stops.
    private func file(of entry: StoredJournal) async -> JournalFile? {
        let path = paths.journals + "/" + entry.name
        var said: Int32 = 0
        while !isStopping {
            switch await workers.run({ JournalFile.existing(path) }) {
            case .opened(let file): return file
            case .gone: return nil
            case .failed(let code):
                // It holds what an app was promised: no reason but its absence is one to go on without it.
                if said != code {
                    said = code
                    let reason = String(cString: strerror(code))
                    log("the journal \(path) cannot be opened (\(reason)): the daemon tries again")
                }
                await queue.wait(seconds: 1)
            }
        }
        return nil
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
    func openApp(
        connection: ConnectionID,
        process: Int32,
        pidfd: Int32
    ) async throws -> (reply: OpenApp.Reply, journal: Int32) {
        let identity = await workers.run { PeerIdentity.read(process: process, pidfd: pidfd) }
        guard let identity else {
            throw WireFailure(
                .badRequest,
                "The daemon cannot tell which program this is: it has ended, or hides what it runs."
            )
        }
        if !isReady { await wait(for: .ready) }
        guard clients[connection] == nil else { throw WireFailure(.badRequest, "This connection is an app's already.") }
        let admission = admission(of: identity.app)
        let name = Self.randomName()
        let path = paths.journals + "/" + name
        let made = await workers.run { () -> Result<(file: JournalFile, client: Int32), DaemonError> in
            do throws(DaemonError) {
                try DaemonFolders.make(admission.downloads)
            } catch {
                return .failure(error)
            }
            guard let made = JournalFile.make(path) else {
                return .failure(.folder(path: path, detail: String(cString: strerror(errno))))
            }
            return .success(made)
        }
        let (file, client) = try made.mapError { WireFailure(.internalError, $0.sentence) }.get()
        // An entry before the journal is passed on: a daemon that starts anew knows whose it is.
        guard await queue.commit(.insertJournal(name: name, owner: identity.app)) else {
            Glibc.close(client)
            throw WireFailure(.shuttingDown, "The daemon is just stopping: try again.")
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
    func rung(_ connection: ConnectionID) {
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
            let chunk = await chunk(of: journal, from: offset)
            guard chunk.count > 0 else { return journal.life.foundNothing() }
            if chunk.count == JournalFile.recordLimit { readAhead(chunk, journal) }
            guard await takeIn(chunk, of: journal) else { return nil }
            let next = journal.life.imported(through: chunk.sequence, endingAt: chunk.end)
            if let connection = journal.connection { send?(.committed(sequence: chunk.sequence), connection) }
            return next
        case .empty(let size):
            return journal.life.emptied(await workers.run { file.empty(ifSize: size) })
        case .seal:
            // A process that was stopped in the middle of writing holds the lock until it goes on or dies.
            while !(await workers.run { file.seal() }) {
                await queue.wait(seconds: 0.05)
                if isStopping { return nil }
            }
            return journal.life.sealed()
        case .delete:
            await delete(journal)
            return nil
        }
    }

    private func chunk(of journal: HandOverJournal, from offset: Int64) async -> JournalChunk {
        if let ahead = journal.ahead {
            journal.ahead = nil
            if ahead.offset == offset { return await ahead.chunk.value }
        }
        let (file, admission, sequence) = (journal.file, journal.admission, journal.life.sequence)
        return await workers.run { file.read(from: offset, after: sequence, admission) }
    }

    /// Has what follows a chunk decoded while the chunk is made durable.
    private func readAhead(_ chunk: JournalChunk, _ journal: HandOverJournal) {
        let (file, admission) = (journal.file, journal.admission)
        let (end, sequence) = (chunk.end, chunk.sequence)
        journal.ahead = (end, loop.startTask { await workers.run { file.read(from: end, after: sequence, admission) } })
    }

    private func delete(_ journal: HandOverJournal) async {
        let file = journal.file
        let offset = journal.life.offset
        let rest = await workers.run { file.length(after: offset) }
        if rest > 0 { log("the last \(rest) bytes of what \(journal.app) handed over are no whole record: left out") }
        guard await queue.commit(.deleteJournal(name: journal.name)) else { return }
        journal.life.deleted()
        await workers.run { file.delete() }
        leaving[journal.name] = nil
        if let process = journal.process { processEnded(process) }
        happened(.journalDeleted(app: journal.app))
        leftJournals[journal.app, default: 1] -= 1
        if leftJournals[journal.app] == 0 {
            leftJournals[journal.app] = nil
            happened(.imported(app: journal.app))
        }
    }
}
