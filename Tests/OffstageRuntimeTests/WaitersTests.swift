// SPDX-License-Identifier: Apache-2.0
import OffstageRuntime
import OffstageTestSupport
import Testing

@Suite struct `Those who wait` {
    private let loop: EventLoop
    private let waiters = Waiters<String, Int>()
    private let told = Monitor<[String]>([])

    init() throws { loop = try EventLoop(clock: .virtual(VirtualClock())) }

    private func wait(_ name: String, for key: String, until due: Double? = nil, answer: Int? = nil) {
        loop.startTask {
            let value = await waiters.wait(for: key, until: due) { answer }
            told.withLock { $0.append("\(name) \(value)") }
        }
    }

    /// Lets everything that has begun reach its wait or its end.
    private func settle() { _ = loop.runVirtually { false } }

    @Test func `an answer that is there already is no wait`() {
        wait("a", for: "x", answer: 7)
        settle()
        #expect(told.withLock { $0 } == ["a 7"])
        #expect(waiters.isEmpty)
    }

    @Test func `an event ends all waits for it in their order, and no other`() {
        for name in ["a", "b"] { wait(name, for: "x") }
        wait("c", for: "y")
        settle()
        loop.post { waiters.resume("x", returning: 1) }
        settle()
        #expect(told.withLock { $0 } == ["a 1", "b 1"])
        loop.post { waiters.resume("x", returning: 2) }
        loop.post { waiters.resume("y", returning: 3) }
        settle()
        #expect(told.withLock { $0 } == ["a 1", "b 1", "c 3"])
        #expect(waiters.isEmpty)
    }

    @Test func `what is begun afterwards may end the wait at once`() {
        loop.startTask {
            let value = await waiters.wait(for: "x", afterwards: { waiters.resume("x", returning: 5) })
            told.withLock { $0.append("\(value)") }
        }
        settle()
        #expect(told.withLock { $0 } == ["5"])
    }

    @Test func `waits with a time end at theirs`() {
        wait("early", for: "x", until: 10)
        wait("late", for: "x", until: 20)
        wait("never", for: "x")
        wait("other", for: "y", until: 10)
        settle()
        #expect(waiters.nextDue == 10)
        loop.post { waiters.resumeDue(at: 9.9, returning: 0) }
        settle()
        #expect(told.withLock { $0 } == [])
        loop.post { waiters.resumeDue(at: 10, returning: 0) }
        settle()
        #expect(Set(told.withLock { $0 }) == ["early 0", "other 0"])
        #expect(waiters.nextDue == 20)
        loop.post { waiters.resumeDue(at: 30, returning: 0) }
        settle()
        #expect(told.withLock { $0 }.last == "late 0")
        #expect(waiters.nextDue == nil)
        loop.post { waiters.resume("x", returning: 1) }
        settle()
        #expect(told.withLock { $0 }.last == "never 1")
    }
}
