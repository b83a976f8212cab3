// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageClient
import Synchronization

/// Runs work that may wait for a disk, a name server or a daemon, on threads that end with it. The loop continues
/// meanwhile, and is notified of the result.
///
/// Belongs to the loop's thread, apart from `post`.
final class SideThreads {
    /// A value that one thread passes to another.
    private struct Handed: @unchecked Sendable {
        // Once in the mailbox, only the thread that takes it out uses it.
        let value: Any
    }

    private final class Mailbox: Sendable {
        let descriptor = offstage_eventfd()
        private let results = Mutex<[(number: Int, value: Handed)]>([])

        deinit { close(descriptor) }

        func post(_ value: Handed, _ number: Int) {
            results.withLock { $0.append((number, value)) }
            var one: UInt64 = 1
            _ = write(descriptor, &one, 8)
        }

        func removeAll() -> [(number: Int, value: Handed)] {
            var count: UInt64 = 0
            _ = read(descriptor, &count, 8)
            return results.withLock { results in
                defer { results = [] }
                return results
            }
        }
    }

    private let mailbox = Mailbox()
    private var waiting: [Int: (Any) -> Void] = [:]
    private var lastNumber = 0

    /// Bytes of stack: libpq and OpenSSL need some.
    private static let stackSize = 512 << 10

    /// Becomes readable once there is a result.
    var descriptor: Int32 { mailbox.descriptor }

    /// Runs work on a new thread.
    ///
    /// - Parameters:
    ///   - work: a function that uses only the values it captures.
    ///   - then: receives the result on the loop's thread; nil if the system allows no more threads.
    func run<Result>(_ work: @escaping @Sendable () -> Result, then: @escaping (Result?) -> Void) {
        lastNumber += 1
        let (number, mailbox) = (lastNumber, mailbox)
        waiting[number] = { then($0 as? Result) }
        let isStarted = DetachedThread.start("offstage-side", stackSize: Self.stackSize, blocksSignals: true) {
            mailbox.post(Handed(value: work()), number)
        }
        guard !isStarted else { return }
        waiting[number] = nil
        then(nil)
    }

    /// Delivers results to the waiting callers.
    func deliver() {
        for (number, value) in mailbox.removeAll() { waiting.removeValue(forKey: number)?(value.value) }
    }
}
