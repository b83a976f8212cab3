// SPDX-License-Identifier: Apache-2.0

/// What a dialect wants done.
package enum DialectStep: Sendable, Equatable {
    /// Sends a request in its lane, which must be free. What `memory` says at this moment is committed first.
    case send(DialectRequest)
    /// There is nothing to do before one of the requests under way has been answered.
    case wait
    /// Computes the digests of blocks of the source (`digested`): 4 MiB each, counted from where the range begins. Asked
    /// again whenever some of them are there.
    case digest(Range<Int64>)
    /// Gets a token for an account (`authorized`); `rejecting` one that the server did not take.
    case authorize(account: String, rejecting: String?)
    /// The transfer is over, and this is its answer.
    case finish(Answer)
    /// The attempt has failed.
    case fail(TransferFailure)
}
