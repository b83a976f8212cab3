// SPDX-License-Identifier: Apache-2.0

/// A distribution of durations: the number in each of a few buckets, and their sum.
package struct Histogram: Sendable, Equatable, Codable {
    /// The limits of the buckets, in seconds. Durations beyond the last limit are counted as well.
    package enum Scale: String, Sendable, Codable, CaseIterable {
        /// A disk's answer: half a millisecond to ten seconds.
        case commits
        /// Something that may take anything up to a day.
        case transfers

        package var bounds: [Double] {
            switch self {
            case .commits: Self.ofCommits
            case .transfers: Self.ofTransfers
            }
        }

        private static let ofCommits = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
        private static let ofTransfers = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400]
    }

    package let scale: Scale
    /// The number in each bucket, and the number beyond the last.
    package private(set) var counts: [Int]
    /// Seconds.
    package private(set) var sum = 0.0

    package init(_ scale: Scale) {
        self.scale = scale
        counts = Array(repeating: 0, count: scale.bounds.count + 1)
    }

    package var count: Int { counts.reduce(0, +) }

    /// Counts a duration in seconds; an invalid duration is not counted.
    package mutating func observe(_ seconds: Double) {
        guard seconds.isFinite, seconds >= 0 else { return }
        counts[scale.bounds.firstIndex { seconds <= $0 } ?? counts.count - 1] += 1
        sum += seconds
    }

    private enum CodingKeys: String, CodingKey { case scale, counts, sum }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        scale = try container.decode(Scale.self, forKey: .scale)
        counts = try container.decode([Within<Counts>].self, forKey: .counts).map(\.wrappedValue)
        sum = try container.decode(Double.self, forKey: .sum)
        guard counts.count == scale.bounds.count + 1, sum.isFinite, sum >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .counts,
                in: container,
                debugDescription: "a histogram has a number for each span, and a sum that is not negative"
            )
        }
    }
}
