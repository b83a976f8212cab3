// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The rows of a page that no index finds. What is on record is looked at a stretch at a time: a list or a look-up of the
/// queue's waits for one stretch at most, however much is on record, and searches take turns.
package struct PageSearch: Sendable {
    /// The most rows of a stretch.
    package static let stretch = 2_048

    /// Where the search goes on.
    package private(set) var rest: TransferQuery
    /// What it has found, in the order in which it looks.
    package private(set) var found: [Int64] = []
    /// Whether all is found that was asked for, or that there is.
    package private(set) var isOver = false
    /// How many rows are wanted: one more than the page has, which says whether others follow.
    private let wanted: Int

    /// - Parameters:
    ///   - query: which page.
    ///   - wanted: the most rows to find.
    package init(_ query: TransferQuery, wanted: Int) {
        rest = query
        self.wanted = wanted
    }

    /// Whether a page can be found only by looking at what is on record.
    package static func isNeeded(for query: TransferQuery) -> Bool {
        query.text != nil || query.owner != nil || query.results != nil
    }

    /// The next stretch has been looked at.
    ///
    /// - Parameter rows: the ids in order, and which of them match.
    package mutating func looked(at rows: [(id: Int64, matches: Bool)]) {
        found.append(contentsOf: rows.lazy.filter(\.matches).map(\.id).prefix(max(0, wanted - found.count)))
        isOver = rows.count < Self.stretch || found.count >= wanted
        guard let last = rows.last.map({ TransferID(rawValue: $0.id) }) else { return }
        if rest.after == nil { rest.before = last } else { rest.after = last }
    }
}
