// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// A thread that runs one piece of work and is never joined, in a program other than the daemon.
package enum DetachedThread {
    private final class Work {
        let name: String
        let blocksSignals: Bool
        let body: () -> Void

        init(_ name: String, _ blocksSignals: Bool, _ body: @escaping () -> Void) {
            (self.name, self.blocksSignals, self.body) = (name, blocksSignals, body)
        }
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: the thread's name for `ps` and debuggers, up to 15 bytes.
    ///   - stackSize: the size of the stack, in bytes; nil for the system's default, which a thread that runs an app's
    ///     code needs.
    ///   - blocksSignals: whether signals go to the program's other threads.
    ///   - body: the thread's work. Only this thread uses the values that the closure captures.
    /// - Returns: whether the thread was started: the system may not allow more threads.
    package static func start(
        _ name: String,
        stackSize: Int? = nil,
        blocksSignals: Bool = false,
        _ body: sending @escaping () -> Void
    ) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let work = Unmanaged.passRetained(Work(name, blocksSignals, body))
        var thread = pthread_t()
        let code = pthread_create(&thread, &attributes, entry, work.toOpaque())
        if code != 0 { work.release() }
        return code == 0
    }

    private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
        guard let argument else { return nil }
        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        if work.blocksSignals {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
        }
        offstage_name_thread(work.name)
        work.body()
        return nil
    }
}
