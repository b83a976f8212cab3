// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Synchronization

/// A thread for one piece of work that may hang in the kernel, such as on a mount that does not answer. Nobody joins
/// it.
package enum LoneThread {
    /// The number of such threads. Without a limit, hanging ones would accumulate with every request.
    private static let count = Atomic<Int>(0)

    /// Runs `body` on a thread of its own.
    ///
    /// - Parameters:
    ///   - loop: of whoever waits for it; one in virtual time does it itself, in a later turn.
    ///   - body: the work.
    /// - Returns: false when there can be no thread, or there are too many.
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
