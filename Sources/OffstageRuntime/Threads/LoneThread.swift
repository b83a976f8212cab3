// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Synchronization

/// A thread for one piece of work that may hang in the kernel, such as on an unresponsive mount. It is never joined.
package enum LoneThread {
    /// The number of such threads. Without a limit, hanging ones would accumulate with every request.
    private static let count = Atomic<Int>(0)

    /// Runs `body` on its own thread.
    ///
    /// - Parameters:
    ///   - loop: the loop of the caller that waits for it; in virtual time the loop does the work itself, in a later
    ///     turn.
    ///   - body: the work.
    /// - Returns: false if no thread can be started, or there are too many.
    package static func start(for loop: EventLoop, _ body: @escaping @Sendable () -> Void) -> Bool {
        if loop.clock.isVirtual {
            loop.post(body)
            return true
        }
        guard count.add(1, ordering: .relaxed).newValue <= SocketBudget().loneThreads else {
            count.subtract(1, ordering: .relaxed)
            return false
        }
        do throws(SystemThread.Refusal) {
            _ = try SystemThread("lone") {
                body()
                count.subtract(1, ordering: .relaxed)
            }
            return true
        } catch {
            count.subtract(1, ordering: .relaxed)
            return false
        }
    }
}
