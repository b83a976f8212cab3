// SPDX-License-Identifier: Apache-2.0

/// A failed sync of a download's partial file, and its consequences for the transfer.
///
/// The system may have dropped data that it had accepted, and it reports this only once: the next sync of the same file
/// succeeds. As after a power loss, only bytes covered by an earlier sync count, and the rest is fetched again.
package struct FailedSync: Sendable {
    private let failure: TransferFailure

    /// Seconds until the rest is fetched again, if the failure may be temporary.
    private static let backoff = Backoff(first: 1, longest: 32)

    /// - Parameter failure: why the sync failed, for people.
    package init(_ failure: TransferFailure) { self.failure = failure }

    /// Records that the bytes are no longer trusted, whatever the transfer's state. A running attempt is ended by
    /// `AttemptEvent.unsynced`, and a save by `endSaving`.
    ///
    /// - Parameter transfer: the transfer whose file it is.
    /// - Returns: the actions to carry out.
    package func record(in transfer: inout Transfer) -> [TransferAction] {
        guard transfer.outcome?.isSuccess != true else { return [] }
        transfer.partial?.distrust()
        return []
    }

    /// Ends the saving of a file that had seemed complete: a failure that may be temporary leads to another attempt for
    /// the rest, unless this happens too often.
    ///
    /// - Parameters:
    ///   - transfer: the transfer that is being saved.
    ///   - now: the time.
    /// - Returns: the actions to carry out.
    package func endSaving(of transfer: inout Transfer, now: Moment) -> [TransferAction] {
        guard case .saving(let answer, _) = transfer.state else { return [] }
        transfer.partial?.distrust()
        transfer.bytesDone = transfer.partial?.kept(of: transfer.bytesDone) ?? 0
        transfer.past.failed(failure, reached: transfer.bytesDone)
        guard failure.retryClass == .connection, transfer.past.fruitless < Transfer.mostLosses else {
            return transfer.finish(.failed(failure, answer), now: now)
        }
        let seconds = Self.backoff.delay(after: transfer.past.fruitless)
        return transfer.waitToRetry(after: failure, seconds: seconds, now: now)
    }
}
