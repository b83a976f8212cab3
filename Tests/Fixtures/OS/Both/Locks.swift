// SPDX-License-Identifier: Apache-2.0
// Locks as apps write them.
import Foundation
import os.lock

final class Counter: Sendable {
    private let count = OSAllocatedUnfairLock(initialState: 0)
    private let names = OSAllocatedUnfairLock<[String: Int]>(uncheckedState: [:])
    private let plain = OSAllocatedUnfairLock()

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func note(_ name: String) throws {
        names.withLock { $0[name, default: 0] += 1 }
        let taken = names.withLockIfAvailable { $0.count } ?? 0
        guard taken > 0 else { throw CocoaError(.fileNoSuchFile) }
        names.withLockUnchecked { $0.removeAll() }
    }

    func both() -> Bool {
        plain.lock()
        plain.precondition(.owner)
        plain.unlock()
        guard plain.lockIfAvailable() else { return false }
        defer { plain.unlock() }
        return true
    }

    func later() async -> Int { plain.withLock { 4 } + count.withLock { $0 } }
}

final class Protected<Value>: @unchecked Sendable {
    private let lock: os_unfair_lock_t
    private var value: Value

    init(_ value: Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        lock.initialize(to: os_unfair_lock())
    }

    deinit {
        lock.deinitialize(count: 1)
        lock.deallocate()
    }

    func read<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
        os_unfair_lock_lock(lock)
        defer { os_unfair_lock_unlock(lock) }
        return try body(value)
    }
}

final class Flag: @unchecked Sendable {
    private var lock = os_unfair_lock_s()
    private var isSet = false

    func set() -> Bool {
        guard os_unfair_lock_trylock(&lock) else { return false }
        defer { os_unfair_lock_unlock(&lock) }
        isSet = true
        return isSet
    }
}
