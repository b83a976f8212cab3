// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import Synchronization

/// A thread with a small stack that runs one piece of work to its end.
final class WorkerThread: Sendable {
    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// The thread until it has been joined.
    private let thread: Mutex<pthread_t?>

    /// Starts the thread; nil when the system allows no more threads.
    ///
    /// - Parameter body: what it does. The thread is the only one that uses what is handed over with it.
    init?(_ body: sending @escaping () -> Void) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, 512 << 10)
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            &attributes,
            { argument in
                guard let argument else { return nil }
                // Signals are the daemon's loop's; none may interrupt a commit.
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_BLOCK, &all, nil)
                // But those of a trap: blocked, they would end the process without a mark.
                offstage_crash_thread("store")
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            },
            work.toOpaque()
        )
        guard result == 0 else {
            work.release()
            return nil
        }
        self.thread = Mutex(thread)
    }

    deinit {
        // A thread that nobody joins gives back its stack by itself.
        thread.withLock { thread in
            if let thread { pthread_detach(thread) }
        }
    }

    /// Waits for the work's end. Only the first call waits.
    func join() {
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread { pthread_join(thread, nil) }
    }
}
