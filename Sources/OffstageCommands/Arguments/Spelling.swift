// SPDX-License-Identifier: Apache-2.0

/// Guesses at typing errors.
package enum Spelling {
    /// Whether at most two letters differ, are missing, were added or swapped.
    package static func areClose(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left), Array(right))
        let most = min(2, max(left.count, right.count) / 2)
        return abs(left.count - right.count) <= most && distance(left, right) <= most
    }

    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                current.append(
                    min(previous[column] + (letter == other ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
                )
            }
            previous = current
        }
        return previous[right.count]
    }
}
