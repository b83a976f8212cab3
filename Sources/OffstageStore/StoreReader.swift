// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageRuntime

/// Reads on a connection and thread of its own, so that no reader waits for a commit.
final class StoreReader {
    enum Request: Sendable {
        case transfers([TransferID], CheckedContinuation<Result<[Transfer], StoreError>, Never>)
        case page(TransferQuery, CheckedContinuation<Result<TransferPage, StoreError>, Never>)
        /// A question about background sessions.
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

    /// A page that somebody waits for.
    private struct Page: Sendable {
        var query: TransferQuery
        var continuation: CheckedContinuation<Result<TransferPage, StoreError>, Never>
    }

    /// The most rows of a page, whatever the client asks for.
    static let maximumPage = 10_000

    private let path: String
    let connection: SQLiteConnection
    let coder: RecordCoder
    private let health: StoreHealth
    /// Pages wait here until nothing of the queue's own does.
    private var pages = PageTurn<Page>()
    private var survives: @Sendable (VirtualStoreService.Step) -> Bool = { _ in true }
    private var refusal: @Sendable (VirtualStoreService.Step) -> StoreError? = { _ in nil }

    init(path: String, connection: SQLiteConnection, health: StoreHealth, coder: RecordCoder) {
        self.coder = coder
        self.path = path
        self.connection = connection
        self.health = health
    }

    /// Serves the mailbox until it is closed, then closes the file.
    func run(_ mailbox: Mailbox<Request>) {
        while let requests = mailbox.takeAll(within: pages.isEmpty ? nil : 0) { serve(requests) }
        end()
    }

    /// Is served by the loop of those who ask, in virtual time.
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
        connection.close()
    }

    /// Serves what has come, but for all searches except one: each takes long, and the queue's own look-ups that come
    /// meanwhile wait for no other.
    private func serve(_ requests: [Request]) {
        for request in requests {
            switch request {
            case .transfers(let ids, let continuation):
                continuation.resume(returning: reading { () throws(SQLiteError) in try self.transfers(ids) })
            case .look(let look): look.run(self)
            case .page(let query, let continuation):
                pages.add(Page(query: query, continuation: continuation), isSearch: query.text != nil)
            }
        }
        servePages()
    }

    private func servePages() {
        for page in pages.next() {
            page.continuation.resume(returning: reading { () throws(SQLiteError) in try self.page(page.query) })
        }
    }

    /// Performs a query that sees one state of the store throughout.
    private func reading<Value>(_ body: () throws(SQLiteError) -> Value) -> Result<Value, StoreError> {
        guard survives(.read) else { return .failure(.failed(path: path, detail: "it has been closed")) }
        if let refusal = refusal(.read) { return .failure(refusal) }
        do throws(SQLiteError) {
            try connection.execute("BEGIN")
            defer { try? connection.execute("COMMIT") }
            return .success(try body())
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

    private func page(_ query: TransferQuery) throws(SQLiteError) -> TransferPage {
        let limit = min(max(0, query.limit), Self.maximumPage)
        let ids = try self.ids(query, limit: limit + 1)
        let shown = query.after == nil ? Array(ids.prefix(limit)) : ids.prefix(limit).reversed()
        return TransferPage(
            transfers: try transfers(shown.map(TransferID.init(rawValue:))),
            hasMore: ids.count > limit,
            counts: try Tallies(connection).kinds
        )
    }

    private func ids(_ query: TransferQuery, limit: Int) throws(SQLiteError) -> [Int64] {
        guard let sql = PageSQL(query).text else { return [] }
        let select = try connection.prepare(sql)
        defer { select.finalize() }
        select.bind(1, Int64(limit))
        select.bind(2, min(query.before?.rawValue ?? .max, TransferID.greatest + 1))
        select.bind(3, query.owner)
        select.bind(4, query.text)
        if let after = query.after { select.bind(5, after.rawValue) }
        var ids: [Int64] = []
        while try select.step() { ids.append(select.integer(0)) }
        return ids
    }
}

/// The text of a page's query. Parameters: 1 the limit, 2 the id to stay below, 3 the owner, 4 the text, 5 the id to stay
/// above, whose neighbours come first then.
private struct PageSQL {
    /// Nil if nothing can match.
    var text: String?

    init(_ query: TransferQuery) {
        var conditions = ["id < ?2"]
        let order = query.after == nil ? "DESC" : "ASC"
        if query.after != nil { conditions.append("id > ?5") }
        if query.owner != nil { conditions.append("owner = ?3") }
        if query.text != nil {
            conditions.append("(instr(lower(url), lower(?4)) > 0 OR instr(lower(path), lower(?4)) > 0)")
        }
        var kinds = query.kinds.map(Set.init)
        if let results = query.results {
            kinds = (kinds ?? [.finished]).intersection([.finished])
            conditions.append("result IN (\(results.map { "'\($0.rawValue)'" }.joined(separator: ", ")))")
        }
        func select(_ conditions: [String]) -> String {
            "SELECT id FROM transfers WHERE \(conditions.joined(separator: " AND ")) ORDER BY id \(order) LIMIT ?1"
        }
        guard let kinds else {
            text = select(conditions)
            return
        }
        // One kind at a time comes from its index in order; a condition on several kinds would need a sort.
        let parts = kinds.map { "SELECT id FROM (\(select(["kind = '\($0.rawValue)'"] + conditions)))" }.sorted()
        text = parts.isEmpty ? nil : parts.joined(separator: " UNION ALL ") + " ORDER BY id \(order) LIMIT ?1"
    }
}
