// SPDX-License-Identifier: Apache-2.0

/// Counts for each of a few kinds. In JSON, an object of the kinds' names and counts, without zeros.
package struct Tally<Kind>: Sendable, Equatable, Codable
where Kind: RawRepresentable & Hashable & CaseIterable & Sendable, Kind.RawValue == String {
    private var counts: [Kind: Int] = [:]

    package init() {}

    /// The count of a kind; never negative.
    package subscript(kind: Kind) -> Int { max(0, counts[kind] ?? 0) }

    /// The total of all kinds.
    package var sum: Int { Kind.allCases.reduce(0) { $0 + self[$1] } }

    package mutating func add(_ kind: Kind, _ count: Int = 1) { counts[kind, default: 0] += count }

    package mutating func remove(_ kind: Kind) { counts[kind, default: 0] -= 1 }

    /// Kinds that this version does not know are left out.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        for (name, count) in try container.decode([String: Within<Counts>].self) {
            if let kind = Kind(rawValue: name) { counts[kind] = count.wrappedValue }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let kinds = Kind.allCases.filter { self[$0] > 0 }
        try container.encode(Dictionary(uniqueKeysWithValues: kinds.map { ($0.rawValue, self[$0]) }))
    }
}
