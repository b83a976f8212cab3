// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

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
        guard file.append(bytes) else { return refuseToSpool(errno) }
        allowance.spend(bytes.count)
        turnBytes += bytes.count
        return true
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
        spooledBody = nil
    }

    private func refuseToSpool(_ code: Int32) -> Bool {
        refuse(spoolFailure(code))
        return false
    }

    private func spoolFailure(_ code: Int32) -> TransferFailure {
        let path = request.bodySpoolPath ?? ""
        return [ENOSPC, EDQUOT].contains(code)
            ? .init(.diskFull, "\(serverName) answered \(head.status), but the disk of \(path) is full")
            : .init(
                .targetNotWritable,
                "\(serverName) answered \(head.status), but \(path) cannot be written: \(AttemptFiles.text(code))"
            )
    }
}
