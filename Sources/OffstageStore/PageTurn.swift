// SPDX-License-Identifier: Apache-2.0

/// Which pages the reader's thread reads next. A list comes from an index, and a search looks at everything on record: so
/// searches take turns, a stretch of one at a time, and lists and whatever the queue itself asks go before the next.
package struct PageTurn<Page: Sendable>: Sendable {
    private var lists: [Page] = []
    private var searches: [Page] = []

    package init() {}

    /// Whether no page waits.
    package var isEmpty: Bool { lists.isEmpty && searches.isEmpty }

    /// Takes a page that somebody waits for.
    ///
    /// - Parameters:
    ///   - page: the page.
    ///   - isSearch: whether it is found only by looking at what is on record.
    package mutating func add(_ page: Page, isSearch: Bool) {
        if isSearch { searches.append(page) } else { lists.append(page) }
    }

    /// The pages that are next: all lists, and the first of the searches.
    package mutating func next() -> [Page] {
        let pages = lists + searches.prefix(1)  // checked: two lists
        lists = []
        searches = Array(searches.dropFirst())
        return pages
    }
}
