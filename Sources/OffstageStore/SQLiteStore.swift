// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore
package import OffstageRuntime

/// Transfers in a SQLite file that survives a crash at any instruction and a power loss.
///
/// Calls may come from any thread, and only `open`, `forEachUnfinished` and `close` block their caller. One thread
/// writes and one reads; both sleep when there is nothing to do.
package final class SQLiteStore: SessionStore {
    /// A newly opened store.
    package struct Opened: Sendable {
        package var store: SQLiteStore
        /// Notices for people, such as that a damaged file was set aside.
        package var notices: [String]
        /// The first unused id.
        package var nextID: TransferID
        /// The store's own eight random hexadecimal digits, used in the names of its partial files.
        package var storeToken: String
    }

    /// Collects the timeline's spans until they are written.
    package let chronicle: ChronicleRecorder
    let path: String
    let health: StoreHealth
    let figures: StoreFigures
    let writes: any StoreLine<StoreWriter.Request>
    let reads: any StoreLine<StoreReader.Request>
    private let reading: ReadingConnection
    /// The check of a file that is too large to be checked before the first transfer may continue; nil for any other
    /// file.
    private let check: BackgroundCheck?

    /// Opens the store, and makes it and its folders if necessary. A damaged file is set aside, and all readable data
    /// is copied to a new one; the notices report this.
    ///
    /// Blocks, usually for a few milliseconds, and for two seconds if another process holds the file.
    ///
    /// - Parameters:
    ///   - path: the file, absolute. The file and any new folders are accessible only to this user.
    ///   - commitDelay: seconds that every commit takes longer, a fault switch for tests.
    ///   - service: what does the store's work: threads or a loop.
    ///   - crashesReading: the number of crashes during which a record was being read, if it must not be read again.
    /// - Returns: the store with the values that the daemon needs before the first transfer.
    /// - Throws: every case of `StoreError`; damage is no error.
    package static func open(
        path: String,
        commitDelay: Double = 0,
        service: StoreService = .threads,
        crashesReading: @escaping @Sendable (CrashSuspect) -> Int? = { _ in nil }
    ) throws(StoreError) -> Opened {
        let opening = try StoreOpening(path: path, coder: RecordCoder(crashesReading: crashesReading))
        let health = StoreHealth(path: path)
        let figures = StoreFigures()
        for notice in opening.notices { health.add(notice) }
        let chronicle = ChronicleRecorder(nextNumber: opening.nextSpan)
        let writer = StoreWriter(
            path: path,
            connection: opening.writing,
            health: health,
            figures: figures,
            commitDelay: commitDelay,
            highestID: opening.highestID,
            coder: RecordCoder(crashesReading: crashesReading),
            chronicle: chronicle
        )
        let reading = ReadingConnection(opening.reading)
        let reader = StoreReader(
            path: path,
            connection: opening.reading,
            sharedWithStart: reading,
            health: health,
            coder: RecordCoder(crashesReading: crashesReading)
        )
        let store = try SQLiteStore(
            path: path,
            health: health,
            figures: figures,
            chronicle: chronicle,
            writer: writer,
            reader: reader,
            reading: reading,
            service: service,
            check: opening.wantsBackgroundCheck ? BackgroundCheck(path: path, health: health) : nil
        )
        return Opened(
            store: store,
            notices: opening.notices,
            nextID: TransferID(rawValue: opening.highestID + 1),
            storeToken: opening.token
        )
    }

    private init(
        path: String,
        health: StoreHealth,
        figures: StoreFigures,
        chronicle: ChronicleRecorder,
        writer: StoreWriter,
        reader: StoreReader,
        reading: ReadingConnection,
        service: StoreService,
        check: BackgroundCheck?
    ) throws(StoreError) {
        // From here on each connection is only used by its own server; the opening keeps none.
        nonisolated(unsafe) let writer = writer
        nonisolated(unsafe) let reader = reader
        switch service {
        case .threads:
            guard let writes = try? ThreadLine({ writer.run($0) }) else {
                check?.stop()
                throw .noThreads(path: path)
            }
            guard let reads = try? ThreadLine({ reader.run($0) }) else {
                writes.close()
                check?.stop()
                throw .noThreads(path: path)
            }
            (self.writes, self.reads) = (writes, reads)
        case .loop(let service):
            writes = writer.line(service)
            reads = reader.line(service)
        }
        self.path = path
        self.health = health
        self.figures = figures
        self.chronicle = chronicle
        self.reading = reading
        self.check = check
    }

    deinit { close() }

    /// Notices for people: from the opening, and about damage found since.
    package var notices: [String] { health.notices }

    package nonisolated(nonsending) func commit(_ changes: [TransferChange]) async throws(StoreError) {
        if changes.isEmpty { return }
        try await withCheckedContinuation { continuation in
            let request = StoreWriter.Request.commit(changes, continuation)
            if !writes.send(request) { request.fail(closed) }
        }.get()
    }

    package nonisolated(nonsending) func prune(
        finishedBefore date: Date,
        keeping count: Int
    ) async throws(StoreError) -> [PrunedTransfer] {
        // Found on the reader's thread, without delaying commits, and deleted when no commit is waiting.
        let due = try await look { (reader) throws(SQLiteError) in
            try reader.dueEnds(finishedBefore: date, keeping: count)
        }
        if due.isEmpty { return [] }
        let deleted = try await withCheckedContinuation { continuation in
            let request = StoreWriter.Request.prune(due, continuation)
            if !writes.send(request) { request.fail(closed) }
        }.get()
        return due.filter { deleted.contains($0.id) }.map { PrunedTransfer(id: $0.id, transfer: $0.transfer) }
    }

    package nonisolated(nonsending) func transfers(_ ids: [TransferID]) async throws(StoreError) -> [Transfer] {
        if ids.isEmpty { return [] }
        return try await withCheckedContinuation { continuation in
            if !reads.send(.transfers(ids, continuation)) { continuation.resume(returning: .failure(closed)) }
        }.get()
    }

    package nonisolated(nonsending) func page(_ query: TransferQuery) async throws(StoreError) -> TransferPage {
        try await withCheckedContinuation { continuation in
            if !reads.send(.page(query, continuation)) { continuation.resume(returning: .failure(closed)) }
        }.get()
    }

    /// Passes every unfinished transfer to `body`, each kind in order of id, without reading the transfers themselves:
    /// a million take a second, however many records there are. Equal owners and hosts share one string. Blocks until
    /// all are read.
    package func forEachUnfinished(_ body: (TransferSummary) -> Void) throws(StoreError) {
        let leftOut = try withConnection { (connection) throws(SQLiteError) in
            try UnfinishedScan(connection).run(body)
        }
        guard leftOut > 0 else { return }
        health.add(
            "\(leftOut == 1 ? "A transfer" : "\(leftOut) transfers") in the store \(path) cannot be one of Offstage's (its number or one of its texts is too long) and is left out."
        )
    }

    /// Gives back the memory of the pages that a start has read: they are not read again.
    package func endStart() { reading.releasePages() }

    /// Reads on the caller's thread, as a start does. The body leaves no statements behind.
    func withConnection<Value: Sendable>(
        _ body: (SQLiteConnection) throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        do throws(SQLiteError) {
            return try reading.use(body)
        } catch {
            health.record(error)
            throw error.storeError(path: path)
        }
    }

    /// Finishes all requests, empties the write-ahead log into the file and ends the threads. Blocks until then; later
    /// calls fail.
    package func close() {
        check?.stop()
        // In order: the last connection to a file empties and removes its log, but if two are closed at the same
        // moment, neither is the last.
        reads.close()
        writes.close()
    }

    var closed: StoreError { .failed(path: path, detail: "it has been closed") }
}
