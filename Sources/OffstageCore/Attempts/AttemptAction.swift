// SPDX-License-Identifier: Apache-2.0

/// What has to be done after an event of an attempt, in order.
package enum AttemptAction: Sendable, Equatable {
    /// Let the transfer count as running from this byte on, and say so with `begun`.
    case begin(offset: Int64)
    /// Fetch the file from this byte on, in this lane.
    case fetch(lane: Int, offset: Int64)
    /// Send a request in its lane; its body begins at this byte of the file.
    case send(DialectRequest, offset: Int64)
    /// Break the request of a lane off: `released` or `ended` follows.
    case stop(lane: Int)
    /// Note what the dialect has to know again after a crash, with the transfer.
    case remember([UInt8]?)
    /// Note that the server has answered, and which bytes of the file it has; nil to leave those as they are.
    case acknowledge(Int64?)
    /// Commit the transfer as it stands, then say `committed`.
    case commit
    /// Let so many workers hash the span, if there are fewer.
    case hash(HashingSpan, workers: Int)
    /// Hash a span no longer: it is done, or not wanted any more.
    case stopHashing(span: Int)
    /// Get a token for an account; `rejecting` one that the server did not take.
    case authorize(account: String, rejecting: String?)
    /// Hand the result to the transfer, and say what comes of it with `save` or `dismiss`. An upload's file is at `madeAt`,
    /// where that is not where it was asked to be.
    case conclude(AttemptResult, reached: Int64, madeAt: String?)
    /// Close the file: nothing uses it any more.
    case closeFile
    /// The attempt is over.
    case forget
    /// Nothing stands in the transfer's way any more: it was waiting for the end of this attempt, which was broken off.
    case goOn
}
