// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The numbers of transfers on a command line: `7`, `7 9`, `7-12`.
package enum IDArguments {
    /// - Throws: `UsageError` for what is no number of a transfer.
    package static func parse(_ words: [String]) throws(UsageError) -> [TransferID] {
        var ids: [TransferID] = []
        var seen: Set<Int64> = []
        for word in words {
            let parts = word.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count <= 2, let first = number(parts[0]), let last = number(parts[parts.count - 1]),
                first <= last,
                last - first < 100_000
            else {
                throw UsageError("'\(word.withoutUserOfURL)' is not a transfer's number; 'offstage list' shows them")
            }
            for value in first...last where seen.insert(value).inserted { ids.append(TransferID(rawValue: value)) }
        }
        return ids
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int64(text), value > 0 else {
            return nil
        }
        return value
    }
}
