// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import Synchronization

/// A thread with a small stack that runs one piece of work to its end.
///
/// All threads of the daemon are started here. Each has a name and an alternate stack for the mark of a crash, and
/// receives no signals except those of a trap: other signals belong to the loop, and none may interrupt a commit.
package final class SystemThread: Sendable {
    /// The system allows no more threads.
    package struct Refusal: Error, Sendable {
        /// The `errno` of `pthread_create`.
        package let code: Int32
    }

    private final class Work {
        let name: String
        let body: () -> Void

        init(name: String, body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// The thread until it has been joined.
    private let thread: Mutex<pthread_t?>

    /// Bytes of stack. libcurl, OpenSSL and SQLite need far less than the default of 8 MiB.
    private static let stackSize = 512 << 10

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: its name in the mark of a crash, up to 15 bytes.
    ///   - body: its work. Only this thread uses the values that the closure captures.
    /// - Throws: `Refusal` when the system allows no more threads.
    package init(_ name: String, _ body: sending @escaping () -> Void) throws(Refusal) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, Self.stackSize)
        let work = Unmanaged.passRetained(Work(name: name, body: body))
        var thread = pthread_t()
        let code = pthread_create(&thread, &attributes, Self.entry, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw Refusal(code: code)
        }
        self.thread = Mutex(thread)
    }

    deinit {
        // Without a join, the thread itself must free its stack.
        thread.withLock { thread in
            if let thread { pthread_detach(thread) }
        }
    }

    /// Waits until the work has ended. Of several calls at the same time, only the first waits.
    package func join() { join(within: nil) }

    /// Waits until the work has ended, but no longer than that many seconds; nil for no limit.
    ///
    /// - Returns: false if the work continues. Another call may wait again.
    @discardableResult
    package func join(within seconds: Double?) -> Bool {
        let taken = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let taken else { return true }
        guard let seconds else { return pthread_join(taken, nil) == 0 }
        guard offstage_join_within(taken, Int32(nearest: max(0, seconds) * 1000)) != 0 else { return true }
        thread.withLock { $0 = taken }
        return false
    }

    private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
        guard let argument else { return nil }
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        // Unblocks the signals of a trap: blocked, they would end the process without a mark.
        offstage_crash_thread(work.name)
        work.body()
        return nil
    }
}
