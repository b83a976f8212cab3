// SPDX-License-Identifier: Apache-2.0
import COffstageUnfairLock

/// A lock with the state that it guards, as Apple's `OSAllocatedUnfairLock`. Copies are the same lock.
///
/// A thread that locks it while it holds it, or unlocks it while it does not, ends the process with a sentence on standard
/// error.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    // The state is touched only by the thread that holds the lock.

    /// Who holds a lock.
    public enum Ownership: Sendable, Hashable {
        /// The thread that asks.
        case owner
        /// Another thread, or none.
        case notOwner
    }

    private final class Storage {
        /// In a place of its own that does not move.
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

    /// - Parameter initialState: may be of a type that is not Sendable; it is then the caller's affair that nobody else has it.
    public init(uncheckedState initialState: State) { storage = Storage(initialState) }

    /// Runs `body` with the state while the lock is held; waits for the lock.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: what `body` returns, of any type.
    /// - Throws: what `body` throws.
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        take()
        defer { giveBack() }
        return try body(&storage.state)
    }

    /// Runs `body` with the state while the lock is held; waits for the lock.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }

    /// Runs `body` with the state if the lock is free.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: what `body` returns, of any type; nil when the lock was not free.
    /// - Throws: what `body` throws.
    public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
        guard takeIfFree() else { return nil }
        defer { giveBack() }
        return try body(&storage.state)
    }

    /// Runs `body` with the state if the lock is free.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: what `body` returns; nil when the lock was not free.
    /// - Throws: what `body` throws.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked(body)
    }

    /// Ends the process, with a sentence on standard error, unless this thread is what `condition` says.
    public func precondition(_ condition: Ownership) {
        switch condition {
        case .owner: os_unfair_lock_assert_owner(storage.lock)
        case .notOwner: os_unfair_lock_assert_not_owner(storage.lock)
        }
    }

    // The functions of C are not for async functions, in which a thread may change between the two.
    fileprivate func take() { os_unfair_lock_lock(storage.lock) }
    fileprivate func takeIfFree() -> Bool { os_unfair_lock_trylock(storage.lock) }
    fileprivate func giveBack() { os_unfair_lock_unlock(storage.lock) }
}

extension OSAllocatedUnfairLock where State: Sendable {
    /// - Parameter initialState: what the lock guards.
    public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
    /// A lock that guards something else.
    public init() { self.init(uncheckedState: ()) }

    /// Runs `body` while the lock is held; waits for the lock.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: what `body` returns, of any type.
    /// - Throws: what `body` throws.
    public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
        take()
        defer { giveBack() }
        return try body()
    }

    /// Runs `body` while the lock is held; waits for the lock.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }

    /// Runs `body` if the lock is free.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: what `body` returns, of any type; nil when the lock was not free.
    /// - Throws: what `body` throws.
    public func withLockIfAvailableUnchecked<R>(_ body: () throws -> R) rethrows -> R? {
        guard takeIfFree() else { return nil }
        defer { giveBack() }
        return try body()
    }

    /// Runs `body` if the lock is free.
    ///
    /// - Parameter body: must not wait for anything that needs the lock.
    /// - Returns: what `body` returns; nil when the lock was not free.
    /// - Throws: what `body` throws.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked(body)
    }

    /// Takes the lock; waits for it.
    @available(*, noasync, message: "Use withLock in async functions.")
    public func lock() { take() }

    /// Gives the lock back.
    @available(*, noasync, message: "Use withLock in async functions.")
    public func unlock() { giveBack() }

    /// Takes the lock if it is free.
    ///
    /// - Returns: whether it did.
    @available(*, noasync, message: "Use withLockIfAvailable in async functions.")
    public func lockIfAvailable() -> Bool { takeIfFree() }
}
