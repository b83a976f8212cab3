// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A value shared by threads, with a condition variable to wait for changes.
///
/// The fixtures' servers and processes run on plain threads, so that a test can simply block.
package final class Monitor<Value: Sendable>: @unchecked Sendable {
    // Guarded by `mutex`, which every access below locks.
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    package init(_ value: Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Changes the value and wakes the waiters.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
        return try body(&value)
    }

    /// Waits until `probe` finds something in the value; nil if the limit comes first.
    package func wait<Result>(_ limit: TimeLimit, until probe: (inout Value) throws -> Result?) rethrows -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let found = try probe(&value) { return found }
            var time = limit.timespec
            if pthread_cond_timedwait(changed, mutex, &time) == ETIMEDOUT { return try probe(&value) }
        }
    }
}
