// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension Answer {
    /// The answer without a secret that its server may have repeated. Apply it before any text is cut to fit a
    /// sentence: half of a secret would no longer be recognized.
    func hiding(_ secret: String) -> Answer {
        guard !secret.isEmpty else { return self }
        let redactor = SecretRedactor([secret])
        var answer = self
        answer.bodyStart = redactor.strike(bodyStart, isCut: bodyStart.count >= Self.bodyStartLimit)
        for index in answer.headers.indices {
            answer.headers[index].value = redactor.strike(answer.headers[index].value)
        }
        return answer
    }
}
