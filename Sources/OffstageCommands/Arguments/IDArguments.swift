// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Numbers of transfers on a command line: `7`, `7 9`, `7-12`.
package enum IDArguments {
    /// The most transfers that a range may name.
    private static let longestRange: Int64 = 100_000

    /// - Throws: `UsageError` for anything that is not a transfer's number.
    package static func parse(_ words: [String]) throws(UsageError) -> [TransferID] {
        var ids: [TransferID] = []
        var seen: Set<Int64> = []
        for word in words {
            guard let (first, last) = ends(of: word) else { throw UsageError(misunderstanding(word)) }
            guard first <= last else {
                throw UsageError("'\(word)' runs backwards: write \(last)-\(first)")
            }
            // checked: both are above 0
            guard last - first < longestRange else {
                throw UsageError("'\(word)' names more than \(longestRange) transfers: name fewer, or give --all")
            }
            for value in first...last where seen.insert(value).inserted { ids.append(TransferID(rawValue: value)) }
        }
        return ids
    }

    /// The first range of more than `count` transfers, as it is written; nil when there is none.
    package static func range(ofMoreThan count: Int64, in words: [String]) -> String? {
        words.first { word in
            guard let (first, last) = ends(of: word), first <= last else { return false }
            return last - first >= count  // checked: both are above 0
        }
    }

    private static func ends(of word: String) -> (Int64, Int64)? {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first.flatMap(number), let last = parts.last.flatMap(number) else {
            return nil
        }
        return (first, last)
    }

    private static func misunderstanding(_ word: String) -> String {
        let parts = word.split(separator: ",")
        guard parts.count > 1, parts.allSatisfy({ ends(of: String($0)) != nil }) else {
            return "'\(word.withoutUserOfURL)' is not a transfer's number; 'offstage list' shows them"
        }
        return "'\(word)' is not a transfer's number: separate several with spaces (\(parts.joined(separator: " ")))"
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int64(text), value > 0 else {
            return nil
        }
        return value
    }
}
