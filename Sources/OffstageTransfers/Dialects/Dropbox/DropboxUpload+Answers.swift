// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Handles Dropbox's answers.
extension DropboxUpload {
    /// Handles the answer to a successful call.
    mutating func accepted(_ request: Underway, _ answer: Answer, seconds: Double) {
        let json = DropboxJSON(parsing: answer.bodyStart)
        // An intermediary that accepts everything is not Dropbox.
        let isDropbox = json == .null || json?.isObject == true
        switch request.call {
        case .start(let kind):
            guard let id = json?["session_id"].string, (1...Self.longestSessionID).contains(id.utf8.count) else {
                return fail(DropboxError(answer))
            }
            notes.session = .init(id: id, began: request.since, acknowledged: 0, sent: 0, stage: .filling)
            if kind == .concurrent { notes.session?.pieces = ByteSpans() }
            (mustLocate, mustClose, mayBeCommitted) = (false, false, false)
        case .locate:
            guard isDropbox else { return fail(DropboxError(answer)) }
            mustLocate = false
            notes.session?.certain = nil
        case .append(let range):
            guard isDropbox else { return fail(DropboxError(answer)) }
            notes.session?.acknowledged = range.upperBound
            notes.session?.certain = nil
            patience.setbacks = 0
            if Int64(range.count) >= notes.chunk.current { notes.chunk.grow(after: seconds) }
        case .put(let range), .close(let range):
            guard isDropbox else { return fail(DropboxError(answer)) }
            let closes = if case .close = request.call { true } else { false }
            took(range, closing: closes, seconds: seconds)
        case .finish, .upload:
            if let file = json.flatMap(DropboxFile.init) {
                committed(file, answer)
            } else if case .finish = request.call {
                // Whichever server sent this answer, the session may be committed.
                notes.session?.stage = .looking
                setBack(DropboxError(answer))
            } else {
                fail(DropboxError(answer))
            }
        case .metadata: found(json ?? .null, answer)
        }
    }

    /// The longest accepted session ID in bytes: Dropbox's have about 60.
    private static let longestSessionID = 512

    /// Handles a commit: the file is at its destination, unless another file is there.
    private mutating func committed(_ file: DropboxFile, _ answer: Answer) {
        guard file.size == size, file.contentHash.map({ $0 == blocks.hash(of: 0..<size) }) ?? true else {
            // Another attempt is the user's decision, and starts over.
            notes.session = nil
            conclude(
                TransferFailure(
                    .contentMismatch,
                    "the file that Dropbox committed at \(parameters.destination) has a different size or content_hash"
                )
            )
            return
        }
        end = .finish(answer)
    }

    /// Handles a call that Dropbox has refused.
    mutating func refused(_ request: Underway, _ error: DropboxError, now: Moment) {
        switch error.kind {
        // If a token was withdrawn, only a renewal shows whether the account's other tokens are still valid. A refusal
        // without a reason is most likely for an expired or withdrawn token.
        case .authentication(.expiredAccessToken), .authentication(.invalidAccessToken), .authentication(.unsaid):
            // Another call has already found that out.
            if request.token != token?.text || renewToken() { return }
        default: break
        }
        switch request.call {
        case .start(let kind): startRefused(kind, error)
        case .put(let range): pieceRefused(range, closing: false, error)
        case .close(let range): pieceRefused(range, closing: true, error)
        case .metadata: notFound(error)
        case .upload: uploadRefused(error, now: now)
        case .locate(let offset): locateRefused(at: offset, error)
        case .append(let range): sessionRefused(range, isCommit: false, error)
        case .finish(let range): sessionRefused(range, isCommit: true, error)
        }
    }

    private mutating func uploadRefused(_ error: DropboxError, now: Moment) {
        switch error.kind {
        case .path(_, let id?) where (1...Self.longestSessionID).contains(id.utf8.count):
            // The bytes are kept: once the reason is gone, only the commit is repeated.
            notes.session = .init(id: id, began: now, acknowledged: size, sent: size, stage: .committing)
            fail(error)
        case .payloadTooLarge: send(less: size, error)
        case .contentHashMismatch:
            blocks.forget(0..<size)
            setBack(error, cost: Patience.costOfSendingAgain)
        default: fail(error)
        }
    }

    private mutating func locateRefused(at offset: Int64, _ error: DropboxError) {
        switch error.kind {
        case .session:
            mustLocate = false
            sessionRefused(offset..<offset, isCommit: false, error)
        // A server may reject a request without bytes: then its answer to one with bytes decides.
        case .malformed, .unknown, .contentHashMismatch, .payloadTooLarge: mustLocate = false
        default: fail(error)
        }
    }

    private mutating func sessionRefused(_ range: Range<Int64>, isCommit: Bool, _ error: DropboxError) {
        if isCommit, concurrentCommitRefused(error) { return }
        switch error.kind {
        case .session(.incorrectOffset(let offset)): goOn(from: offset, error)
        case .session(.notFound), .session(.closed):
            if isCommit || notes.session?.stage == .committing {
                notes.session?.stage = .looking
                if error.kind == .session(.closed) { notes.session?.isClosed = true }
                setBack(error)
            } else {
                beginAgain(error)
            }
        case .session:
            // This session will not recover.
            notes.session = nil
            fail(error)
        case .contentHashMismatch:
            blocks.forget(range)
            setBack(error, cost: Patience.costOfSendingAgain)
        case .payloadTooLarge: send(less: Int64(range.count), error)
        case .path where isCommit:
            // The bytes are most likely stored: the next commit sends none.
            if notes.session?.certain == nil { notes.session?.certain = range.lowerBound }
            notes.session?.acknowledged = range.upperBound
            fail(error)
        default: fail(error)
        }
    }

    /// Continues at the byte that the server names.
    private mutating func goOn(from offset: Int64, _ error: DropboxError) {
        guard let session = notes.session else { return }
        guard ((session.certain ?? session.acknowledged)...session.sent).contains(offset) else {
            // It has lost bytes that it had acknowledged, or has bytes that were never sent.
            return leaveSession(error)
        }
        notes.session?.acknowledged = offset
        notes.session?.certain = nil
        setBack(error)
    }
}
