// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageRuntime
import OffstageTestSupport
import Testing

@Suite struct `The turns of the loop` {
    @Test func `a descriptor has its turn before all that was there has run, and the rest runs in order`() throws {
        let loop = try EventLoop()
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for descriptor in ends { close(descriptor) } }
        let (ran, ranBefore) = (Monitor<[Int]>([]), Monitor<Int?>(nil))
        let (input, count) = (ends[0], 100)
        var watch: EventLoop.Watch?
        watch = loop.watch(input, events: offstage_epoll_in) { _ in
            ranBefore.withLock { $0 = ran.withLock { $0.count } }
            if let watch { loop.unwatch(watch) }
        }
        try #require(watch != nil)
        for number in 0..<count {
            loop.post {
                // Busy for a millisecond, as when making a decision.
                let end = EventLoop.monotonic + 0.001
                while EventLoop.monotonic < end {}
                ran.withLock { $0.append(number) }
                if number == count - 1 { loop.stop() }
            }
        }
        #expect(write(ends[1], "x", 1) == 1)
        loop.run()
        #expect(try #require(ranBefore.withLock { $0 }) < count / 2)
        #expect(ran.withLock { $0 } == Array(0..<count))
    }
}
