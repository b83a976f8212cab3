// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Messages for one thread, which sleeps until a message arrives and takes all of them at once.
///
/// Safe from any thread: `messages` and `isClosed` are only touched with the lock held.
package final class Mailbox<Message: Sendable>: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var messages: [Message] = []
    private var isClosed = false

    package init() {
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(arrival, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(arrival)
        pthread_mutex_destroy(lock)
        arrival.deallocate()
        lock.deallocate()
    }

    /// Leaves a message; false if it can no longer be taken.
    package func send(_ message: Message) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard !isClosed else { return false }
        messages.append(message)
        pthread_cond_signal(arrival)
        return true
    }

    /// Waits for messages and takes all of them; nil once the mailbox is closed and empty. With a number of seconds,
    /// the result is empty if no message arrives in that time.
    package func takeAll(within seconds: Int? = nil) -> [Message]? {
        var due = timespec()
        clock_gettime(CLOCK_MONOTONIC, &due)
        due.tv_sec += seconds ?? 0
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while messages.isEmpty {
            if isClosed { return nil }
            if seconds == nil {
                pthread_cond_wait(arrival, lock)
            } else if pthread_cond_timedwait(arrival, lock, &due) == ETIMEDOUT {
                break
            }
        }
        let taken = messages
        messages = []
        return taken
    }

    /// Stops accepting messages; those already left can still be taken.
    package func close() {
        pthread_mutex_lock(lock)
        isClosed = true
        pthread_cond_broadcast(arrival)
        pthread_mutex_unlock(lock)
    }
}
