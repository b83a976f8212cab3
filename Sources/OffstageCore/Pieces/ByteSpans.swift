// SPDX-License-Identifier: Apache-2.0

/// A subset of a file's bytes: spans in order that neither overlap nor touch.
///
/// Every bound is in the range of `ByteCounts`, so that arithmetic on a few of them cannot overflow.
package struct ByteSpans: Sendable, Hashable {
    package private(set) var spans: [Range<Int64>] = []

    /// The most spans that are stored and read. A record with more loses the last ones, which are fetched again.
    package static let mostStored = 512

    package init() {}

    package init(_ range: Range<Int64>) { insert(range) }

    /// The number of bytes.
    package var count: Int64 { spans.reduce(0) { $0.addingClamped(Self.length($1)) } }

    package var isEmpty: Bool { spans.isEmpty }

    /// The byte after the last one; 0 if there is none.
    package var end: Int64 { spans.last?.upperBound ?? 0 }

    /// The file's first missing byte.
    package var prefix: Int64 {
        guard let first = spans.first, first.lowerBound == 0 else { return 0 }
        return first.upperBound
    }

    /// Adds a range, which may overlap bytes that are already present.
    package mutating func insert(_ range: Range<Int64>) {
        let range = range.clamped(to: Self.limits)
        guard !range.isEmpty else { return }
        // The usual case: a request continues after the bytes that it has delivered, or begins after all others.
        let first = spans.firstIndex { $0.upperBound >= range.lowerBound } ?? spans.endIndex
        var merged = range
        var last = first
        // checked: places in this very array, and bounds of spans that overlap or touch
        while last < spans.endIndex, let next = spans[last...].first, next.lowerBound <= range.upperBound {
            merged = min(merged.lowerBound, next.lowerBound)..<max(merged.upperBound, next.upperBound)
            last += 1
        }
        spans.replaceSubrange(first..<last, with: [merged])  // checked: `last` is not before `first`
    }

    /// The bytes within a range.
    package func clamped(to range: Range<Int64>) -> ByteSpans {
        var result = ByteSpans()
        result.spans = spans.map { $0.clamped(to: range) }.filter { !$0.isEmpty }
        return result
    }

    /// The bytes in both sets.
    package func intersection(_ other: ByteSpans) -> ByteSpans {
        var result = ByteSpans()
        for span in other.spans { result.spans.append(contentsOf: clamped(to: span).spans) }
        return result
    }

    /// The missing bytes before `end`, in order.
    package func gaps(before end: Int64) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var position: Int64 = 0
        // checked: each range is made only if its first bound is below the second
        for span in spans {
            guard span.lowerBound < end else { break }
            if position < span.lowerBound { gaps.append(position..<span.lowerBound) }
            position = span.upperBound
        }
        if position < end { gaps.append(position..<end) }
        return gaps
    }

    private static let limits: Range<Int64> = 0..<ByteCounts.range.upperBound  // checked: constants

    private static func length(_ span: Range<Int64>) -> Int64 { span.upperBound.subtractingClamped(span.lowerBound) }
}

/// Stored as the bounds of all spans, one after the other: `[0,100,200,300]`.
extension ByteSpans: Codable {
    /// Invalid bounds are ignored: a damaged record costs bytes, not the transfer.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bounds = try? container.decode([Int64].self),
            bounds.count / 2 <= Self.mostStored,  // checked: not by 0
            bounds.count.isMultiple(of: 2),
            bounds.allSatisfy(ByteCounts.range.contains), zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 })
        else { return }
        var begin: Int64?
        for bound in bounds {
            if let first = begin { insert(first..<bound) }  // checked: they ascend
            begin = begin == nil ? bound : nil
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(spans.prefix(Self.mostStored).flatMap { [$0.lowerBound, $0.upperBound] })
    }
}
