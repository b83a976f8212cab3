// SPDX-License-Identifier: Apache-2.0
import COffstageUnfairLock

/// A lock with the state that it guards, like Apple's `OSAllocatedUnfairLock`. Copies share the same lock.
///
/// Terminates the process with a message on standard error if a thread locks it while already holding it, or unlocks it
/// without holding it.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    // The state is only accessed by the thread that holds the lock.

    /// Which thread holds a lock.
    public enum Ownership: Sendable, Hashable {
        /// The calling thread.
        case owner
        /// Another thread, or no thread.
        case notOwner
    }

    private final class Storage {
        /// Allocated separately, so its address does not change.
        let lock: os_unfair_lock_t
        var state: State

        init(_ state: State) {
            self.state = state
            lock = os_unfair_lock_t.allocate(capacity: 1)
            lock.initialize(to: os_unfair_lock_s())
        }

        deinit {
            lock.deinitialize(count: 1)
            lock.deallocate()
        }
    }

    private let storage: Storage

    /// - Parameter initialState: the state, whose type need not be Sendable. The caller must make sure that nothing
    ///   else accesses it.
    public init(uncheckedState initialState: State) { storage = Storage(initialState) }

    /// Runs `body` with the state while holding the lock; waits for the lock.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: the value that `body` returns, of any type.
    /// - Throws: any error that `body` throws.
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        acquire()
        defer { giveBack() }
        return try body(&storage.state)
    }

    /// Runs `body` with the state while holding the lock; waits for the lock.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: the value that `body` returns.
    /// - Throws: any error that `body` throws.
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }

    /// Runs `body` with the state if the lock is free.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: the value that `body` returns, of any type; nil if the lock was not free.
    /// - Throws: any error that `body` throws.
    public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
        guard acquireIfFree() else { return nil }
        defer { giveBack() }
        return try body(&storage.state)
    }

    /// Runs `body` with the state if the lock is free.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: the value that `body` returns; nil if the lock was not free.
    /// - Throws: any error that `body` throws.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked(body)
    }

    /// Terminates the process with a message on standard error unless `condition` is true of the calling thread.
    public func precondition(_ condition: Ownership) {
        switch condition {
        case .owner: os_unfair_lock_assert_owner(storage.lock)
        case .notOwner: os_unfair_lock_assert_not_owner(storage.lock)
        }
    }

    // The C functions are unavailable in async functions, where the thread may change between the two calls.
    fileprivate func acquire() { os_unfair_lock_lock(storage.lock) }
    fileprivate func acquireIfFree() -> Bool { os_unfair_lock_trylock(storage.lock) }
    fileprivate func giveBack() { os_unfair_lock_unlock(storage.lock) }
}

extension OSAllocatedUnfairLock where State: Sendable {
    /// - Parameter initialState: the state that the lock guards.
    public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
    /// Creates a lock without state, which guards something else.
    public init() { self.init(uncheckedState: ()) }

    /// Runs `body` while holding the lock; waits for the lock.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: the value that `body` returns, of any type.
    /// - Throws: any error that `body` throws.
    public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
        acquire()
        defer { giveBack() }
        return try body()
    }

    /// Runs `body` while holding the lock; waits for the lock.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: the value that `body` returns.
    /// - Throws: any error that `body` throws.
    public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }

    /// Runs `body` if the lock is free.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: the value that `body` returns, of any type; nil if the lock was not free.
    /// - Throws: any error that `body` throws.
    public func withLockIfAvailableUnchecked<R>(_ body: () throws -> R) rethrows -> R? {
        guard acquireIfFree() else { return nil }
        defer { giveBack() }
        return try body()
    }

    /// Runs `body` if the lock is free.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: the value that `body` returns; nil if the lock was not free.
    /// - Throws: any error that `body` throws.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked(body)
    }

    /// Acquires the lock; waits for it.
    @available(*, noasync, message: "Use withLock in async functions.")
    public func lock() { acquire() }

    /// Releases the lock.
    @available(*, noasync, message: "Use withLock in async functions.")
    public func unlock() { giveBack() }

    /// Acquires the lock if it is free.
    ///
    /// - Returns: whether the lock was acquired.
    @available(*, noasync, message: "Use withLockIfAvailable in async functions.")
    public func lockIfAvailable() -> Bool { acquireIfFree() }
}
