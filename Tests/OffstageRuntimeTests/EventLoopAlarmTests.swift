// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageRuntime
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
            // Another owner's time is unchanged.
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

    @Test func `time that runs ahead takes the alarms along, and the clock`() throws {
        let loop = try EventLoop()
        let clock = SystemClock(lead: loop.lead)
        let rung = Monitor<[String]>([])
        let (first, second, wall) = (loop.makeAlarm(), loop.makeAlarm(), loop.makeAlarm())
        let begin = clock.now()
        loop.onAlarm(first) { rung.withLock { $0.append("first") } }
        loop.onAlarm(wall) { rung.withLock { $0.append("wall") } }
        loop.onAlarm(second) {
            rung.withLock { $0.append("second") }
            loop.stop()
        }
        loop.setAlarm(first, uptime: begin.uptime + 3600)
        loop.setAlarm(wall, uptime: nil, wall: begin.wall.timeIntervalSince1970 + 7200)
        loop.setAlarm(second, uptime: begin.uptime + 86_400.05)
        loop.post {
            loop.advance(by: 3601)
            #expect(rung.withLock { $0 } == ["first"])
            loop.advance(by: 3600)
            loop.advance(by: 79_199)
            #expect(loop.nextAlarm().map { $0 < 0.06 } == true)
        }
        loop.run()
        #expect(rung.withLock { $0 } == ["first", "wall", "second"])
        #expect(clock.now().seconds(since: begin) >= 86_400.05)
        #expect(Self.uptime() - begin.uptime < 60)
    }

    @Test(arguments: [0, 1_700_000_000, 4_000_000_001, 9e12])
    func `a distant time is looked at again in a year, whatever the clock shows`(now: Double) {
        let distant = EventLoop.expiry(of: now + 1e10, now: now)
        #expect(distant.seconds == Int64(now) + 365 * 86_400)
        let near = EventLoop.expiry(of: now + 5, now: now)
        #expect(near.seconds == Int64(now) + 5)
        #expect(near.nanoseconds == 1)
    }

    @Test func `no time is one that the kernel refuses, or that disarms the timer`() {
        let last = EventLoop.expiry(of: 5.999_999_999_9, now: 0)
        #expect(last.seconds == 5)
        #expect(last.nanoseconds == 999_999_999)
        let times: [Double] = [-.infinity, -5, 0, 0.5, .infinity, .nan, .greatestFiniteMagnitude]
        for time in times {
            for now in [-1e300] + times {
                let (seconds, nanoseconds) = EventLoop.expiry(of: time, now: now)
                #expect(seconds >= 0, "\(time) at \(now)")
                #expect((1..<1_000_000_000).contains(nanoseconds), "\(time) at \(now)")
            }
        }
    }

    private static func uptime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
