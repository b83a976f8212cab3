// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageDaemon
import OffstageTestSupport
import Testing

@Suite struct `The alarms of the loop` {
    @Test func `each owner's alarm rings at its own time, whoever else has set one`() throws {
        let loop = try EventLoop()
        let rung = Monitor<[String]>([])
        let (late, early, never) = (loop.makeAlarm(), loop.makeAlarm(), loop.makeAlarm())
        let begin = Self.uptime()
        loop.onAlarm(never) { rung.withLock { $0.append("never") } }
        loop.onAlarm(early) {
            rung.withLock { $0.append("early") }
            // Another owner's time stays as it is.
            loop.setAlarm(early, uptime: nil)
        }
        loop.onAlarm(late) {
            rung.withLock { $0.append("late") }
            loop.stop()
        }
        loop.setAlarm(late, uptime: begin + 0.08)
        loop.setAlarm(early, uptime: begin + 0.04)
        loop.setAlarm(never, uptime: begin + 0.02)
        loop.setAlarm(never, uptime: nil)
        loop.run()
        #expect(rung.withLock { $0 } == ["early", "late"])
        #expect(Self.uptime() - begin >= 0.08)
    }

    private static func uptime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
