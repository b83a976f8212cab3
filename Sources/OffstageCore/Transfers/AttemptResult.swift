// SPDX-License-Identifier: Apache-2.0

/// How one attempt ended, as the engine reports it.
package enum AttemptResult: Sendable, Equatable {
    /// A complete response; the body has arrived whole, or the source was sent unchanged.
    case answered(Answer)
    /// No complete response.
    case failed(TransferFailure)
    /// The server wants something settled first; only for a session's task that does not handle challenges by default.
    case challenged(Challenge)
    /// The partial file does not belong to what the server has now.
    case mustBeginAgain(serverIgnoresRanges: Bool)
}
