// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import Testing

@Suite struct StorePageTests {
    let fixture: StoreFixture
    let store: SQLiteStore

    init() async throws {
        fixture = try StoreFixture()
        store = try SQLiteStore.open(path: fixture.path).store
        var paused = try fixture.transfer(5, owner: "org.example.app")
        _ = paused.pause(reached: 0, now: StoreFixture.now)
        let failure = TransferFailure(.cannotConnect, "no")
        try await store.commit([
            .insert(try fixture.finished(1, .completed(Answer(status: 200)), at: 1)),
            .insert(try fixture.finished(2, .failed(failure, nil), at: 2)),
            .insert(try fixture.finished(3, .cancelled, at: 3)),
            .insert(try fixture.transfer(4, host: "Other.example.org")),
            .insert(paused),
            .insert(try fixture.transfer(6)),
        ])
    }

    private func ids(_ query: TransferQuery) async throws -> [Int64] {
        try await store.page(query).transfers.map(\.id.rawValue)
    }

    @Test func `a form is found by any of its files`() async throws {
        var made = try fixture.transfer(7)
        let parts = ["/s/one", "/s/Two"].map { path in
            let identity = FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
            let source = TransferSpec.UploadSource(path: path, identity: identity, isSnapshot: true)
            return FormBody.Part(name: "f", content: .file(source), fileName: "f")
        }
        made.spec.direction = .form(FormBody(parts: parts))
        made.spec.setContentTypeOfForm()
        let form = made
        try await store.commit([.insert(form)])
        #expect(try await ids(TransferQuery(text: "/s/one")) == [7])
        #expect(try await ids(TransferQuery(text: "/s/two")) == [7])
        #expect(try await ids(TransferQuery(text: "/s/three")).isEmpty)
        #expect(try await store.transfers([TransferID(rawValue: 7)]).first?.spec == form.spec)
        try await store.commit([.updateWithSpec(form)])
        #expect(try await ids(TransferQuery(text: "/s/Two")) == [7])
    }

    @Test func `all lists are read, and then a stretch of one search`() {
        var turn = PageTurn<String>()
        #expect(turn.next().isEmpty)
        for search in ["search 1", "search 2"] { turn.add(search, isSearch: true) }
        for list in ["list 1", "list 2"] { turn.add(list, isSearch: false) }
        #expect(turn.next() == ["list 1", "list 2", "search 1"])
        turn.add("search 3", isSearch: true)
        turn.add("list 3", isSearch: false)
        #expect(turn.next() == ["list 3", "search 2"])
        #expect(!turn.isEmpty)
        #expect(turn.next() == ["search 3"])
        #expect(turn.isEmpty)
    }

    @Test func `a search looks at a stretch at a time`() {
        let stretch = Int64(PageSearch.stretch)
        func rows(_ ids: any Sequence<Int64>, matching: Set<Int64> = []) -> [(id: Int64, matches: Bool)] {
            ids.map { (id: $0, matches: matching.contains($0)) }
        }
        var down = PageSearch(TransferQuery(text: "x"), wanted: 3)
        down.looked(at: rows((1...stretch).reversed().map { $0 + 100 }, matching: [2_148, 101]))
        #expect(down.found == [2_148, 101])
        #expect(down.rest.before == TransferID(rawValue: 101))
        #expect(!down.isOver)
        down.looked(at: rows((1...100).reversed(), matching: [7]))
        #expect(down.found == [2_148, 101, 7])
        #expect(down.isOver)
        var up = PageSearch(TransferQuery(text: "x", after: TransferID(rawValue: 5)), wanted: 1)
        up.looked(at: rows((6..<6 + stretch)))
        #expect(up.rest.after == TransferID(rawValue: 5 + stretch))
        #expect(!up.isOver)
        up.looked(at: rows((6 + stretch..<6 + 2 * stretch), matching: [6 + stretch, 7 + stretch]))
        #expect(up.found == [6 + stretch])
        #expect(up.isOver)
        var none = PageSearch(TransferQuery(owner: "nobody"), wanted: 1)
        none.looked(at: [])
        #expect(none.isOver && none.found.isEmpty)
    }

    @Test func `a search finds what is more than a stretch away`() async throws {
        let most = Int64(2 * PageSearch.stretch + 10)
        try await store.commit((10...most).map { .insert(try fixture.transfer($0)) })
        let last = TransferID(rawValue: most)
        #expect(try await ids(TransferQuery(text: "other.")) == [4])
        #expect(try await ids(TransferQuery(owner: "org.example.app")) == [5])
        #expect(try await ids(TransferQuery(results: [.failed])) == [2])
        #expect(try await ids(TransferQuery(results: [])).isEmpty)
        #expect(try await ids(TransferQuery(kinds: [.queued], text: "other.")) == [4])
        #expect(try await ids(TransferQuery(kinds: [.paused, .queued], owner: "org.example.app")) == [5])
        #expect(try await ids(TransferQuery(text: "example", after: TransferID(rawValue: 1), limit: 2)) == [3, 2])
        #expect(try await ids(TransferQuery(text: "other.", after: TransferID(rawValue: 4))).isEmpty)
        #expect(try await ids(TransferQuery(text: "other.", before: last, limit: 1)) == [4])
        #expect(try await !store.page(TransferQuery(text: "other.", limit: 1)).hasMore)
        #expect(try await store.page(TransferQuery(text: "example", limit: 1)).hasMore)
    }

