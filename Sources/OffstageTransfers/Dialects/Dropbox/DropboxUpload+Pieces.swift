// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What the answers about a concurrent session mean.
extension DropboxUpload {
    /// Bytes of a concurrent session are stored.
    mutating func took(_ range: Range<Int64>, closing: Bool, seconds: Double) {
        notes.session?.took(range)
        if closing {
            mustClose = false
            if notes.session?.stage == .closing { notes.session?.stage = .closed }
        } else {
            patience.setbacks = 0
            if Int64(range.count) >= notes.chunk.current { notes.chunk.grow(after: seconds) }
        }
    }

    /// Dropbox has refused bytes for a concurrent session. They may be sent again at any time: after a lost answer they
    /// are, and what is there already is overwritten with the same.
    mutating func pieceRefused(_ range: Range<Int64>, closing: Bool, _ error: DropboxError) {
        switch error.kind {
        case .session(.closed) where closing:
            // The answer to an earlier call was lost, and whether all is there, the commit shows.
            took(range, closing: true, seconds: 0)
            setBack(error)
        case .session(.notFound) where notes.session?.stage == .committing:
            notes.session?.stage = .looking
            setBack(error)
        // Nothing of it can have been committed, since the commit was not requested.
        case .session(.notFound), .session(.closed): beginAgain(error)
        case .session(.incorrectOffset), .session(.concurrent), .session(.notClosed):
            // A server that has only sequential sessions, whatever it said as this one was opened.
            notes.isSequentialOnly = true
            leaveSession(error)
        case .contentHashMismatch:
            blocks.forget(range)
            setBack(error, cost: Patience.costOfSendingAgain)
        case .payloadTooLarge: send(less: Int64(range.count), error)
        case .session(.tooLarge):
            notes.session = nil
            fail(error)
        default: fail(error)
        }
    }

    /// Dropbox has refused to commit a concurrent session for a reason that only such a session has.
    ///
    /// - Returns: whether this was such a reason.
    mutating func concurrentCommitRefused(_ error: DropboxError) -> Bool {
        guard notes.session?.kind == .concurrent, case .session(let reason) = error.kind else { return false }
        switch reason {
        case .notClosed, .concurrent("concurrent_session_not_closed"):
            mustClose = true
            setBack(error)
        // It has lost bytes that it had acknowledged, or has bytes that were never sent.
        case .concurrent, .incorrectOffset: leaveSession(error)
        case .notFound, .closed, .tooLarge: return false
        }
        return true
    }

    /// Dropbox, or whatever answers in its place, has refused to open a session.
    mutating func startRefused(_ kind: DropboxSessionKind, _ error: DropboxError) {
        switch error.kind {
        case .malformed, .unknown, .session:
            guard kind == .concurrent else { return fail(error) }
            // The other kind does as well, if the kind is the reason.
            notes.isSequentialOnly = true
        default: fail(error)
        }
    }
}
