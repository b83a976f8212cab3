// SPDX-License-Identifier: Apache-2.0

/// Waits on the loop for events of an engine, each with a value for the callers that wait for it.
///
/// The condition is checked at the moment the wait is registered: a caller that checks first may be suspended before it gets
/// here, miss the event, and wait forever (decision 0050).
///
/// `@unchecked Sendable`: belongs to the loop, like every caller.
package final class Waiters<Key: Hashable, Value: Sendable>: @unchecked Sendable {
    private struct Waiter {
        /// When the wait times out, in seconds on the boot-time clock.
        var due: Double?
        var continuation: CheckedContinuation<Value, Never>
    }

    private var waiting: [Key: [Waiter]] = [:]

    package init() {}

    package var isEmpty: Bool { waiting.isEmpty }

    /// Waits until `resume` is called for the key.
    ///
    /// - Parameters:
    ///   - key: the event.
    ///   - due: when `resumeDue` ends the wait, in seconds on the boot-time clock; nil for never.
    ///   - answer: the value if the event has occurred already; nil to wait. Called once, before this suspends.
    /// - Returns: that value, or the one given to `resume`.
    package func wait(for key: Key, until due: Double? = nil, unless answer: () -> Value?) async -> Value {
        await withCheckedContinuation { continuation in
            if let value = answer() { return continuation.resume(returning: value) }
            waiting[key, default: []].append(Waiter(due: due, continuation: continuation))
        }
    }

    /// Waits, and does the work that may end the wait at once.
    ///
    /// - Parameters:
    ///   - key: the event.
    ///   - begin: called once, before this suspends; it may call `resume`.
    /// - Returns: the value given to `resume`.
    package func wait(for key: Key, afterwards begin: () -> Void) async -> Value {
        await withCheckedContinuation { continuation in
            waiting[key, default: []].append(Waiter(due: nil, continuation: continuation))
            begin()
        }
    }

    /// Ends all waits for the key.
    package func resume(_ key: Key, returning value: Value) {
        for waiter in waiting.removeValue(forKey: key) ?? [] { waiter.continuation.resume(returning: value) }
    }

    // MARK: Waits that end by themselves

    /// When the first wait times out. The cost grows with the number of waits.
    package var nextDue: Double? { waiting.values.joined().lazy.compactMap(\.due).min() }

    /// Ends the waits that have timed out.
    package func resumeDue(at now: Double, returning value: Value) {
        for (key, waiters) in waiting {
            let over = waiters.filter { $0.due.map { $0 <= now } ?? false }
            guard !over.isEmpty else { continue }
            let left = waiters.filter { $0.due.map { $0 > now } ?? true }
            waiting[key] = left.isEmpty ? nil : left
            for waiter in over { waiter.continuation.resume(returning: value) }
        }
    }
}

extension Waiters where Value == Void {
    /// Waits until `resume` is called for the key, if there is anything to wait for.
    package func wait(for key: Key, until due: Double? = nil, while isNeeded: () -> Bool) async {
        await wait(for: key, until: due) { isNeeded() ? nil : () }
    }

    package func resume(_ key: Key) { resume(key, returning: ()) }
}
