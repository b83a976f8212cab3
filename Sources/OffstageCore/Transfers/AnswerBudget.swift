// SPDX-License-Identifier: Apache-2.0

/// Limits for the answers to uploads that are kept on disk: the servers decide how long they are.
package enum AnswerBudget {
    /// Bytes of one answer's body.
    package static let perAnswer: Int64 = 64 << 20
    /// Bytes of all bodies kept for one app.
    package static let perOwner: Int64 = 512 << 20

    package enum Verdict: Sendable, Equatable {
        case keep
        /// This answer is too long.
        case tooLong
        /// The app has left too many answers uncollected.
        case tooMuchKept
    }

    /// Decides whether to keep the next piece of a body.
    ///
    /// - Parameters:
    ///   - answer: bytes of the body, including that piece.
    ///   - owner: bytes of all the app's bodies, including that piece.
    ///   - limit: the most bytes of all the app's bodies.
    /// - Returns: whether the piece is kept.
    package static func verdict(answer: Int64, owner: Int64, limit: Int64 = perOwner) -> Verdict {
        if answer > perAnswer { return .tooLong }
        return owner > limit ? .tooMuchKept : .keep
    }
}
