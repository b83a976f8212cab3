// SPDX-License-Identifier: Apache-2.0
import OffstageRuntime
import OffstageTestSupport
import Testing

@Suite struct WorkerPoolTests {
    @Test func `threads come with the work, as many as there may be, and go when it has gone`() throws {
        let pool = WorkerPool(threads: 3, quietSeconds: 0)
        #expect(pool.threadCount == 1)
        let (begun, mayEnd) = (Monitor(0), Monitor(false))
        for _ in 0..<5 {
            pool.submit {
                begun.withLock { $0 += 1 }
                _ = mayEnd.wait(TimeLimit(seconds: 20)) { $0 ? true : nil }
            }
        }
        #expect(begun.wait(TimeLimit(seconds: 20)) { $0 == 3 ? true : nil } == true)
        #expect(pool.threadCount == 3)
        mayEnd.withLock { $0 = true }
        #expect(begun.wait(TimeLimit(seconds: 20)) { $0 == 5 ? true : nil } == true)
        try eventually("the others have ended") { pool.threadCount == 1 ? true : nil }
        pool.shutDown()
    }

    @Test
    func `with one thread, work is done in the order in which it was submitted, although the thread comes and goes`()
        throws
    {
        let pool = WorkerPool(threads: 1, staying: 0, quietSeconds: 0)
        let done = Monitor<[Int]>([])
        for number in 0..<200 {
            pool.submit { done.withLock { $0.append(number) } }
            // Sometimes the thread has ended before the next job arrives.
            if number % 50 == 0 { try eventually("it has ended") { pool.threadCount == 0 ? true : nil } }
        }
        pool.shutDown()
        #expect(done.withLock { $0 } == Array(0..<200))
    }

    @Test func `a pool that is shut down finishes what was submitted`() {
        let pool = WorkerPool(threads: 2, staying: 0)
        let count = Monitor(0)
        for _ in 0..<1000 { pool.submit { count.withLock { $0 += 1 } } }
        pool.shutDown()
        #expect(count.withLock { $0 } == 1000)
    }
}
