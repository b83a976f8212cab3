// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The search for a page's rows that no index finds. It examines the records one stretch at a time, and searches take
/// turns: a list or a look-up by the queue waits for one stretch at most, however many records there are.
package struct PageSearch: Sendable {
    /// The most rows in a stretch.
    package static let stretch = 2_048

    /// The part of the query that remains to be searched.
    package private(set) var rest: TransferQuery
    /// The ids found so far, in search order.
    package private(set) var found: [Int64] = []
    /// Whether the search is complete: enough rows were found, or there are no more.
    package private(set) var isOver = false
    /// The number of rows wanted: one more than the page has, which shows whether more follow.
    private let wanted: Int

    /// - Parameters:
    ///   - query: which page.
    ///   - wanted: the most rows to find.
    package init(_ query: TransferQuery, wanted: Int) {
        rest = query
        self.wanted = wanted
    }

    /// Whether a page can only be found by examining the records.
    package static func isNeeded(for query: TransferQuery) -> Bool {
        query.text != nil || query.owner != nil || query.results != nil
    }

    /// Records the result of the next stretch.
    ///
    /// - Parameter rows: the ids in order, and which of them match.
    package mutating func looked(at rows: [(id: Int64, matches: Bool)]) {
        found.append(contentsOf: rows.lazy.filter(\.matches).map(\.id).prefix(max(0, wanted - found.count)))
        isOver = rows.count < Self.stretch || found.count >= wanted
        guard let last = rows.last.map({ TransferID(rawValue: $0.id) }) else { return }
        if rest.after == nil { rest.before = last } else { rest.after = last }
    }
}
