// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
import OffstageRuntime
import Synchronization

/// Carries out attempts with libcurl on a dedicated thread. Every method may be called from any thread, and all except
/// `shutDown` return immediately.
package final class CurlEngine: Sendable {
    private let mailbox: CurlMailbox
    private let thread: Mutex<SystemThread?>
    /// Whether the thread failed to end in time: it is not waited for again.
    private let isGivenUp = Atomic<Bool>(false)

    /// Starts the engine's thread, which sleeps until it has something to do.
    ///
    /// - Parameters:
    ///   - quietTime: how long connections and memory are kept after the last attempt, in case another follows.
    ///   - deliver: receives the events of one turn of the engine's loop. It is called on the engine's thread, so it
    ///     must not block or call `shutDown`.
    /// - Throws: `EngineError` if the system provides no thread or descriptor.
    package init(
        quietTime: Duration = .seconds(30),
        deliver: @escaping @Sendable ([EngineEvent]) -> Void
    ) throws(EngineError) {
        let mailbox = try CurlMailbox()
        let epoll = try CurlLoop.makeEpoll(hearing: mailbox)
        self.mailbox = mailbox
        do throws(SystemThread.Refusal) {
            thread = Mutex(
                try SystemThread("engine") {
                    CurlLoop(mailbox: mailbox, epoll: epoll, quietTime: quietTime, deliver: deliver).run()
                }
            )
        } catch {
            close(epoll)
            throw .noThread(error.code)
        }
    }

    deinit {
        if !isGivenUp.load(ordering: .relaxed) { shutDown() }
    }

    /// Begins attempts. Every failure, even an immediate one, is reported as an `ended` event.
    package func start(_ requests: [EngineRequest]) {
        mailbox.post(requests.map { .start($0) })
    }

    /// Breaks a request off; `released` follows unless it has ended in the meantime.
    package func stop(_ key: RequestKey) {
        mailbox.post([.stop(key)])
    }

    /// Changes the bandwidth share of a running request; nil for no limit.
    package func setRateLimit(_ key: RequestKey, bytesPerSecond: Int64?) {
        mailbox.post([.setRateLimit(key, bytesPerSecond)])
    }

    /// Ends a download's request when it reaches this byte: at once if it has. `ended` follows with its answer.
    package func setEnd(_ key: RequestKey, _ end: Int64) {
        mailbox.post([.setEnd(key, end)])
    }

    package func ask() { mailbox.ask() }
    package var hasAnswered: Bool { mailbox.hasAnswered }

    /// Breaks off all attempts and waits until the engine's thread has ended; orders after this one are ignored.
    package func shutDown() { shutDown(within: nil) }

    @discardableResult
    package func shutDown(within seconds: Double?) -> Bool {
        guard let running = thread.withLock({ $0 }) else { return true }
        // Posting it twice does no harm.
        mailbox.post([.shutDown])
        guard running.join(within: seconds) else {
            isGivenUp.store(true, ordering: .relaxed)
            return false
        }
        thread.withLock { $0 = nil }
        return true
    }
}
