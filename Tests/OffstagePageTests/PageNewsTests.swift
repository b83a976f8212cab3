// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
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
