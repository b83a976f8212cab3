// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import Testing

/// Expects that a command failed with one clear sentence on standard error.
///
/// - Parameters:
///   - result: the command's result.
///   - code: the exit status; nil for any status but 0.
///   - words: the words that the sentence must contain, case-insensitively.
///   - sourceLocation: the place of the expectation.
func expectSentence(
    _ result: CommandResult,
    code: Int32? = nil,
    _ words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    if let code {
        #expect(result.code == code, "\(result)", sourceLocation: sourceLocation)
    } else {
        #expect(result.code != 0, "\(result)", sourceLocation: sourceLocation)
    }
    // A refusal begins with the command's name, a failed transfer's sentence with its number.
    let sentences = result.errors.split(separator: "\n").map(String.init).filter {
        $0.hasPrefix("offstage") || $0.first?.isNumber == true
    }
    #expect(sentences.count == 1, "one sentence, not: \(result.errors)", sourceLocation: sourceLocation)
    let sentence = sentences.first ?? ""
    if sentence.hasPrefix("offstage") {
        #expect(sentence.hasSuffix("."), "\(sentence)", sourceLocation: sourceLocation)
    }
    for word in words {
        #expect(
            sentence.lowercased().contains(word.lowercased()),
            "'\(word)' in: \(sentence)",
            sourceLocation: sourceLocation
        )
    }
    for noise in ["Optional(", "Error(", "errno", "CURLE", "nil"] {
        #expect(!sentence.contains(noise), "\(sentence)", sourceLocation: sourceLocation)
    }
}
