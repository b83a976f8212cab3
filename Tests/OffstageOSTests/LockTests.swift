// SPDX-License-Identifier: Apache-2.0
import OffstageOS
import OffstageTestSupport
import Testing

/// Locks, with threads that compete for them.
@Suite struct LockTests {
    @Test func `threads that count under a lock count right`() throws {
        let lock = OSAllocatedUnfairLock(initialState: 0)
        try inThreads(4) { for _ in 0..<50_000 { lock.withLock { $0 += 1 } } }
        #expect(lock.withLock { $0 } == 200_000)
    }

    @Test func `threads that count under a lock of C count right`() throws {
        let counter = Counter()
        try inThreads(4) { for _ in 0..<50_000 { counter.add() } }
        #expect(counter.count == 200_000)
    }

    @Test func `a lock that is held is not available, and its owner is known`() throws {
        let lock = OSAllocatedUnfairLock()
        #expect(lock.lockIfAvailable())
        lock.precondition(.owner)
        let seen = Monitor<[Bool]?>(nil)
        try TestThread.start {
            lock.precondition(.notOwner)
            let result = [lock.lockIfAvailable(), lock.withLockIfAvailable { true } ?? false]
            seen.withLock { $0 = result }
        }
        #expect(seen.wait(TimeLimit(seconds: 20)) { $0 } == [false, false])
        lock.unlock()
        lock.precondition(.notOwner)
        #expect(lock.withLockIfAvailable { true } == true)
    }

    @Test func `an error gives the lock back, and copies are one lock`() {
        struct Failure: Error {}
        let lock = OSAllocatedUnfairLock(uncheckedState: [1])
        let copy = lock
        #expect(throws: Failure.self) {
            try lock.withLockUnchecked { state in
                state.append(2)
                throw Failure()
            }
        }
        #expect(copy.withLockIfAvailable { $0 } == [1, 2])
    }

    private func inThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) throws {
        let finished = Monitor(0)
        for _ in 0..<count {
            try TestThread.start {
                body()
                finished.withLock { $0 += 1 }
            }
        }
        try #require(finished.wait(TimeLimit(seconds: 60)) { $0 == count ? true : nil } == true)
    }

    private final class Counter: @unchecked Sendable {
        private var lock = os_unfair_lock_s()
        private(set) var count = 0

        func add() {
            os_unfair_lock_lock(&lock)
            count += 1
            os_unfair_lock_unlock(&lock)
        }
    }
}
