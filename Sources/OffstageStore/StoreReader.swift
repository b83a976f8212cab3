// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageRuntime

/// Reads on its own thread, and not through the writer's connection, so that no reader waits for a commit.
final class StoreReader {
    enum Request: Sendable {
        case transfers([TransferID], CheckedContinuation<Result<[Transfer], StoreError>, Never>)
        case page(TransferQuery, CheckedContinuation<Result<TransferPage, StoreError>, Never>)
        /// A query about background sessions.
        case look(Look)
    }

    /// A query with the continuation for its answer.
    struct Look: Sendable {
        /// Called on the reader's thread.
        let run: @Sendable (StoreReader) -> Void
        /// Called instead once the store is closed.
        let fail: @Sendable (StoreError) -> Void

        init<Value: Sendable>(
            _ continuation: CheckedContinuation<Result<Value, StoreError>, Never>,
            _ body: @escaping @Sendable (StoreReader) throws(SQLiteError) -> Value
        ) {
            run = { reader in
                continuation.resume(returning: reader.reading { () throws(SQLiteError) in try body(reader) })
            }
            fail = { continuation.resume(returning: .failure($0)) }
        }
    }

    /// A page that a caller waits for.
    private struct Page: Sendable {
        var query: TransferQuery
        /// The search with its results so far, if no index finds the page.
        var search: PageSearch?
        var continuation: CheckedContinuation<Result<TransferPage, StoreError>, Never>
    }

    /// The most rows of a page, whatever the client asks for.
    static let maximumPage = 10_000

    private let path: String
    /// Only valid while `shared` is in use.
    let connection: SQLiteConnection
    private let shared: ReadingConnection
    let coder: RecordCoder
    private let health: StoreHealth
    /// Pages, which wait until none of the queue's own reads do.
    private var pages = PageTurn<Page>()
    private var survives: @Sendable (VirtualStoreService.Step) -> Bool = { _ in true }
    private var refusal: @Sendable (VirtualStoreService.Step) -> StoreError? = { _ in nil }

    init(
        path: String,
        connection: SQLiteConnection,
        sharedWithStart shared: ReadingConnection,
        health: StoreHealth,
        coder: RecordCoder
    ) {
        self.coder = coder
        self.path = path
        self.connection = connection
        self.shared = shared
        self.health = health
    }

    /// Serves the mailbox until it is closed, then closes the file.
    func run(_ mailbox: Mailbox<Request>) {
        while let requests = mailbox.takeAll(within: pages.isEmpty ? nil : 0) { serve(requests) }
        end()
    }

    /// A line that is served by the caller's loop, in virtual time.
    func line(_ service: VirtualStoreService) -> LoopLine<Request> {
        survives = service.survives
        refusal = service.refusal
        return LoopLine(
            service.loop,
            latency: { 0 },
            serve: { requests in
                self.serve(requests)
                return !self.pages.isEmpty
            },
            end: end
        )
    }

    private func end() {
        while !pages.isEmpty { servePages() }
        shared.close()
    }

    /// Serves the waiting requests, and one stretch of one search.
    private func serve(_ requests: [Request]) {
        for request in requests {
            switch request {
            case .transfers(let ids, let continuation):
                continuation.resume(returning: reading { () throws(SQLiteError) in try self.transfers(ids) })
            case .look(let look): look.run(self)
            case .page(let query, let continuation):
                let isSearch = PageSearch.isNeeded(for: query)
                let search = isSearch ? PageSearch(query, wanted: Self.wanted(query)) : nil
                pages.add(Page(query: query, search: search, continuation: continuation), isSearch: isSearch)
            }
        }
        servePages()
    }

    private func servePages() {
        for page in pages.next() {
            if let search = page.search { look(page, search) } else { answer(page) }
        }
    }

    private func answer(_ page: Page) {
        let found = reading { () throws(SQLiteError) in
            try self.page(page.query, ids: try self.rows(page.query, limit: Self.wanted(page.query)).map(\.id))
        }
        page.continuation.resume(returning: found)
    }

    /// Examines the next stretch of the records. The last stretch and the page see the same state of the store.
    private func look(_ page: Page, _ search: PageSearch) {
        let looked = reading { () throws(SQLiteError) -> (PageSearch, TransferPage?) in
            var search = search
            search.looked(at: try self.rows(search.rest, limit: PageSearch.stretch))
            return (search, search.isOver ? try self.page(page.query, ids: search.found) : nil)
        }
        switch looked {
        case .success((_, let found?)): page.continuation.resume(returning: .success(found))
        case .success((let search, nil)):
            var page = page
            page.search = search
            pages.add(page, isSearch: true)
        case .failure(let failure): page.continuation.resume(returning: .failure(failure))
        }
    }

    /// Performs a query that sees one state of the store throughout.
    private func reading<Value: Sendable>(_ body: () throws(SQLiteError) -> Value) -> Result<Value, StoreError> {
        guard survives(.read) else { return .failure(.failed(path: path, detail: "it has been closed")) }
        if let refusal = refusal(.read) { return .failure(refusal) }
        do throws(SQLiteError) {
            let value = try shared.use { (connection) throws(SQLiteError) in
                try connection.statement("BEGIN").run()
                defer { try? connection.statement("COMMIT").run() }
                return try body()
            }
            return .success(value)
        } catch {
            health.record(error)
            return .failure(error.storeError(path: path))
        }
    }

    private func transfers(_ ids: [TransferID]) throws(SQLiteError) -> [Transfer] {
        var transfers: [Transfer] = []
        transfers.reserveCapacity(ids.count)
        for id in ids {
            if let transfer = try connection.transfer(id.rawValue, coder: coder) { transfers.append(transfer) }
        }
        return transfers
    }

    /// The most rows that a page may have.
    private static func rows(_ query: TransferQuery) -> Int { min(max(0, query.limit), maximumPage) }

    /// The number of rows to look for: one extra shows whether more follow.
    private static func wanted(_ query: TransferQuery) -> Int { rows(query).addingClamped(1) }

    private func page(_ query: TransferQuery, ids: [Int64]) throws(SQLiteError) -> TransferPage {
        let limit = Self.rows(query)
        let shown = query.after == nil ? Array(ids.prefix(limit)) : ids.prefix(limit).reversed()
        return TransferPage(
            transfers: try transfers(shown.map(TransferID.init(rawValue:))),
            hasMore: ids.count > limit,
            counts: try Tallies(connection).kinds
        )
    }

    /// The next rows of a page, and whether each matches the conditions without an index.
    private func rows(_ query: TransferQuery, limit: Int) throws(SQLiteError) -> [(id: Int64, matches: Bool)] {
        guard let sql = PageSQL(query).text else { return [] }
        let select = try connection.prepare(sql)
        defer { select.finalize() }
        select.bind(1, Int64(limit))
        select.bind(2, min(query.before?.rawValue ?? .max, TransferID.greatest + 1))
        select.bind(3, query.owner)
        select.bind(4, query.text)
        if let after = query.after { select.bind(5, after.rawValue) }
        var rows: [(id: Int64, matches: Bool)] = []
        while try select.step() { rows.append((select.integer(0), select.integer(1) != 0)) }
        return rows
    }
}
