// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import Testing

@Suite struct WatchedTableTests {
    private func lines(_ table: inout WatchedTable, width: Int = 100, height: Int = 20) -> [String] {
        table.lines(width: width, height: height, usesColour: false, now: noon)
    }

    private func press(_ key: Key, _ table: inout WatchedTable) -> Bool { table.scroll.move(key) }

    private func queued(_ ids: ClosedRange<Int64>) throws -> [TransferRow] {
        try ids.map { try Samples.row($0, .inLine(ahead: 1)) }
    }

    @Test func `the live table keeps what has ended in sight`() throws {
        var table = WatchedTable()
        table.replace([try Samples.row(1, .running, done: 10, rate: 5), try Samples.row(2, .paused)])
        table.apply(.progress([.init(id: TransferID(rawValue: 1), bytesDone: 524_288, bytesTotal: nil, rate: 1024)]))
        let before = lines(&table)
        #expect(before[0] == "2 transfers: 1 running, 1 paused, 1.00 KiB/s, 8:32 left")
        #expect(before[2].hasPrefix(" 1  running   50%"))
        table.apply(.finished(try Samples.row(1, .completed(status: 200), done: 1_048_576)))
        table.apply(.removed(TransferID(rawValue: 2)))
        let after = lines(&table)
        #expect(after[0] == "Nothing is under way.")
        #expect(after[2].hasPrefix(" 1  done"))
        #expect(lines(&table, width: 30, height: 4).allSatisfy { DisplayWidth.of($0) < 30 })
    }

    @Test func `rows that do not fit are scrolled to, and the table says which are in sight`() throws {
        var table = WatchedTable()
        table.replace(try queued(1...40))
        #expect(lines(&table, height: 13).count == 13)
        #expect(lines(&table, height: 13).last == "rows 1–10 of 40")
        table.hasKeyboard = true
        #expect(lines(&table, height: 13).last == "rows 1–10 of 40  (arrows, j, k, PageUp, PageDown, Home, End)")
        #expect(press(.pageDown, &table))
        #expect(press(.down, &table))
        let further = lines(&table, height: 13)
        #expect(further.last?.hasPrefix("rows 12–21 of 40") == true)
        #expect(further[2].hasPrefix("12  queued") && further[11].hasPrefix("21  queued"))
        // Rows that end above disappear; the table stays full.
        #expect(press(.end, &table))
        for id in 1...25 { table.apply(.removed(TransferID(rawValue: Int64(id)))) }
        #expect(lines(&table, height: 13).last?.hasPrefix("rows 6–15 of 15") == true)
        // A larger window has room for all rows.
        #expect(lines(&table, height: 30).count == 17)
        #expect(lines(&table, width: 20, height: 13).allSatisfy { DisplayWidth.of($0) < 20 })
    }

    @Test func `counts are of all, and rows without a place here are said to be`() throws {
        var table = WatchedTable()
        let rows = try (0..<Int64(WatchTransfers.rowLimit)).map {
            try Samples.row($0, $0 < 6 ? .running : .inLine(ahead: 1))
        }
        table.replace(rows)
        #expect(table.isCut)
        table.counts = ["running": 6, "queued": 3000, "finished": 77]
        let cut = lines(&table, height: 10)
        #expect(cut[0].hasPrefix("3006 transfers: 3000 queued, 6 running"))
        #expect(cut.last == "rows 1–7 of 1000, and 2006 more in 'offstage list'")
        table.add(try queued(1000...3005), areAll: true)
        #expect(!table.isCut && table.counts == nil)
        #expect(lines(&table, height: 10).last == "rows 1–7 of 3006")
        #expect(press(.end, &table))
        #expect(lines(&table, height: 10).last == "rows 3000–3006 of 3006")
        table.replace(Array(rows.prefix(2)))
        #expect(!table.isCut && lines(&table).count == 4)
    }

    /// The rows, whether they are all the rows, and the times that are shown.
    @Test(
        arguments: [
            ([("running", 100, 600, 50.0), ("running", 0, 500, 50)], true, 10.0, nil),
            ([("running", 100, 600, 50.0), ("queued", 0, 1500, 0)], true, 10.0, 40.0),
            ([("running", 100, 600, 50.0), ("queued", 0, 1500, 0)], false, 10.0, nil),
            ([("running", 100, 600, 50.0), ("queued", 0, nil, 0)], true, 10.0, nil),
            ([("running", 100, nil, 50.0), ("queued", 0, 1500, 0)], true, nil, nil),
            ([("running", 100, 600, 50.0), ("paused", 0, 9000, 0)], true, 10.0, nil),
            ([("running", 100, 600, 0.0), ("queued", 0, 9000, 0)], true, nil, nil),
            ([("running", 900, 600, 50.0)], true, 0.0, nil),
            ([("running", 0, .max, 1.0), ("queued", 0, .max, 0)], true, 0x1p60, 0x1p61),
            ([], true, nil, nil),
        ] as [([(String, Int64, Int64?, Double)], Bool, Double?, Double?)]
    )
    func `the time that is left is told where it can be`(
        rows: [(String, Int64, Int64?, Double)],
        areAll: Bool,
        running: Double?,
        all: Double?
    ) throws {
        let causes: [String: Reason.Cause] = ["running": .running, "queued": .inLine(ahead: 0), "paused": .paused]
        let samples = try rows.map { kind, done, total, rate in
            try Samples.row(1, causes[kind] ?? .paused, done: done, total: total, rate: rate)
        }
        #expect(WatchedTable.timeLeft(samples, areAll: areAll) == .init(running: running, all: all))
    }

    @Test func `the time of the queue goes before the rate does, where there is little room`() throws {
        var table = WatchedTable()
        table.replace([
            try Samples.row(1, .running, done: 0, total: 1 << 20, rate: 1024), try Samples.row(2, total: 1 << 20),
        ])
        #expect(lines(&table)[0] == "2 transfers: 1 queued, 1 running, 1.00 KiB/s, 17:04 left (34:08 with the queue)")
        #expect(lines(&table, width: 70)[0] == "2 transfers: 1 queued, 1 running, 1.00 KiB/s, 17:04 left")
    }
}
