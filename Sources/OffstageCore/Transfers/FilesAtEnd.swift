// SPDX-License-Identifier: Apache-2.0

/// Decides what happens to the files of a transfer that ends.
///
/// `retry` continues a partial file, and another task continues the data that a session's task has left. Anything that
/// cannot be continued is deleted.
struct FilesAtEnd {
    /// The actions for the files on this machine, in order.
    let actions: [TransferAction]
    /// Whether a partial file stays in its place, for `retry`; `forget` deletes it.
    let keepsPartialFile: Bool
    /// The part of a session's upload that the server keeps, for its app; nil if nothing is handed over.
    let keptUpload: UploadResumeData?

    /// - Parameters:
    ///   - transfer: the transfer that ends.
    ///   - outcome: how it ends.
    ///   - isLeftToApp: whether a session's task leaves its data to its app, for another task. A failed task always
    ///     does: it cannot be retried.
    init(of transfer: Transfer, after outcome: TransferOutcome, isLeftToApp: Bool) {
        let (spec, partial) = (transfer.spec, transfer.partial)
        var failure: TransferFailure?
        if case .failed(let reason, _) = outcome { failure = reason }
        let isWrong = failure?.code == .checksumMismatch
        // Bytes from another server are not part of the file that proved to be wrong.
        keepsPartialFile =
            failure != nil && !spec.isUpload && partial?.isContinuable == true
            && (!isWrong || partial?.isAdopted == true)
        let isLeft = isLeftToApp || failure != nil
        keptUpload = isLeft ? UploadResumeData(keptOf: transfer) : nil
        var actions: [TransferAction] = []
        if isLeft, transfer.isResumable, !isWrong { actions.append(.keepPartialFile) }
        if !spec.isUpload, !outcome.isSuccess, !keepsPartialFile || spec.sessionTask != nil {
            actions.append(.deletePartialFile)
        }
        if spec.sources.contains(where: \.isSnapshot), outcome.isSuccess || outcome.isCancelled {
            actions.append(.deleteSnapshot)
        }
        self.actions = actions
    }
}

extension Transfer {
    /// Whether another download can continue a session's download, by Apple's conditions.
    fileprivate var isResumable: Bool {
        guard spec.sessionTask != nil, !spec.isUpload, spec.method == "GET", let partial else { return false }
        return partial.validator != nil && !partial.serverIgnoresRanges && partial.kept(of: .max) > 0
    }
}

extension UploadResumeData {
    /// The part of a session's upload that the server keeps; nil if it keeps nothing. A file that was made only for the
    /// task is deleted with it.
    fileprivate init?(keptOf transfer: Transfer) {
        guard transfer.spec.sessionTask != nil, transfer.isKeptByServer, let memory = transfer.dialectMemory,
            case .upload(let source) = transfer.spec.direction, !source.isSnapshot
        else { return nil }
        self.init(of: transfer.spec, path: source.path, memory: memory)
    }
}