    @Test func `all pages that were asked for at once are answered`() async throws {
        let store = store
        try await withThrowingTaskGroup(of: [Int64].self) { group in
            for number in 0..<40 {
                let query = number.isMultiple(of: 2) ? TransferQuery(text: "Other.") : TransferQuery(limit: 1)
                group.addTask { try await store.page(query).transfers.map(\.id.rawValue) }
            }
            var found: [[Int64]: Int] = [:]
            for try await ids in group { found[ids, default: 0] += 1 }
            #expect(found == [[4]: 20, [6]: 20])
        }
        store.close()
        await #expect(throws: StoreError.self) { try await store.page(TransferQuery()) }
    }

    @Test func `a page begins with the newest and says whether older ones follow`() async throws {
        let first = try await store.page(TransferQuery(limit: 4))
        #expect(first.transfers.map(\.id.rawValue) == [6, 5, 4, 3])
        #expect(first.hasMore)
        #expect(first.counts == [.finished: 3, .queued: 2, .paused: 1])
        let second = try await store.page(TransferQuery(before: TransferID(rawValue: 3), limit: 4))
        #expect(second.transfers.map(\.id.rawValue) == [2, 1])
        #expect(!second.hasMore)
        #expect(second.counts == first.counts)
        #expect(try await store.page(TransferQuery(limit: 6)).hasMore == false)
        #expect(try await ids(TransferQuery(limit: 0)).isEmpty)
        #expect(try await ids(TransferQuery(limit: -3)).isEmpty)
    }

    @Test func `a page above an id is the one next to it, newest first too`() async throws {
        let page = try await store.page(TransferQuery(after: TransferID(rawValue: 2), limit: 3))
        #expect(page.transfers.map(\.id.rawValue) == [5, 4, 3])
        #expect(page.hasMore)
        let last = try await store.page(TransferQuery(after: TransferID(rawValue: 5), limit: 3))
        #expect(last.transfers.map(\.id.rawValue) == [6])
        #expect(!last.hasMore)
        let between = TransferQuery(before: TransferID(rawValue: 5), after: TransferID(rawValue: 1), limit: 2)
        #expect(try await ids(between) == [3, 2])
        let several = TransferQuery(kinds: [.finished, .queued], after: TransferID(rawValue: 2), limit: 2)
        #expect(try await ids(several) == [4, 3])
        #expect(try await ids(TransferQuery(after: TransferID(rawValue: 6))).isEmpty)
    }

    @Test func `filters narrow a page, alone and together`() async throws {
        #expect(try await ids(TransferQuery(kinds: [.queued])) == [6, 4])
        #expect(try await ids(TransferQuery(kinds: [.paused, .queued], limit: 2)) == [6, 5])
        #expect(try await ids(TransferQuery(kinds: [.running])).isEmpty)
        #expect(try await ids(TransferQuery(kinds: [])).isEmpty)
        #expect(try await ids(TransferQuery(results: [.failed])) == [2])
        #expect(try await ids(TransferQuery(results: [.failed, .completed])) == [2, 1])
        #expect(try await ids(TransferQuery(results: [])).isEmpty)
        #expect(try await ids(TransferQuery(kinds: [.queued], results: [.failed])).isEmpty)
        #expect(try await ids(TransferQuery(owner: "org.example.app")) == [5])
        #expect(try await ids(TransferQuery(kinds: [.queued], owner: "org.example.app")).isEmpty)
        #expect(
            try await ids(TransferQuery(kinds: [.queued, .finished], before: TransferID(rawValue: 6), limit: 3)) == [
                4, 3, 2,
            ]
        )
    }

    @Test func `a text is looked for in URL and path, without case, and taken literally`() async throws {
        #expect(try await ids(TransferQuery(text: "oTHER.")) == [4])
        #expect(try await ids(TransferQuery(text: "Größe 5")) == [5])
        #expect(try await ids(TransferQuery(text: "/data/6")) == [6])
        #expect(try await ids(TransferQuery(text: "%")).isEmpty)
        #expect(try await ids(TransferQuery(text: "_")).isEmpty)
        #expect(try await ids(TransferQuery(text: "'; DROP TABLE transfers; --")).isEmpty)
        #expect(try await ids(TransferQuery(text: "")).count == 6)
    }

    @Test func `pruning deletes what is too old or too many, and returns it`() async throws {
        let start = StoreFixture.now.wall
        #expect(try await store.prune(finishedBefore: start, keeping: 3).isEmpty)
        let old = try await store.prune(finishedBefore: start + 2, keeping: 10)
        #expect(old.map(\.id.rawValue) == [1])
        let many = try await store.prune(finishedBefore: start, keeping: 1)
        #expect(many.map(\.id.rawValue) == [2])
        #expect(try await ids(TransferQuery()) == [6, 5, 4, 3])
        #expect(try await store.prune(finishedBefore: start + 1000, keeping: 0).map(\.id.rawValue) == [3])
        #expect(try await ids(TransferQuery()) == [6, 5, 4])
        #expect(try await store.prune(finishedBefore: start + 1000, keeping: -1).isEmpty)
        #expect(try fixture.sql("SELECT COUNT(*) FROM records") == ["3"])
    }

    @Test func `a record that is no use is in the list as unreadable`() async throws {
        try fixture.sql("UPDATE records SET record = CAST('{' AS BLOB) WHERE id = 5")
        #expect(try await ids(TransferQuery()) == [6, 5, 4, 3, 2, 1])
        let found = try await store.transfers([5, 6].map { TransferID(rawValue: $0) })
        #expect(found.map(\.isUnreadable) == [true, false])
    }
}
