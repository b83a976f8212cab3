// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// The body of an upload's response: its app is given the whole of it, however long it is.
extension CurlAttempt {
    /// Writes a piece of the body to its file, which begins to exist when the answer cannot hold the body any more.
    /// False where the attempt is broken off.
    func spool(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if spooledBody == nil {
            guard let path = request.bodySpoolPath, !needsDigest, challenge == nil,
                answerBytes + bytes.count > Answer.bodyStartLimit
            else { return true }
            guard let file = ResponseFile(path: path) else { return refuseToSpool(errno) }
            spooledBody = .open(file)
            guard bodyStart.withUnsafeBytes(file.append) else { return refuseToSpool(errno) }
        }
        guard case .open(let file) = spooledBody else { return true }
        guard hasRoom(for: bytes.count, in: file) else { return false }
        guard file.append(bytes) else { return refuseToSpool(errno) }
        spend(bytes.count)
        return true
    }

    /// Whether the answer may go on; false where it is refused.
    private func hasRoom(for count: Int, in file: ResponseFile) -> Bool {
        let length = Int64(answerBytes + count)
        let kept = turn.spools.add(count, in: FileSaver.directory(of: file.path), limit: AnswerBudget.perOwner)
        spooledBytes += count
        switch AnswerBudget.verdict(answer: length, owner: kept) {
        case .keep: break
        case .tooLong:
            refuse(
                .init(
                    .badServerResponse,
                    "\(serverName) answered \(head.status) with more than the \(AnswerBudget.perAnswer) bytes that are kept"
                )
            )
            return false
        case .tooMuchKept:
            let answered = "\(serverName) answered \(head.status)"
            let limit =
                "the answers that \(request.spec.owner.redactedControls) has not taken yet have the \(AnswerBudget.perOwner) bytes that they may have"
            refuse(.init(.diskFull, "\(answered), but \(limit)"))
            return false
        }
        guard isTimeToLookForRoom(count), let room = DiskRoom(of: file.descriptor), room.bytes <= 0 else { return true }
        refuse(reserveFailure(room, file.path, "after \(answerBytes) bytes of the answer"))
        return false
    }

    /// The disk has room, but what is left is not for servers to fill.
    func reserveFailure(_ room: DiskRoom, _ path: String, _ progress: String) -> TransferFailure {
        .init(
            .diskFull,
            "the disk of \(path.redactedControls) is full \(progress): \(room.free) bytes are free, and \(room.reserve) are reserved"
        )
    }

    /// Makes the body durable, before anybody is told of it.
    func finishSpooledBody() -> TransferFailure? {
        guard case .open(let file) = spooledBody else { return nil }
        guard file.finish() else { return spoolFailure(errno) }
        spooledBody = .whole(path: file.path)
        return nil
    }

    /// Deletes what was written, unless it has become part of the answer.
    func discardSpooledBody() {
        guard case .open(let file) = spooledBody else { return }
        file.discard()
        turn.spools.remove(spooledBytes, in: FileSaver.directory(of: file.path))
        spooledBytes = 0
        spooledBody = nil
    }

    private func refuseToSpool(_ code: Int32) -> Bool {
        refuse(spoolFailure(code))
        return false
    }

    private func spoolFailure(_ code: Int32) -> TransferFailure {
        let name = (request.bodySpoolPath ?? "").redactedControls
        var failure = FileTrouble.ofWriting(code, name, "after \(answerBytes) bytes of the answer")
        failure.detail = "\(serverName) answered \(head.status), but \(failure.detail)"
        return failure
    }
}
