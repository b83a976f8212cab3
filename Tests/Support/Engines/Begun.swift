// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport

/// Something that was begun on a stage's loop, and what has come of it so far.
package final class Begun<Value: Sendable>: Sendable {
    let outcome = Monitor<Result<Value, any Error>?>(nil)

    /// Whether it has returned, or thrown.
    package var hasEnded: Bool { outcome.withLock { $0 != nil } }

    /// What it returned; nil as long as it has not.
    ///
    /// - Throws: what it threw.
    package func value() throws -> Value? { try outcome.withLock { $0 }?.get() }
}
