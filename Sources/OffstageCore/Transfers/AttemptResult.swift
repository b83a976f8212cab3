// SPDX-License-Identifier: Apache-2.0

/// How one attempt ended, as the engine reports it.
package enum AttemptResult: Sendable, Equatable {
    /// A complete response: the whole body was received, or the source was sent unchanged.
    case answered(Answer)
    /// No complete response.
    case failed(TransferFailure)
    /// The server sent a challenge; only for a session's task that does not handle challenges by default.
    case challenged(Challenge)
    /// The keeper has not kept the state on which the next request depends: it is unavailable, or it has refused.
    case withheld(isRefused: Bool)
    /// The partial file does not belong to the server's current content.
    case mustBeginAgain(serverIgnoresRanges: Bool)
}
