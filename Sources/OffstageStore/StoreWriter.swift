// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageRuntime

/// The only writer: takes all waiting requests and makes them durable with one commit.
///
/// Runs on its own thread.
final class StoreWriter {
    enum Request: Sendable {
        case commit([TransferChange], CheckedContinuation<Result<Void, StoreError>, Never>)
        case commitTasks([TaskChange], CheckedContinuation<Result<Void, StoreError>, Never>)
        case commitAccounts([AccountChange], CheckedContinuation<Result<Void, StoreError>, Never>)
        /// Returns the transfers that were unchanged and have been deleted.
        case prune([DueEnd], CheckedContinuation<Result<Set<TransferID>, StoreError>, Never>)

        func fail(_ error: StoreError) {
            switch self {
            case .commit(_, let continuation), .commitTasks(_, let continuation),
                .commitAccounts(_, let continuation):
                continuation.resume(returning: .failure(error))
            case .prune(_, let continuation): continuation.resume(returning: .failure(error))
            }
        }

        /// Whether the request deletes data that must leave no trace.
        var isDeletion: Bool {
            switch self {
            case .commit(let changes, _):
                changes.contains {
                    switch $0 {
                    case .delete, .deleteApp, .updateWithSpec: true
                    default: false
                    }
                }
            case .commitTasks: false
            case .commitAccounts(let changes, _):
                changes.contains {
                    switch $0 {
                    case .delete: true
                    case .put: false
                    }
                }
            case .prune: false
            }
        }

        /// - Parameter pruned: the transfers that a prune deleted.
        func succeed(pruned: Set<TransferID>) {
            switch self {
            case .commit(_, let continuation), .commitTasks(_, let continuation),
                .commitAccounts(_, let continuation):
                continuation.resume(returning: .success(()))
            case .prune(_, let continuation): continuation.resume(returning: .success(pruned))
            }
        }

        var isPrune: Bool {
            if case .prune = self { true } else { false }
        }
    }

    private let path: String
    private let connection: SQLiteConnection
    private let tables: StoreTables
    private let health: StoreHealth
    private let figures: StoreFigures
    /// Extra seconds for every commit: the fault switch for tests.
    private let commitDelay: Double
    /// The highest id ever used, as committed.
    private var highestID: Int64
    private var wipe = LogWipe()
    private var turn = PruneTurn<Request>()
    private var survives: @Sendable (VirtualStoreService.Step) -> Bool = { _ in true }
    private var refusal: @Sendable (VirtualStoreService.Step) -> StoreError? = { _ in nil }

    init(
        path: String,
        connection: SQLiteConnection,
        health: StoreHealth,
        figures: StoreFigures,
        commitDelay: Double,
        highestID: Int64,
        coder: RecordCoder,
        chronicle: ChronicleRecorder
    ) {
        self.path = path
        self.connection = connection
        tables = StoreTables(connection, coder, chronicle)
        self.health = health
        self.figures = figures
        self.commitDelay = commitDelay
        self.highestID = highestID
    }

    /// Serves the mailbox until it is closed, then empties the write-ahead log and closes the file.
    func run(_ mailbox: Mailbox<Request>) {
        while let requests = mailbox.takeAll(within: turn.isEmpty ? wipe.patience : 0) { handle(requests) }
        end()
    }

    /// A line that is served by the caller's loop, in virtual time.
    func line(_ service: VirtualStoreService) -> LoopLine<Request> {
        survives = service.survives
        refusal = service.refusal
        return LoopLine(
            service.loop,
            latency: service.latency,
            serve: { requests in
                self.handle(requests)
                return !self.turn.isEmpty
            },
            end: end
        )
    }

    /// Serves the waiting requests, or does the idle work if there are none.
    private func handle(_ requests: [Request]) {
        let isQuiet = requests.isEmpty && turn.isEmpty
        let (commits, prune) = turn.plan(requests, where: \.isPrune)
        if !commits.isEmpty { serve(commits) }
        if let prune { serve([prune]) }
        if wipe.isDue(isIdle: isQuiet) { wipe.done(isWhole: emptyLog()) }
    }

