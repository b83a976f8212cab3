// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The kind of the request: follows from the wishes of the owner and the attempt.
extension EngineRequest {
    /// Whether it sends a body.
    var isUpload: Bool { body != nil }

    /// Whether it asks for a range of the file.
    var asksForRange: Bool { !isUpload && (offset > 0 || pieceEnd != nil) }

    /// Whether it is a form with the method that browsers use for it.
    var isPostedForm: Bool {
        guard isUpload, spec.method == "POST" else { return false }
        if case .form = spec.direction { return true }
        return spec.connection?.postsData == true
    }

    /// Whether the credentials are an app's answer to a challenge.
    var hasAppsCredentials: Bool { spec.sessionTask != nil && spec.credentials != nil }

    /// Whether its owner wants the response compressed on its way.
    var asksForCompression: Bool { !isUpload && spec.connection?.asksForCompression == true }

    /// Whether content codings are decoded, as Apple's sessions do: the app receives the file that the server meant,
    /// even if the server sends a coding that was not requested. Not in the middle of a file, and not for the command,
    /// as in curl.
    var decodesContent: Bool { decodesWholeFiles && !asksForRange }

    /// Whether they are decoded if the whole file is requested.
    var decodesWholeFiles: Bool {
        (spec.sessionTask != nil || asksForCompression) && spec.dialect == nil
    }

    /// The length of the server's file, if that differs from the length of the file whose rest was requested. The
    /// received bytes are kept: they may be another server's.
    func otherLength(in head: ResponseHead) -> Int64? {
        guard asksForRange, let expectedBytes, let length = head.completeLength, length != expectedBytes else {
            return nil
        }
        return length
    }

    /// Decides how to use the body of an answer.
    func decision(on head: ResponseHead) -> RangeDecision {
        if let pieceEnd { return RangeDecision.decide(head, piece: offset, before: pieceEnd, of: partial) }
        return RangeDecision.decide(
            head,
            offset: offset,
            partial: partial,
            ownRange: spec.ownRange,
            isDecoded: decodesWholeFiles,
            keepsErrorBodies: spec.statusPolicy == .everyResponseIsFinal
        )
    }
}
