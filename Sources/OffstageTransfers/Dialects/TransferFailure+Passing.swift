// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension TransferFailure {
    /// The failure for an answer that may be temporary, while the server keeps the bytes received so far.
    ///
    /// - Parameters:
    ///   - answer: the server's answer.
    ///   - place: the file's destination, for people.
    /// - Returns: the failure, which is retried.
    static func passing(_ answer: Answer, to place: String) -> TransferFailure {
        let words = StatusText.of(answer.status)
        return TransferFailure(
            .serverBusy,
            answer.status == 423
                ? "the server is still busy with an earlier request for the upload to \(place)"
                : "the server answered \(words) to the upload to \(place)",
            retryAfter: ResponseHead(status: answer.status, headers: answer.headers).retryAfterSeconds,
            status: answer.status
        )
    }

    /// Whether a refusal by a server that keeps uploads may be temporary.
    static func passes(_ status: Int) -> Bool { [408, 423, 425, 429].contains(status) || status >= 500 }
}
