// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport

/// Work that was started on a stage's loop, and its outcome so far.
package final class Begun<Value: Sendable>: Sendable {
    let outcome = Monitor<Result<Value, any Error>?>(nil)

    /// Whether it has returned or thrown.
    package var hasEnded: Bool { outcome.withLock { $0 != nil } }

    /// Its result; nil until it has returned.
    ///
    /// - Throws: the error that it threw.
    package func value() throws -> Value? { try outcome.withLock { $0 }?.get() }
}
