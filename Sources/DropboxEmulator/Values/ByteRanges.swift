// SPDX-License-Identifier: Apache-2.0

/// A set of byte positions as ranges that neither overlap nor touch, in order.
struct ByteRanges: Sendable {
    private var ranges: [Range<Int64>] = []

    /// Adds a range.
    ///
    /// - Returns: how many of its bytes were in the set before.
    mutating func insert(_ range: Range<Int64>) -> Int64 {
        guard !range.isEmpty else { return 0 }
        var known: Int64 = 0
        var merged = range
        var result: [Range<Int64>] = []
        for old in ranges {
            known += Int64(old.clamped(to: range).count)
            if old.upperBound < merged.lowerBound || old.lowerBound > merged.upperBound {
                result.append(old)
            } else {
                merged = min(old.lowerBound, merged.lowerBound)..<max(old.upperBound, merged.upperBound)
            }
        }
        let place = result.firstIndex { $0.lowerBound > merged.lowerBound } ?? result.endIndex
        result.insert(merged, at: place)
        ranges = result
        return known
    }
}
