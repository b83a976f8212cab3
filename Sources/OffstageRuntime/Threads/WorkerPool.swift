// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A few threads for work that may block: opening, hashing, syncing. Work is taken in the order it was submitted.
///
/// `@unchecked Sendable`: `work` and `isShutDown` are guarded by `mutex`; `threads` is set once in `init`.
package final class WorkerPool: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var work: [@Sendable () -> Void] = []
    private var isShutDown = false
    private var threads: [SystemThread] = []

    package init(threads count: Int) {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        // Each holds the pool until it is shut down.
        for _ in 0..<count {
            if let thread = try? SystemThread("worker", { self.loop() }) { threads.append(thread) }
        }
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(condition)
        mutex.deallocate()
        condition.deallocate()
    }

    /// Whether there is any thread; without one nothing is ever done, so a daemon does not start.
    package var hasThreads: Bool { !threads.isEmpty }

    /// Runs `body` on one of the threads.
    package func submit(_ body: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        work.append(body)
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Runs `body` on one of the threads and returns what it returns.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            submit { continuation.resume(returning: body()) }
        }
    }

    /// Finishes what was submitted and joins the threads.
    package func shutDown() {
        pthread_mutex_lock(mutex)
        isShutDown = true
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
        for thread in threads { thread.join() }
    }

    private func loop() {
        while true {
            pthread_mutex_lock(mutex)
            while work.isEmpty, !isShutDown { pthread_cond_wait(condition, mutex) }
            let bodies = takeSome()
            pthread_mutex_unlock(mutex)
            if bodies.isEmpty { return }
            for body in bodies { body() }
        }
    }

    /// A share of a long backlog, so that small pieces of work do not each cost a wake-up.
    private func takeSome() -> [@Sendable () -> Void] {
        let count = max(min(work.count, 1), min(work.count / max(1, threads.count), 16))
        let some = Array(work.prefix(count))
        work.removeFirst(count)
        return some
    }
}
