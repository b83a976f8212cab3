// SPDX-License-Identifier: Apache-2.0

/// What a connection is told of transfers: by one observation of each kind, however often it asks.
struct TransferObservations {
    /// Which of them: of transfers by their numbers or of all, and of everything or of outcomes alone.
    struct Kind: Hashable {
        var isOfAll: Bool
        var onlyOutcomes: Bool
    }

    /// How many transfers are watched by their numbers.
    private(set) var count = 0
    private var byKind: [Kind: UInt64] = [:]

    /// The queue's token of an observation; nil when there is none of that kind yet.
    func token(of kind: Kind) -> UInt64? { byKind[kind] }

    /// All tokens.
    var tokens: [UInt64] { Array(byKind.values) }

    /// The observation of a kind is about so many more transfers now.
    mutating func add(_ number: Int, to token: UInt64, of kind: Kind) {
        byKind[kind] = token
        count += number
    }
}
