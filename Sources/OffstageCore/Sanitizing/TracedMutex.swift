// SPDX-License-Identifier: Apache-2.0
#if OFFSTAGE_THREAD_SANITIZER
    import Glibc

    /// Stands in for `Synchronization.Mutex` under the thread sanitizer (`scripts/sanitize`).
    ///
    /// The toolchain's mutex hands over the lock in code that was not built for the sanitizer, which then reports every
    /// access after a contended lock. This one uses pthread's mutex, which the sanitizer knows.
    ///
    /// Unchecked: the value is only touched with the lock held.
    package final class TracedMutex<Value>: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        /// Padded, since a value of zero size would be located at the object's header, which the runtime reads at any
        /// time.
        private var held: (value: Value, padding: UInt8)

        package init(_ value: consuming sending Value) {
            held = (value, 0)
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        package func withLock<Result, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&held.value)
        }
    }
#endif
