// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension Answer {
    /// The answer without a secret that its server may have repeated: before anything of it is cut to fit a sentence, where
    /// half of the secret would not be known any more.
    func hiding(_ secret: String) -> Answer {
        guard !secret.isEmpty else { return self }
        let mark = "(hidden)"
        var answer = self
        answer.bodyStart = bodyStart.replacing(Array(secret.utf8), with: Array(mark.utf8))
        for index in answer.headers.indices {
            answer.headers[index].value = answer.headers[index].value.replacing(secret, with: mark)
        }
        return answer
    }
}
