// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// Spools the body of an upload's response if it is too long for the answer.
extension CurlAttempt {
    /// Writes a piece of the body to its file, if it has one. False if the attempt is broken off.
    func spooled(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let length = response.bodyBytes + bytes.count  // checked: bytes in memory, until the limits
        if !spool.isBegun {
            guard let path = request.bodySpoolPath, !response.needsDigest, response.challenge == nil,
                length > Answer.bodyStartLimit
            else { return true }
            if let problem = spool.begin(at: path, with: response.bodyStart) { return refuse(problem) }
        }
        guard spool.isOpen else { return true }
        if let problem = spool.append(bytes, length: Int64(length)) { return refuse(problem) }
        pace.wrote(bytes.count)
        return true
    }

    private func refuse(_ problem: AnswerSpool.Problem) -> Bool {
        refuse(failure(of: problem))
        return false
    }

    /// The failure if the answer cannot be kept.
    func failure(of problem: AnswerSpool.Problem) -> TransferFailure {
        let answered = "\(serverName) answered \(response.head.status)"
        let progress = "after \(response.bodyBytes) bytes of the answer"
        switch problem {
        case .tooLong:
            return .init(
                .badServerResponse,
                "\(answered) with more than the \(AnswerBudget.perAnswer) bytes that are kept"
            )
        case .tooMuchKept:
            let limit =
                "the answers that \(request.spec.owner.redactedControls) has not yet accepted already use the \(AnswerBudget.perOwner) bytes allowed for them"
            return .init(.diskFull, "\(answered), but \(limit)")
        case .noRoom(let room, let path): return room.failure(of: path, progress)
        case .cannotWrite(let code):
            let name = (request.bodySpoolPath ?? "").redactedControls
            var failure = FileTrouble.ofWriting(code, name, progress)
            failure.detail = "\(answered), but \(failure.detail)"
            return failure
        }
    }
}
