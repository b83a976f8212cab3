// SPDX-License-Identifier: Apache-2.0

/// Which pages the reader's thread reads next. A list comes from an index, but a search examines all records. Searches
/// therefore take turns, one stretch at a time; lists and the queue's own reads go before the next stretch.
package struct PageTurn<Page: Sendable>: Sendable {
    private var lists: [Page] = []
    private var searches: [Page] = []

    package init() {}

    /// Whether no page waits.
    package var isEmpty: Bool { lists.isEmpty && searches.isEmpty }

    /// Adds a page that a caller waits for.
    ///
    /// - Parameters:
    ///   - page: the page.
    ///   - isSearch: whether the page is only found by examining the records.
    package mutating func add(_ page: Page, isSearch: Bool) {
        if isSearch { searches.append(page) } else { lists.append(page) }
    }

    /// The next pages: all lists, and the first of the searches.
    package mutating func next() -> [Page] {
        let pages = lists + searches.prefix(1)  // checked: two lists
        lists = []
        searches = Array(searches.dropFirst())
        return pages
    }
}
