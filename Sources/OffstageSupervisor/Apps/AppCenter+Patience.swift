// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime
import Synchronization

/// Work that may hang, such as looking at a path on a mount that does not answer: it holds up nobody else.
extension AppCenter {
    private final class Answer<Value: Sendable>: Sendable {
        private let value = Mutex<Value?>(nil)

        var taken: Value? { value.withLock { $0 } }
        func put(_ new: Value) { value.withLock { $0 = new } }
    }

    /// Runs `body` on a thread of its own.
    ///
    /// - Parameters:
    ///   - seconds: after which it is not waited for any more; nil for work that has a limit itself.
    ///   - body: what may block.
    /// - Returns: what it returns; nil when that took too long, or the daemon ends.
    func patiently<Value: Sendable>(
        within seconds: Double?,
        _ body: @escaping @Sendable () -> Value
    ) async -> Value? {
        let answer = Answer<Value>()
        let number = nextWork
        nextWork += 1
        worksUnderWay.insert(number)
        let hasStarted = LoneThread.start {
            answer.put(body())
            self.loop.post { self.assumeIsolated { $0.workHasEnded(number) } }
        }
        if hasStarted { await wait(.work(number), within: seconds) }
        // Late, or not begun.
        if worksUnderWay.contains(number) { workHasEnded(number) }
        return answer.taken
    }

    private func workHasEnded(_ number: UInt64) {
        worksUnderWay.remove(number)
        resume(true) { waiter in
            switch waiter.cause {
            case .work(number): true
            case .settled: isSettled
            case .ready, .work, .app, .launched: false
            }
        }
    }

    /// Seconds that a path or a process may take to be looked at.
    static let patience = 10.0
}
