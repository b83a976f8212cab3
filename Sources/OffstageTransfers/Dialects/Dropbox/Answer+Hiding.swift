// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension Answer {
    /// The answer without secrets that its server may have repeated. Apply it before any text is cut to fit a
    /// sentence: half of a secret would no longer be recognized.
    func hiding(_ redactor: SecretRedactor) -> Answer {
        guard !redactor.isEmpty else { return self }
        var answer = self
        answer.bodyStart = redactor.strike(bodyStart, isCut: bodyStart.count >= Self.bodyStartLimit)
        for index in answer.headers.indices {
            answer.headers[index].name = redactor.strike(answer.headers[index].name)
            answer.headers[index].value = redactor.strike(answer.headers[index].value)
        }
        return answer
    }

    /// The answer without secrets that are given as they are.
    func hiding(_ secrets: [String]) -> Answer { hiding(SecretRedactor(secrets)) }

    func hiding(_ secret: String) -> Answer { hiding([secret]) }
}
