// SPDX-License-Identifier: Apache-2.0
import OffstageRuntime
import OffstageTestSupport
import Testing

@Suite struct `A loop in virtual time` {
    private let clock = VirtualClock()
    private let loop: EventLoop
    private let told = Monitor<[String]>([])

    init() throws { loop = try EventLoop(clock: .virtual(clock)) }

    /// Whole seconds that have passed.
    private var seconds: Int { Int(clock.elapsed) }

    private func tell(_ text: String) { told.withLock { $0.append(text) } }

    @Test func `time passes to the next alarm once there is nothing to do, and no further`() throws {
        let (late, early) = (loop.makeAlarm(), loop.makeAlarm())
        let begin = clock.uptime
        loop.onAlarm(late) { tell("late \(seconds)") }
        loop.onAlarm(early) {
            tell("early \(seconds)")
            loop.post { tell("at once \(seconds)") }
        }
        loop.post {
            loop.setAlarm(late, uptime: begin + 86_400)
            loop.setAlarm(early, uptime: begin + 3600)
        }
        #expect(!loop.runVirtually { false })
        #expect(told.withLock { $0 } == ["early 3600", "at once 3600", "late 86400"])
    }

    @Test func `it is over as soon as somebody says so`() throws {
        let alarm = loop.makeAlarm()
        loop.onAlarm(alarm) { tell("rung") }
        loop.post { loop.setAlarm(alarm, uptime: clock.uptime + 5) }
        #expect(loop.runVirtually { clock.elapsed >= 5 })
        #expect(seconds == 5)
        #expect(told.withLock { $0 } == ["rung"])
    }

    @Test func `work that would be on another thread takes no time, and stays in order`() throws {
        let pool = WorkerPool(threads: 3, on: loop)
        let lone = WorkerPool(threads: 1, staying: 0, substitute: pool)
        loop.post {
            pool.submit { tell("first \(seconds)") }
            lone.submit { tell("second \(seconds)") }
            _ = LoneThread.start(for: loop) { tell("third \(seconds)") }
            loop.startTask { tell("fourth \(await pool.run { seconds })") }
            tell("posted")
        }
        _ = loop.runVirtually { false }
        #expect(told.withLock { $0 } == ["posted", "first 0", "second 0", "third 0", "fourth 0"])
        #expect(pool.hasThreads)
        #expect(pool.threadCount == 0)
        pool.shutDown()
    }

    @Test func `another loop goes on at the time at which the one before has stopped`() throws {
        loop.post {
            loop.startTask {
                await loop.sleep(seconds: 10)  // in virtual time
                loop.stop()
            }
        }
        #expect(loop.runVirtually { false })
        let next = try EventLoop(clock: .virtual(clock))
        #expect(Int(next.uptime) == 1010)
        #expect(Int(SystemClock(of: next).now().uptime) == 1010)
    }

    @Test func `those who still sleep at its end are woken`() throws {
        loop.post {
            loop.startTask {
                await loop.sleep(seconds: 10)  // in virtual time
                tell("woken \(seconds)")
            }
            loop.post { loop.stop() }
        }
        #expect(loop.runVirtually { false })
        loop.drain()
        #expect(told.withLock { $0 } == ["woken 0"])
    }
}