    private func end() {
        fail(turn.removeAll())
        writeRestOfChronicle()
        // A log that cannot be emptied now is read at the next start.
        try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
    }

    /// Writes the spans that lasted until the end, and any that no commit has included.
    private func writeRestOfChronicle() {
        while tables.spans.chronicle.hasWaiting, survives(.commit) {
            guard (try? commit([])) != nil else { return }
        }
    }

    /// Empties the write-ahead log, which still contains deleted rows. Returns false if a reader is using it.
    private func emptyLog() -> Bool {
        // A read takes some milliseconds; commits must not wait for long.
        connection.setPatience(100)
        defer { connection.setPatience(SQLiteConnection.usualPatience) }
        return (try? connection.integer("PRAGMA wal_checkpoint(TRUNCATE)")) == 0
    }

    private func serve(_ requests: [Request]) {
        let wasBroken = tables.spans.isBroken
        do throws(SQLiteError) {
            guard survives(.commit) else { return fail(requests) }
            if let refusal = refusal(.commit) { return fail(requests, with: refusal) }
            let begin = ContinuousClock.now
            let pruned = try commit(requests[...])
            figures.committed(in: begin.duration(to: .now))
            guard survives(.committed) else { return fail(requests) }
            for (request, ids) in zip(requests, pruned) where request.isDeletion || !ids.isEmpty {
                wipe.somethingWasDeleted()
            }
            for (request, ids) in zip(requests, pruned) { request.succeed(pruned: ids) }
        } catch {
            health.record(error)
            // The timeline is at fault: retry without it.
            if tables.spans.isBroken, !wasBroken { return serve(requests) }
            if error.isRequestFault, requests.count > 1 {
                // One request is at fault. Run separately, it does not fail the others.
                for request in requests { serve([request]) }
            } else {
                for request in requests { request.fail(error.changeError(path: path)) }
            }
        }
    }

    private func fail(_ requests: [Request]) {
        fail(requests, with: .failed(path: path, detail: "it has been closed"))
    }

    private func fail(_ requests: [Request], with error: StoreError) {
        for request in requests { request.fail(error) }
    }

    /// Runs the requests in one transaction and returns what each of them pruned.
    private func commit(_ requests: ArraySlice<Request>) throws(SQLiteError) -> [Set<TransferID>] {
        var highest = highestID
        try connection.statement("BEGIN IMMEDIATE").run()
        let happened = tables.spans.chronicle.take()
        do throws(SQLiteError) {
            var pruned: [Set<TransferID>] = []
            for request in requests {
                switch request {
                case .commit(let changes, _):
                    for change in changes { try tables.apply(change, highest: &highest) }
                    pruned.append([])
                case .commitTasks(let changes, _):
                    for change in changes { try tables.tasks.apply(change) }
                    pruned.append([])
                case .commitAccounts(let changes, _):
                    for change in changes { try tables.accounts.apply(change) }
                    pruned.append([])
                case .prune(let due, _):
                    var deleted: Set<TransferID> = []
                    for end in due where try tables.transfers.prune(end) { deleted.insert(end.id) }
                    pruned.append(deleted)
                }
            }
            if highest > highestID { try tables.transfers.setHighestID(highest) }
            try tables.sessions.write()
            try tables.spans.write(happened)
            pause()
            try connection.statement("COMMIT").run()
            tables.spans.chronicle.written()
            highestID = highest
            return pruned
        } catch {
            // After some errors SQLite has already rolled back; then this fails, as expected.
            try? connection.execute("ROLLBACK")
            tables.sessions.rollBack()
            let chronicle = tables.spans.chronicle
            if tables.spans.isBroken { chronicle.written() } else { chronicle.putBack(happened) }
            throw error
        }
    }

    private func pause() {
        guard commitDelay > 0 else { return }
        let whole = commitDelay.rounded(.down)
        // Signals are blocked on this thread, so that nothing interrupts the wait.
        var time = timespec(tv_sec: Int(whole), tv_nsec: Int((commitDelay - whole) * 1e9))
        nanosleep(&time, nil)
    }
}
