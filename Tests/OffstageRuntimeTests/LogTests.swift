// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageRuntime
import OffstageTestSupport
import Testing

@Suite struct LogTests {
    private let records = Monitor<[LogRecord]>([])

    private func log(least: LogRecord.Level) -> Log {
        Log(least: least) { [records] record in records.withLock { $0.append(record) } }
    }

    @Test(arguments: LogRecord.Level.allCases) func `records below the least level are left out`(least: LogRecord.Level)
    {
        let log = log(least: least)
        log.debug("a step", ["name": "value"])
        log.notice("a step", ["name": "value"])
        log.error("a step", ["name": "value"])
        log.fault("a step", ["name": "value"])
        let wanted = LogRecord.Level.allCases.filter { $0 >= least }
        #expect(records.withLock { $0 } == wanted.map { LogRecord($0, "a step", ["name": "value"]) })
    }

    @Test func `a record that nobody wants computes no value`() {
        var computed = 0
        func value() -> Int {
            computed += 1
            return computed
        }
        log(least: .notice).debug("a step", ["count": value()])
        #expect(computed == 0 && records.withLock { $0.isEmpty })
        log(least: .debug).debug("a step", ["count": value()])
        #expect(computed == 1 && records.withLock { $0.first?["count"] } == "1")
    }

    @Test func `an error number is written in the system's words`() {
        log(least: .notice).error("it failed", ["reason": ErrorNumber(ENOENT)])
        #expect(records.withLock { $0.first?.text } == #"it failed: reason="No such file or directory""#)
    }
}
