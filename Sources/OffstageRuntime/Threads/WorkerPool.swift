// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A few threads for work that may block: opening, hashing, syncing. Work is begun in the order in which it was
/// submitted.
///
/// A thread is started when there is more work than the existing ones can do. It ends after a while without work,
/// unless it is one that stays. So an idle daemon has few threads, and a busy one as many as it may.
///
/// `@unchecked Sendable`: `mutex` guards everything that changes.
package final class WorkerPool: @unchecked Sendable {
    package typealias Work = @Sendable () -> Void

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let most: Int
    private let staying: Int
    private let substitute: WorkerPool?
    /// In virtual time, this loop does all of the work itself, in later turns; nil if threads do it.
    private let virtualLoop: EventLoop?
    private let quietSeconds: Int
    private let atOnce: Int
    private var work: [Work] = []
    private var isShutDown = false
    private var threads: [UInt64: SystemThread] = [:]
    private var nextThread: UInt64 = 1
    /// Threads that exist or are being started, and how many of them wait for work.
    private var count = 0
    private var waiting = 0

    /// - Parameters:
    ///   - most: the maximum number of threads. With one, each piece of work ends before the next begins.
    ///   - staying: how many of them are started at once and never end before `shutDown`.
    ///   - atOnce: how many pieces of a long backlog a thread takes together, if none of them is expected to hang.
    ///   - substitute: does the work if no thread stays and the system allows none.
    ///   - loop: the loop of the submitters. In virtual time it does the work itself, so no time passes meanwhile. If
    ///     nil, the substitute's loop.
    ///   - quietSeconds: how long the other threads wait for work before they end.
    package init(
        threads most: Int,
        staying: Int = 1,
        atOnce: Int = 16,
        substitute: WorkerPool? = nil,
        on loop: EventLoop? = nil,
        quietSeconds: Int = 10
    ) {
        let virtualLoop = loop.flatMap { $0.clock.isVirtual ? $0 : nil } ?? substitute?.virtualLoop
        self.most = most
        self.staying = virtualLoop == nil ? min(staying, most) : 0
        self.substitute = substitute
        self.virtualLoop = virtualLoop
        self.quietSeconds = quietSeconds
        self.atOnce = atOnce
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        for _ in 0..<self.staying {
            count += 1
            startThread()
        }
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(condition)
        mutex.deallocate()
        condition.deallocate()
    }

    /// Whether at least one of the staying threads could be started. Without one, work might never be done, so the
    /// daemon does not start.
    package var hasThreads: Bool { staying == 0 || threadCount > 0 }

    /// The number of threads.
    package var threadCount: Int { locked { count } }

    /// Runs `body` on one of the threads.
    package func submit(_ body: @escaping Work) {
        if let virtualLoop { return virtualLoop.post(body) }
        let mustStart = locked {
            work.append(body)
            guard waiting < work.count, count < most, !isShutDown else {
                pthread_cond_signal(condition)
                return false
            }
            count += 1
            return true
        }
        if mustStart { startThread() }
    }

    /// Runs `body` on one of the threads and returns its result.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            submit { continuation.resume(returning: body()) }
        }
    }

    /// Finishes the submitted work and joins the threads.
    ///
    /// - Parameter seconds: how long to wait for each thread; nil for as long as it takes.
    package func shutDown(within seconds: Double? = nil) {
        let threads = locked {
            isShutDown = true
            pthread_cond_broadcast(condition)
            return Array(self.threads.values)
        }
        for thread in threads { thread.join(within: seconds) }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    // MARK: Threads

    /// Starts a thread that has already been counted.
    private func startThread() {
        pthread_mutex_lock(mutex)
        let number = nextThread
        nextThread += 1
        // The new thread waits for the lock, so that it is registered before it can end.
        let thread = try? SystemThread("worker") { self.loop(number) }
        threads[number] = thread
        let abandoned = thread == nil ? threadIsMissing() : []
        pthread_mutex_unlock(mutex)
        for body in abandoned { substitute?.submit(body) }
    }

    /// Called when the system allows no thread: the existing ones do the work, or the substitute does.
    private func threadIsMissing() -> [Work] {
        count -= 1
        guard count == 0, substitute != nil else { return [] }
        defer { work = [] }
        return work
    }

    private func loop(_ number: UInt64) {
        while let bodies = nextWork(number) {
            for body in bodies { body() }
        }
    }

    /// Waits for work; nil if the thread should end.
    private func nextWork(_ number: UInt64) -> [Work]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var due = timespec()
        clock_gettime(CLOCK_MONOTONIC, &due)
        due.tv_sec += quietSeconds
        while work.isEmpty, !isShutDown {
            waiting += 1
            defer { waiting -= 1 }
            if count <= staying {
                pthread_cond_wait(condition, mutex)
            } else if pthread_cond_timedwait(condition, mutex, &due) == ETIMEDOUT, work.isEmpty, count > staying {
                count -= 1
                threads[number] = nil
                return nil
            }
        }
        return work.isEmpty ? nil : takeSome()
    }

    /// A share of a long backlog, so that small pieces of work do not each cost a wake-up.
    private func takeSome() -> [Work] {
        let share = max(min(work.count, 1), min(work.count / max(1, most), atOnce))
        let some = Array(work.prefix(share))
        work.removeFirst(share)
        return some
    }
}
