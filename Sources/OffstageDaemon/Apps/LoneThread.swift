// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import Synchronization

/// A thread for one piece of work that may hang in the kernel, on a mount that does not answer: nobody joins it.
enum LoneThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// How many there are: those that hang would else become more with every request.
    private static let count = Atomic<Int>(0)

    /// Runs `body` on a thread of its own; false when there can be none, or there are too many.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= SocketBudget().loneThreads else {
            count.subtract(1, ordering: .relaxed)
            return false
        }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, 512 << 10)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let work = Unmanaged.passRetained(
            Work {
                body()
                count.subtract(1, ordering: .relaxed)
            }
        )
        let status = pthread_create(
            &thread,
            &attributes,
            { context in
                offstage_crash_thread("lone")
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            },
            work.toOpaque()
        )
        if status != 0 {
            work.release()
            count.subtract(1, ordering: .relaxed)
        }
        return status == 0
    }
}
