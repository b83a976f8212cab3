// SPDX-License-Identifier: Apache-2.0

/// Which page the reader's thread reads next. One at a time: whatever the queue itself asks meanwhile goes before the
/// next. A list comes from an index and goes before a search for a text, which looks at everything on record; but not
/// for ever.
package struct PageTurn<Page: Sendable>: Sendable {
    private var lists: [Page] = []
    private var searches: [Page] = []
    /// Lists that have gone before the first search.
    private var passed = 0

    /// Lists that go before a search.
    package static var patience: Int { 8 }

    package init() {}

    /// Whether no page waits.
    package var isEmpty: Bool { lists.isEmpty && searches.isEmpty }

    /// Takes a page that somebody waits for.
    ///
    /// - Parameters:
    ///   - page: the page.
    ///   - isSearch: whether it is found only by looking at the texts of what is on record.
    package mutating func add(_ page: Page, isSearch: Bool) {
        if isSearch { searches.append(page) } else { lists.append(page) }
    }

    /// The page that is next; nil if none waits.
    package mutating func next() -> Page? {
        guard !searches.isEmpty else { return lists.isEmpty ? nil : lists.removeFirst() }
        guard !lists.isEmpty, passed < Self.patience else {
            passed = 0
            return searches.removeFirst()
        }
        passed += 1  // checked: at most `patience`
        return lists.removeFirst()
    }
}
