// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// An app's request in its journal: everything that must happen even if app and daemon die at the next instruction, in
/// the order of the app's requests.
package enum JournalEntry: Sendable, Equatable {
    /// A task was resumed for the first time. Its `owner` is the app, its `sessionTask` is set.
    case submit(TransferSpec)
    case act(SessionTaskKey, Verb)
    /// Cancels every task of a session (`invalidateAndCancel`).
    case cancelAll(session: String)
    case setPriority(SessionTaskKey, Double)
    case setDescription(SessionTaskKey, String?)
    /// The app's decision on a question about a transfer.
    case answer(TransferID, DelegateAnswer)
    /// `didFinishDownloadingTo` has returned: the file is deleted if it is still there.
    case fileTaken(TransferID)
    /// The delegate has received the end; its last call has returned.
    case acknowledge(TransferID)

    package enum Verb: String, Codable, Sendable, CaseIterable {
        /// The first `suspend()` of a nest, and the last `resume()`.
        case suspend, resume
        case cancel
        /// `cancel(byProducingResumeData:)`: the partial file is kept, and the end carries the resume data.
        case cancelProducingResumeData
    }
}

extension JournalEntry: Codable {}
