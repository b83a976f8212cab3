// SPDX-License-Identifier: Apache-2.0

/// An action to carry out after an event of an attempt. Actions keep their order.
package enum AttemptAction: Sendable, Equatable {
    /// Count the transfer as running from this byte on, and report that with `begun`.
    case begin(offset: Int64)
    /// Fetch the file from this byte on in this lane, with the dialect's request if there is one.
    case fetch(lane: Int, offset: Int64, with: DialectRequest? = nil)
    /// Commit that the partial file is about to get holes, then report `holesCommitted`.
    case commitHoles
    /// Fetch a piece of the file in this lane, with the dialect's request if there is one.
    case fetchPiece(lane: Int, Range<Int64>, with: DialectRequest? = nil)
    /// Fetch a piece of the file in this lane from an address other than the one in use.
    case fetchBeside(lane: Int, Range<Int64>, PieceBeside)
    /// Record why an address other than the one in use, given by its place in the list, gets no further requests.
    case leave(address: Int, TransferFailure)
    /// End the request of a lane at this byte: another request fetches the bytes that follow.
    case endAt(lane: Int, Int64)
    /// Send a request in its lane; its body begins at this byte of the file.
    case send(DialectRequest, offset: Int64)
    /// Break off the request of a lane: `released` or `ended` follows.
    case stop(lane: Int)
    /// Record with the transfer what the dialect must remember after a crash.
    case remember([UInt8]?)
    /// Record that the server has answered, and which bytes of the file it has; nil leaves those bytes as they are.
    case acknowledge(Int64?)
    /// Store the transfer as it is, and notify its keeper, if it has one; nothing waits for this.
    case store
    /// Commit the transfer as it is, have its keeper keep the memory if it has one, then report `committed` or `notKept`.
    case commit
    /// Have the transfer's keeper keep the memory, which is committed already, then report `committed` or `notKept`.
    case keep
    /// Have this many workers hash the span, if there are fewer.
    case hash(HashingSpan, workers: Int)
    /// Stop hashing a span: it is done, or no longer wanted.
    case stopHashing(span: Int)
    /// Get a token, or a key that signs; `rejecting` is the text of one that the server did not accept.
    case authorize(CredentialSource, rejecting: String?)
    /// Hand the result to the transfer, and report its decision with `save` or `dismiss`. `madeAt` is where an upload's
    /// file is, if not at the requested place.
    case conclude(AttemptResult, reached: Int64, madeAt: String?)
    /// Close the file, which is no longer in use.
    case closeFile
    /// The attempt is over.
    case forget
    /// Let the transfer continue: it was waiting for the end of this attempt, which was broken off.
    case goOn
}
