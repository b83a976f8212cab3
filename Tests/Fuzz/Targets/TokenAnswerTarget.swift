// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A token endpoint's answer, and its meaning. The first two bytes are the status.
enum TokenAnswerTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let status = Int(input.byte()) * 4 + Int(input.byte() & 3)
        let retryAfter = input.bool() ? input.number() : nil
        let body = Array(input.rest())
        let answer = TokenAnswer(status: status, body: body, retryAfter: retryAfter)
        guard case .granted(let grant, _) = answer.verdict(server: "api.example.org", now: fuzzStart) else { return }
        promise((200..<300).contains(status), "status \(status) grants a token")
        promise(grant.accessToken.utf8.allSatisfy { (33...126).contains($0) }, "a token that fits in no header")
        promise(grant.expiry.map { $0.remaining(at: fuzzStart) >= 0 } ?? true, "a token's time is negative")
    }
}
