// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The text of a page's query, which returns ids and whether they match. Parameters: 1 the limit, 2 the id to stay
/// below, 3 the owner, 4 the text, 5 the id to stay above, in which case the nearest ids come first.
struct PageSQL {
    /// Nil if nothing can match.
    var text: String?

    init(_ query: TransferQuery) {
        var kinds = query.kinds.map(Set.init)
        if query.results != nil { kinds = (kinds ?? [.finished]).intersection([.finished]) }
        let order = query.after == nil ? "DESC" : "ASC"
        let place = query.after == nil ? "id < ?2" : "id < ?2 AND id > ?5"
        // A condition without an index is a column: after WHERE, rows that do not match would not count.
        func select(_ conditions: String) -> String {
            """
            SELECT id, \(Self.match(query)) AS matches FROM transfers WHERE \(conditions) ORDER BY id \(order) LIMIT ?1
            """
        }
        guard let kinds else {
            text = select(place)
            return
        }
        // Each single kind comes from its index in order; a condition on several kinds would need a sort.
        let parts = kinds.map { "SELECT id, matches FROM (\(select("kind = '\($0.rawValue)' AND \(place)")))" }.sorted()
        text = parts.isEmpty ? nil : parts.joined(separator: " UNION ALL ") + " ORDER BY id \(order) LIMIT ?1"
    }

    private static func match(_ query: TransferQuery) -> String {
        var conditions: [String] = []
        if query.owner != nil { conditions.append("owner = ?3") }
        if query.text != nil {
            conditions.append("(instr(lower(url), lower(?4)) > 0 OR instr(lower(path), lower(?4)) > 0)")
        }
        if let results = query.results {
            conditions.append("result IN (\(results.map { "'\($0.rawValue)'" }.joined(separator: ", ")))")
        }
        return conditions.isEmpty ? "1" : "ifnull(\(conditions.joined(separator: " AND ")), 0)"
    }
}
