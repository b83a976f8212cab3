// SPDX-License-Identifier: Apache-2.0

/// How a transfer ended.
package enum TransferOutcome: Sendable, Equatable, Codable {
    /// A complete HTTP response; for a download, also a complete file in its place.
    case completed(Answer)
    /// Given up; the answer is present if a response is the reason.
    case failed(TransferFailure, Answer?)
    case cancelled
    /// Cancelled because the person quit the app whose task it was.
    case cancelledByQuit
    /// Ended on this machine without notifying its server: another machine continues there.
    case released

    package var answer: Answer? {
        switch self {
        case .completed(let answer): answer
        case .failed(_, let answer): answer
        case .cancelled, .cancelledByQuit, .released: nil
        }
    }

    /// The decisive status: the answer's, or the one that a dialect has turned into a sentence.
    package var status: Int? {
        if case .failed(let failure, nil) = self, failure.code == .httpStatus { return failure.status }
        return answer?.status
    }

    package var isCancelled: Bool { self == .cancelled || self == .cancelledByQuit || self == .released }

    package var isSuccess: Bool {
        if case .completed = self { true } else { false }
    }
}
