// SPDX-License-Identifier: Apache-2.0

/// Words of wget's and aria2's command lines that mean something else under curl's rules.
enum ForeignWords {
    /// - Parameter words: the words after the command's name.
    /// - Returns: a sentence about the first such word, without a full stop; nil if there is none.
    static func sentence(_ words: [String]) -> String? {
        for word in words.prefix(while: { $0 != "--" }) {
            if let sentence = sentence(word) { return sentence }
        }
        return nil
    }

    private static func sentence(_ word: String) -> String? {
        guard word.hasPrefix("-"), !word.hasPrefix("--") else { return nil }
        if word == "-nc" { return "wget's -nc is --skip-existing here" }
        let letters = word.dropFirst()
        if letters.hasSuffix("O-"), letters.dropLast(2).allSatisfy({ "qsSLfk".contains($0) }) {
            return "a background download cannot write to standard output: give -o FILE"
        }
        // -x16, -s16, -j5, -k1M: curl's options with these letters take no such numbers.
        guard let first = letters.first, "xsjk".contains(first) else { return nil }
        let amount = letters.dropFirst()
        let digits = amount.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, ["", "K", "M"].contains(amount.dropFirst(digits.count)) else { return nil }
        switch first {
        case "x", "s": return "aria2's \(word) is --connections \(digits) here"
        default: return "aria2's \(word) is not needed: --connections N divides a file, and several files go at once"
        }
    }
}
