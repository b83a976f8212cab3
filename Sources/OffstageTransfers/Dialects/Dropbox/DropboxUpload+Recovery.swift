// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Handles errors, with limits on how often.
extension DropboxUpload {
    /// Ends the attempt; the transfer decides whether another follows.
    mutating func fail(_ error: DropboxError) {
        if error.kind == .trouble { notes.chunk.shrink() }
        conclude(failure(error))
    }

    /// Ends the attempt with a failure. Of several failures, the first counts, with the longest wait that the server
    /// requests.
    mutating func conclude(_ failure: TransferFailure) {
        guard case .fail(var first) = end else { return end = .fail(failure) }
        guard let wait = failure.retryAfter, first.code == failure.code, wait > first.retryAfter ?? 0 else { return }
        first.retryAfter = wait
        end = .fail(first)
    }

    /// Repeats a call, but not forever: a server that keeps requiring it misbehaves.
    mutating func setBack(_ error: DropboxError, cost: Int = 1) {
        patience.setbacks += cost
        if patience.setbacks > Patience.mostSetbacks { giveUp(error) }
    }

    /// Abandons a session that is no longer usable. Nothing of it was committed, or its commit does no harm.
    mutating func beginAgain(_ error: DropboxError) {
        notes.session = nil
        patience.restarts += 1
        if patience.restarts > Patience.mostRestarts { giveUp(error) }
    }

    /// Abandons a session with wrong bytes, unless it may still be committed: an earlier attempt's request for that may
    /// arrive late.
    mutating func leaveSession(_ error: DropboxError) {
        guard mayBeCommitted else { return beginAgain(error) }
        notes.session?.stage = .looking
        setBack(error)
    }

    /// Ends the attempt with a misbehaving server, whatever its last answer was.
    private mutating func giveUp(_ error: DropboxError) {
        var failure = failure(error)
        failure.code = .serverMisbehaves
        failure.retryAfter = nil
        conclude(failure)
    }

    private func failure(_ error: DropboxError) -> TransferFailure {
        var failure = error.failure(destination: parameters.destination, account: parameters.account)
        // A server's message about a request that it could not read may quote the request, in any escaping.
        if let token { failure.detail = SecretRedactor([token.text]).strike(failure.detail, isOwn: true) }
        return failure
    }

    /// Reduces the chunk size after a request with this many bytes of the source was too long.
    mutating func send(less count: Int64, _ error: DropboxError) {
        if !notes.chunk.refuse(count) { conclude(failure(error)) }
    }

    // MARK: - Whether a session that is gone was committed

    /// The contents of the destination after a commit whose answer was lost.
    private enum Finding {
        /// The file that should have been committed.
        case ours
        /// Nothing.
        case nothing
        /// Another file; its revision.
        case other(revision: String?)
        case folder
        /// A file of the same size with no further details, something unknown, or no information from Dropbox.
        case unclear
    }

    /// Handles Dropbox's description of the destination.
    mutating func found(_ json: DropboxJSON, _ answer: Answer) {
        guard json.isObject, let tag = json.tag ?? (json["size"].integer == nil ? nil : "file") else {
            return fail(DropboxError(answer))
        }
        switch tag {
        case "file": break
        case "folder": return decide(.folder, answer)
        case "deleted": return decide(.nothing, answer)
        default: return decide(.unclear, answer)
        }
        guard let file = DropboxFile(json) else { return fail(DropboxError(answer)) }
        let hash = blocks.hash(of: 0..<size)
        if file.size != size { return decide(.other(revision: file.revision), answer) }
        guard let contentHash = file.contentHash else { return decide(.unclear, answer) }
        decide(contentHash == hash ? .ours : .other(revision: file.revision), answer)
    }

    /// Handles Dropbox's refusal to describe the destination.
    mutating func notFound(_ error: DropboxError) {
        switch error.kind {
        case .path(.notFound, _): decide(.nothing, error: error)
        // The app may upload but not read, which is a common choice of scopes.
        case .path, .forbidden, .authentication(.missingScope), .authentication(.routeAccessDenied):
            decide(.unclear, error: error)
        default: fail(error)
        }
    }

    private mutating func decide(_ finding: Finding, _ answer: Answer) {
        if case .ours = finding { end = .finish(answer) } else { decide(finding, error: DropboxError(answer)) }
    }

    private mutating func decide(_ finding: Finding, error: DropboxError) {
        var error = error
        error.kind = .session(.notFound)
        switch finding {
        case .ours: beginAgain(error)
        case .nothing:
            // It may have been committed under another name, or moved since: a session that no call closed was closed
            // by its commit.
            if parameters.autorename || notes.session?.isClosed == true { return remainUncertain() }
            beginAgain(error)
        case .unclear:
            // Committing the same content again changes nothing, unless it would cause a conflict or create another
            // file.
            if parameters.autorename || parameters.strictConflict { return remainUncertain() }
            beginAgain(error)
        case .folder:
            if parameters.autorename { return remainUncertain() }
            refuse(.folder, error)
        case .other(let revision):
            // It may have been committed under another name that Dropbox chose.
            if parameters.autorename { return remainUncertain() }
            switch parameters.mode {
            case .overwrite: beginAgain(error)
            case .update(let expected) where expected == revision: beginAgain(error)
            case .update, .add: refuse(.file, error)
            }
        }
    }

    /// Reports the conflict that a commit would cause, without sending everything again.
    private mutating func refuse(_ conflict: DropboxError.Conflict, _ error: DropboxError) {
        var error = error
        error.kind = .path(.conflict(conflict), session: nil)
        notes.session = nil
        conclude(failure(error))
    }

    /// Ends the attempt when it cannot be determined whether the session was committed: a second commit might create a
    /// second file.
    private mutating func remainUncertain() {
        notes.session = nil
        let fate = parameters.autorename ? "perhaps under another name" : "and whether somebody has moved it since"
        conclude(
            TransferFailure(
                .commitUncertain,
                "it is not known whether Dropbox has committed \(parameters.destination), \(fate)"
            )
        )
    }
}
