// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A refusal by Google Cloud Storage (https://cloud.google.com/storage/docs/json_api/v1/status-codes).
struct GCSError: Sendable {
    let status: Int
    /// The reason, such as `rateLimitExceeded`; empty if the answer has none.
    let reason: String
    /// The server's message, for people; nil if there is none.
    let message: String?
    let answer: Answer

    private struct Body: Decodable {
        var error: Problem
        struct Problem: Decodable {
            var message: String?
            var errors: [Item]?
        }
        struct Item: Decodable { var reason: String? }
    }

    /// How many characters of a message are shown.
    private static let longestMessage = 200

    init(_ answer: Answer) {
        self.answer = answer
        status = answer.status
        let problem = try? ForeignJSON.decode(Body.self, from: answer.bodyStart, values: 1000).error
        let reason = problem?.errors?.first?.reason ?? ""
        self.reason =
            reason.utf8.count <= 64 && reason.utf8.allSatisfy { PercentEncoding.isUnreserved($0) } ? reason : ""
        message = problem?.message.flatMap {
            $0.isEmpty ? nil : String($0.prefix(Self.longestMessage)).redactedControls
        }
    }

    /// The error, for sentences: "403 Forbidden (forbidden)".
    var words: String { reason.isEmpty ? StatusText.of(status) : "\(StatusText.of(status)) (\(reason))" }

    /// Whether the same request may be accepted later.
    var passes: Bool {
        switch reason {
        case "rateLimitExceeded", "userRateLimitExceeded", "backendError", "internalError", "uploadBrokenConnection":
            true
        default: TransferFailure.passes(status) && status != 501 && status != 507
        }
    }
}
