// SPDX-License-Identifier: Apache-2.0

/// A connection's observations of transfers: one of each kind, however often it asks.
package struct TransferObservations {
    /// The kind: of numbered transfers or of all, and of every event or of outcomes only.
    package struct Kind: Hashable {
        package var isOfAll: Bool
        package var onlyOutcomes: Bool

        package init(isOfAll: Bool, onlyOutcomes: Bool) {
            self.isOfAll = isOfAll
            self.onlyOutcomes = onlyOutcomes
        }
    }

    /// The number of transfers that are watched by number.
    package private(set) var count = 0
    private var byKind: [Kind: UInt64] = [:]

    /// The queue's token of an observation; nil if there is none of that kind yet.
    package func token(of kind: Kind) -> UInt64? { byKind[kind] }

    /// All tokens.
    package var tokens: [UInt64] { Array(byKind.values) }

    /// Records that the observation of a kind covers this many more transfers.
    package mutating func add(_ number: Int, to token: UInt64, of kind: Kind) {
        byKind[kind] = token
        count += number
    }
}
