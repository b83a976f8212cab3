// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Handles the answers about a concurrent session.
extension DropboxUpload {
    /// Records that bytes of a concurrent session are stored.
    mutating func took(_ range: Range<Int64>, closing: Bool, seconds: Double) {
        notes.session?.took(range)
        if closing {
            mustClose = false
            if notes.session?.stage == .closing { notes.session?.stage = .closed }
        } else {
            patience.setbacks = 0
            if Int64(range.count) >= notes.chunk.current { notes.chunk.grow(after: seconds) }
            askMore()
        }
    }

    /// Handles Dropbox's refusal of bytes for a concurrent session. Bytes may be sent again at any time. After a lost
    /// answer they are, perhaps in other pieces: Dropbox is expected to overwrite its bytes with the same content.
    mutating func pieceRefused(_ range: Range<Int64>, closing: Bool, _ error: DropboxError) {
        switch error.kind {
        case .session(.closed) where closing:
            // The answer to an earlier call was lost. The commit shows whether all bytes are there.
            took(range, closing: true, seconds: 0)
            setBack(error)
        case .session(.notFound) where notes.session?.stage == .committing:
            notes.session?.stage = .looking
            setBack(error)
        // The session cannot have been committed, since the commit was not requested.
        case .session(.notFound), .session(.closed): beginAgain(error)
        case .session(.incorrectOffset), .session(.concurrent), .session(.notClosed):
            // The server has only sequential sessions, whatever it answered when this one was opened, or does not
            // accept stored bytes again in other pieces. If it had accepted any, it gets another session, once.
            notes.isSequentialOnly = notes.session?.acknowledged == 0 || notes.isSequentialOnly == false
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

    /// Handles a refusal to commit a concurrent session, for a reason that only such a session has.
    ///
    /// - Returns: whether this was such a reason.
    mutating func concurrentCommitRefused(_ error: DropboxError) -> Bool {
        guard notes.session?.kind == .concurrent, case .session(let reason) = error.kind else { return false }
        switch reason {
        case .notClosed, .concurrent("concurrent_session_not_closed"):
            mustClose = true
            setBack(error)
        // The session has lost acknowledged bytes, or has bytes that were never sent.
        case .concurrent, .incorrectOffset: leaveSession(error)
        case .notFound, .closed, .tooLarge: return false
        }
        return true
    }

    // MARK: - Speed of the connection

    /// How many pieces per lane must be stored in an attempt before more are sent at once.
    private static let piecesForMoreLanes = 4

    /// Handles a request that broke on its way, which ends the attempt. Dropbox keeps nothing of an incomplete piece.
    /// If no piece arrived in this attempt, the next attempts send fewer at once, then shorter ones, and then fill a
    /// sequential session, which keeps the received part of a chunk. Otherwise every attempt would end the same way.
    mutating func askLess(after request: Underway?, sent: Int64) {
        let tried = lanes
        guard case .put(let range)? = request?.call, patience.storedPieces == 0, let session = notes.session,
            session.id == request?.session
        else { return notes.chunk.shrink() }
        if tried > 1 {
            notes.chunk.shrink()
            notes.lanes = tried / 2
        } else if sent > 0 {
            notes.chunk.shrink(to: ContentHash.blockSize)
            if Int64(range.count) <= ContentHash.blockSize { leaveInVain(session) }
        } else {
            // If the server was not reached, the length of the piece is not the reason.
            notes.chunk.shrink()
        }
    }

    /// Called when not even one block got through. The stored bytes are given up once as many attempts have failed this
    /// way as sending them again would take over such a connection.
    private mutating func leaveInVain(_ session: DropboxMemory.Session) {
        let inVain = (notes.inVain ?? 0).addingClamped(1)
        notes.inVain = inVain
        guard Int64(inVain) >= session.acknowledged / ContentHash.blockSize else { return }
        // Its commit was not requested: pieces precede it.
        notes.session = nil
        notes.isSequentialOnly = true
        notes.lanes = nil
        notes.inVain = nil
    }

    /// Called when a piece is stored: after enough of them, more are sent at once again.
    private mutating func askMore() {
        patience.storedPieces = patience.storedPieces.addingClamped(1)
        notes.inVain = nil
        guard let limit = notes.lanes, limit <= connections, patience.storedPieces >= Self.piecesForMoreLanes * limit
        else { return }
        notes.lanes = 2 * limit < mostConnections ? 2 * limit : nil
    }

    // MARK: - Refused sessions

    /// Handles a refusal to open a session, by Dropbox or a server in its place.
    mutating func startRefused(_ kind: DropboxSessionKind, _ error: DropboxError) {
        switch error.kind {
        case .malformed, .unknown, .session:
            guard kind == .concurrent else { return fail(error) }
            // If the kind is the reason, the other kind will do.
            notes.isSequentialOnly = true
        default: fail(error)
        }
    }
}
