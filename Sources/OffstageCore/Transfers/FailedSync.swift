// SPDX-License-Identifier: Apache-2.0

/// A failed sync of a download's partial file, and what it means to the transfer.
///
/// The system may have dropped data that it had taken before, and it says so once: the next sync of the same file
/// succeeds. As after a power loss, only what an earlier sync covers counts, and the rest is fetched again.
package struct FailedSync: Sendable {
    private let failure: TransferFailure

    /// Seconds until the rest is fetched again, if the failure may pass.
    private static let backoff = Backoff(first: 1, longest: 32)

    /// - Parameter failure: why the sync failed, for people.
    package init(_ failure: TransferFailure) { self.failure = failure }

    /// Records that the bytes are not trusted any more, in whatever state the transfer is. An attempt that runs is
    /// ended by `AttemptEvent.unsynced`, and a save by `endSaving`.
    ///
    /// - Parameter transfer: the transfer whose file it is.
    /// - Returns: the actions to carry out.
    package func record(in transfer: inout Transfer) -> [TransferAction] {
        guard transfer.outcome?.isSuccess != true else { return [] }
        transfer.partial?.distrust()
        return []
    }

    /// Ends the saving of a file that was complete, as it seemed: a failure that may pass leads to another attempt for
    /// the rest, unless that happens too often.
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
