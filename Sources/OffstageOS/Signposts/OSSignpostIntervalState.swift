// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization

/// The state of an interval that has begun, like Apple's `OSSignpostIntervalState`. From any thread.
public final class OSSignpostIntervalState: NSObject, Sendable {
    let signpostID: OSSignpostID
    /// When the interval began; nil if intervals are not written.
    let start: ContinuousClock.Instant?
    private let hasEnded = Atomic(false)

    init(_ signpostID: OSSignpostID, start: ContinuousClock.Instant?) {
        self.signpostID = signpostID
        self.start = start
    }

    /// Creates the state of an interval that was begun elsewhere.
    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState {
        OSSignpostIntervalState(id, start: nil)
    }

    /// Ends the interval; returns whether it had not ended before.
    func end() -> Bool { !hasEnded.exchange(true, ordering: .relaxed) }
}
