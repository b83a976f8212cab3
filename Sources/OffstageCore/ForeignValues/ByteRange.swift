// SPDX-License-Identifier: Apache-2.0

/// Some bytes of a file, from the first to the last: never empty, and in the range of `ByteCounts` with its end.
package struct ByteRange: Sendable, Hashable {
    package let first: Int64
    package let last: Int64

    /// Nil for an invalid range, or one beyond any file.
    package init?(first: Int64, last: Int64) {
        guard first >= 0, first <= last, last < ByteCounts.range.upperBound else { return nil }
        self.first = first
        self.last = last
    }

    /// The byte after the last one.
    package var end: Int64 { last + 1 }

    package var count: Int64 { last + 1 - first }
}
