// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What is done about what does not go well, and how often.
extension DropboxUpload {
    /// The attempt is over; whether there is another one is the transfer's decision.
    mutating func fail(_ error: DropboxError) {
        if error.kind == .trouble { makeChunkSmaller() }
        end = .fail(failure(error))
    }

    /// Something has to be done again. Not for ever: a server that keeps on so misbehaves.
    mutating func setBack(_ error: DropboxError, cost: Int = 1) {
        patience.setbacks += cost
        if patience.setbacks > Patience.mostSetbacks { giveUp(error) }
    }

    /// The session is of no use any more. Nothing of it was committed, or what was does no harm.
    mutating func beginAgain(_ error: DropboxError) {
        notes.session = nil
        patience.restarts += 1
        if patience.restarts > Patience.mostRestarts { giveUp(error) }
    }

    /// Ends the attempt as one at a server that misbehaves, whatever it said last.
    private mutating func giveUp(_ error: DropboxError) {
        var failure = failure(error)
        failure.code = .serverMisbehaves
        failure.retryAfter = nil
        end = .fail(failure)
    }

    private func failure(_ error: DropboxError) -> TransferFailure {
        var failure = error.failure(destination: parameters.destination, account: parameters.account)
        // What a server says of a request that it could not read may quote it, however it is escaped.
        if let token { failure.detail = SecretRedactor([token.text]).strike(failure.detail, isOwn: true) }
        return failure
    }

    // MARK: - The size of a chunk

    /// A chunk of the present size has arrived in so many seconds: the next one may take eight at the same speed.
    mutating func makeChunkLarger(after seconds: Double) {
        let factor = seconds < 2 ? DropboxMemory.mostGrowth : seconds < 4 ? 2 : 1
        notes.chunk = max(notes.chunk, min(factor * notes.chunk, DropboxMemory.largestChunk, notes.most ?? .max))
    }

    mutating func makeChunkSmaller() {
        let half = notes.chunk / 2 / ContentHash.blockSize * ContentHash.blockSize
        notes.chunk = min(max(half, DropboxMemory.smallestChunk), notes.chunk)
    }

    /// A request with so many bytes of the source was too long.
    mutating func send(less count: Int64, _ error: DropboxError) {
        let block = ContentHash.blockSize
        guard count > block else {
            end = .fail(failure(error))
            return
        }
        // Kept, so that a chunk that grows again does not meet the same refusal.
        let most = max(block, count / 2 / block * block)
        notes.most = most
        notes.chunk = min(notes.chunk, most)
    }

    // MARK: - Whether a session that is gone was committed

    /// What is at the destination after a commit whose answer was lost.
    private enum Finding {
        /// The file that was to be committed.
        case ours
        /// Nothing.
        case nothing
        /// Another file; its revision.
        case other(revision: String?)
        case folder
        /// A file of the same size, of which no more is said; something that is not known here; or Dropbox does not tell.
        case unclear
    }

    /// Dropbox has said what is at the destination.
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

    /// Dropbox has refused to say what is at the destination.
    mutating func notFound(_ error: DropboxError) {
        switch error.kind {
        case .path(.notFound, _): decide(.nothing, error: error)
        // The app may upload and not read, which is a common choice of scopes.
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
            // It may have been committed under another name, or moved away since: a session that nobody closed is closed
            // by its commit.
            if parameters.autorename || notes.session?.isClosed == true { return remainUncertain() }
            beginAgain(error)
        case .unclear:
            // Committing the same content again changes nothing, unless that would be a conflict or another file.
            if parameters.autorename || parameters.strictConflict { return remainUncertain() }
            beginAgain(error)
        case .folder:
            if parameters.autorename { return remainUncertain() }
            refuse(.folder, error)
        case .other(let revision):
            // It may have been committed under another name, which Dropbox alone chose.
            if parameters.autorename { return remainUncertain() }
            switch parameters.mode {
            case .overwrite: beginAgain(error)
            case .update(let expected) where expected == revision: beginAgain(error)
            case .update, .add: refuse(.file, error)
            }
        }
    }

    /// What the commit would meet is known without sending everything again.
    private mutating func refuse(_ conflict: DropboxError.Conflict, _ error: DropboxError) {
        var error = error
        error.kind = .path(.conflict(conflict), session: nil)
        notes.session = nil
        end = .fail(failure(error))
    }

    /// Nobody can tell whether it was committed: a second commit might make a second file.
    private mutating func remainUncertain() {
        notes.session = nil
        let fate = parameters.autorename ? "perhaps under another name" : "and whether somebody has moved it since"
        end = .fail(
            TransferFailure(
                .commitUncertain,
                "it is not known whether Dropbox has committed \(parameters.destination), \(fate)"
            )
        )
    }
}
