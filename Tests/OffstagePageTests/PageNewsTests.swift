// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCommands
import OffstageCore
import OffstagePage
import OffstageProtocol
import Testing

@Suite struct PageNewsTests {
    private static let rows = try? Self.makeRows(400)

    private static func makeRows(_ count: Int64) throws -> [TransferRow] {
        let now = Moment(wall: Date(timeIntervalSinceReferenceDate: 0), bootID: "boot", uptime: 0)
        let spec = TransferSpec(
            direction: .download(.init(path: "/tmp/a")),
            url: try RequestURL("http://example.org/a"),
            owner: "command"
        )
        return (1...count).map { number in
            let transfer = Transfer(id: TransferID(rawValue: number), spec: spec, now: now)
            return TransferRow(
                transfer: transfer,
                reason: Reason(cause: .running, since: now.wall),
                bytesDone: 0,
                bytesTotal: nil,
                rate: 0
            )
        }
    }

    private func row(_ index: Int) throws -> TransferRow { try #require(Self.rows)[index] }
    private func progress(_ id: Int64, _ done: Int64) -> TransferEvent.Progress {
        .init(id: TransferID(rawValue: id), bytesDone: done, bytesTotal: nil, rate: 1)
    }

    @Test func `the first news is told almost at once, and what follows a few times a second`() throws {
        var news = PageNews()
        #expect(news.due == nil)
        #expect(news.bulletin(now: 100) == nil)
        news.add(.changed(try row(0)), now: 100)
        let due = try #require(news.due)
        #expect(due > 100 && due <= 100.05)
        #expect(news.bulletin(now: 100.001) == nil)
        #expect(news.bulletin(now: due)?.rows.map(\.id.rawValue) == [1])
        #expect(news.due == nil)
        news.add(.changed(try row(1)), now: due)
        let second = try #require(news.due)
        #expect(second >= due + 0.09 && second <= due + 0.11)
    }

    @Test func `a thousand changes of one transfer are one row, the last one`() throws {
        var news = PageNews()
        for step in 0..<1000 {
            var row = try row(0)
            row.bytesDone = Int64(step)
            news.add(.changed(row), now: 1)
            news.add(.progress([progress(2, Int64(step))]), now: 1)
        }
        let told = news.bulletin(now: 2)
        let bulletin = try #require(told)
        #expect(bulletin.rows.map(\.bytesDone) == [999])
        #expect(bulletin.progress == [progress(2, 999)])
        #expect(!bulletin.isCut)
    }

    @Test func `of more than fit the rest is to be asked for`() throws {
        var news = PageNews()
        for index in 0..<400 { news.add(.changed(try row(index)), now: 1) }
        let told = news.bulletin(now: 2)
        let bulletin = try #require(told)
        #expect(bulletin.rows.count == PageNews.mostRows)
        #expect(bulletin.isCut)
        news.add(.removed(TransferID(rawValue: 3)), now: 2)
        let next = news.bulletin(now: 3)
        #expect(next?.isCut == false)
    }

    @Test func `what was cut is made up for by a snapshot, one a second and one after the last`() throws {
        var news = PageNews()
        func cut(at now: Double) throws {
            for index in 0..<400 { news.add(.changed(try row(index)), now: now) }
            let due = try #require(news.due)
            _ = news.bulletin(now: due)
        }
        #expect(news.snapshotDue == nil)
        try cut(at: 10)
        let due = try #require(news.snapshotDue)
        #expect(due > 10 && due <= 10 + PageNews.rest + 0.1)
        // Further cuts do not postpone it.
        try cut(at: 10.5)
        #expect(news.snapshotDue == due)
        let taken = [10.9, due, due].map { news.takesSnapshot(now: $0) }
        #expect(taken == [false, true, false] && news.snapshotDue == nil)
        try cut(at: 12)
        let isTaken = news.takesSnapshot(now: 14)
        #expect(isTaken)
        news.add(.changed(try row(0)), now: 15)
        _ = news.bulletin(now: 16)
        #expect(news.snapshotDue == nil)
    }

    @Test func `what a name says is shown in the order in which it stands`() throws {
        var row = try row(0)
        row.path = "/tmp/invoice\u{202E}fdp.exe"
        row.label = "one\u{2066}two"
        let text = try JSONText.of(PageTransfer(row))
        #expect(text.contains("invoice\u{FFFD}fdp.exe") && text.contains("one\u{FFFD}two"))
        #expect(!text.lowercased().contains("202e") && !text.contains("2066"))
    }

    @Test func `what is forgotten is no longer told of, and what ends makes no progress`() throws {
        var news = PageNews()
        news.add(.changed(try row(0)), now: 1)
        news.add(.progress([progress(1, 5), progress(2, 5)]), now: 1)
        news.add(.removed(TransferID(rawValue: 1)), now: 1)
        news.add(.finished(try row(1)), now: 1)
        news.tasksChanged(now: 1)
        let told = news.bulletin(now: 2)
        let bulletin = try #require(told)
        #expect(bulletin.rows.map(\.id.rawValue) == [2])
        #expect(bulletin.removed.map(\.rawValue) == [1])
        #expect(bulletin.progress.isEmpty)
        #expect(bulletin.hasTasks)
    }
}
