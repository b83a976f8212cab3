// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import Testing

@Suite struct ProgressViewTests {
    private func view(_ columns: Int) -> ProgressView {
        ProgressView(columns: columns, usesColour: false, usesBlocks: false)
    }

    @Test func `a bar shows percent, bytes, rate and time left`() throws {
        let row = try Samples.row(7, .running, done: 524_288, rate: 104_857.6)
        #expect(
            view(100).bar(row)
                == "7 big.iso  [###################-------------------]   50%  512 KiB of 1.00 MiB   102 KiB/s  5s left"
        )
    }

    @Test(arguments: [20, 30, 40, 50, 60, 80, 100, 200])
    func `a bar fits every width`(columns: Int) throws {
        let row = try Samples.row(
            123_456,
            .running,
            path: "/x/" + String(repeating: "日本語", count: 30),
            done: 524_288,
            rate: 104_857.6
        )
        #expect(DisplayWidth.of(view(columns).bar(row)) < columns)
    }

    @Test func `without a total there is no bar but the bytes`() throws {
        #expect(
            view(80).bar(try Samples.row(7, .running, done: 2048, total: nil, rate: 1024))
                == "7 big.iso  2.00 KiB  1.00 KiB/s"
        )
    }

    @Test func `blocks and colours are for terminals that have them`() throws {
        let rich = ProgressView(columns: 80, usesColour: true, usesBlocks: true)
        let bar = rich.bar(try Samples.row(7, .running, done: 524_288, rate: 1024))
        #expect(bar.contains("█") && bar.contains("░") && bar.contains("\u{1B}[32m"))
        #expect(LiveArea.usesBlocks(["LANG": "de_DE.UTF-8"]))
        #expect(!LiveArea.usesBlocks(["LANG": "de_DE.UTF-8", "LC_ALL": "C"]))
    }

    @Test func `running ones come first, waiting ones say why, and the rest is counted`() throws {
        var transfers = FollowedTransfers((1...3).map { TransferID(rawValue: $0) })
        _ = transfers.apply(
            try Samples.row(1, .retry(TransferFailure(.cannotConnect, "cannot connect to h:1"), attempts: 1))
        )
        _ = transfers.apply(try Samples.row(2, .running, done: 10))
        _ = transfers.apply(try Samples.row(3, .completed(status: 200)))
        let lines = view(100).lines(transfers, now: noon)
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("2 big.iso  ["))
        #expect(lines[1] == "1 big.iso: cannot connect")
        var held = FollowedTransfers([TransferID(rawValue: 4)])
        _ = held.apply(try Samples.row(4, .paused))
        #expect(
            view(100).lines(held, now: noon)
                == ["4 big.iso: paused by you; 'offstage resume 4' continues it"]
        )
        var many = FollowedTransfers((1...100).map { TransferID(rawValue: $0) })
        for id in 1...20 { _ = many.apply(try Samples.row(Int64(id), .running)) }
        let crowd = view(100).lines(many, now: noon)
        #expect(crowd.count == 9)
        #expect(crowd.last == "0 of 100 ended, 20 running, 80 waiting")
    }

    @Test func `a terminal that is dumb is printed to, and not drawn on`() {
        let output = Output(capturedColumns: 80, isDumb: true)
        let area = LiveArea(output)
        area.show(["one"])
        area.clear()
        area.restart()
        #expect(output.isTerminal && !area.isLive && output.printed.isEmpty)
    }

    @Test func `the screen is drawn in place`() {
        let output = Output(capturedColumns: 80)
        let area = LiveArea(output)
        area.show(["one", "two"])
        area.show(["three"])
        area.clear()
        area.clear()
        #expect(output.printed == "one\ntwo\n\u{1B}[2A\r\u{1B}[Jthree\n\u{1B}[1A\r\u{1B}[J")
    }
}
