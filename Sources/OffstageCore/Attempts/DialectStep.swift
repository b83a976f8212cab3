// SPDX-License-Identifier: Apache-2.0

/// A step that a dialect asks for.
package enum DialectStep: Sendable, Equatable {
    /// Sends a request in its lane, which must be free. The value of `memory` at this moment is committed first.
    case send(DialectRequest)
    /// Does nothing until one of the requests under way has been answered.
    case wait
    /// Computes the digests of blocks of the source (`digested`): 4 MiB each, counted from the start of the range. The
    /// dialect is asked again whenever some of them are ready.
    case digest(Range<Int64>)
    /// Computes one digest of a part of the source (`hashed`).
    case hash(SourceDigest)
    /// Gets a token, or a key that signs (`authorized`); `rejecting` is the text of one that the server did not accept.
    case authorize(CredentialSource, rejecting: String?)
    /// The transfer is over, and this is its answer.
    case finish(Answer)
    /// The attempt has failed.
    case fail(TransferFailure)
}
