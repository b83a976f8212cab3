// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct `The log has a budget` {
    @Test func `lines that differ in numbers alone are counted`() {
        var log = LogBudget()
        var bytes = 0
        for number in 0..<300_000 {
            bytes += log.log(.init(.error, "a task cannot be taken in: app=de.example task=\(number)"), now: 1)
                .reduce(0) { $0 + $1.text.utf8.count }
        }
        #expect(bytes < 4096)
        #expect(log.due == 601)
        let rest = log.settle(now: 601)
        #expect(rest.count == 1)
        #expect(rest.first?.text.hasPrefix("… and 299980 more like it: a task cannot be taken in: ") == true)
        #expect(rest.first?.level == .error)
        #expect(log.due == nil)
        #expect(log.log(.init(.notice, "one"), now: 602) == [.init(.notice, "one")])
    }

    @Test func `other lines go on, and what was withheld is told with the first line of the next period`() {
        var log = LogBudget()
        for number in 0..<22 { _ = log.log(.init(.notice, "a \(number)"), now: 0) }
        #expect(log.log(.init(.notice, "b"), now: 10) == [.init(.notice, "b")])
        let lines = log.log(.init(.notice, "c"), now: 700)
        #expect(lines.first?.text.hasPrefix("… and 2 more like it: a 2") == true)
        #expect(lines.last?.text == "c")
    }

    @Test func `lines without end of ever new kinds take no more than the budget`() {
        var log = LogBudget()
        var bytes = 0
        for first in 97..<123 {
            for second in 97..<123 {
                for third in 97..<123 {
                    let name = String(decoding: [UInt8(first), UInt8(second), UInt8(third)], as: UTF8.self)
                    for line in log.log(.init(.notice, name + String(repeating: "x", count: 10_000)), now: 5) {
                        bytes += line.text.utf8.count
                    }
                }
            }
        }
        #expect(bytes <= 256 << 10)
        #expect(log.settle(now: 5).reduce(0) { $0 + $1.text.utf8.count } < 8192)
    }

    @Test func `whoever asks for every step gets it, up to a larger budget`() {
        var log = LogBudget(limits: .debugging)
        let line = LogBudget.Line(.debug, String(repeating: "x", count: 4000))
        var count = 0
        for _ in 0..<10_000 { count += log.log(line, now: 1).count }
        #expect(count == (16 << 20) / 4000)
    }

    @Test func `a clock that goes back begins a new period`() {
        var log = LogBudget()
        for _ in 0..<50 { _ = log.log(.init(.notice, "a"), now: 1000) }
        #expect(log.log(.init(.notice, "a"), now: 1).last?.text == "a")
        #expect(log.log(.init(.notice, "a"), now: .nan).count <= 2)
    }
}
