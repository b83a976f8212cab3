// SPDX-License-Identifier: Apache-2.0

/// The visible rows of a table that has more rows than fit.
package struct ScrollPosition: Sendable, Equatable {
    /// The topmost visible row, from 0.
    package private(set) var first = 0
    private var rows = 0
    private var room = 1

    package init() {}

    /// Sets how many rows there are and how many fit.
    ///
    /// - Returns: the visible rows.
    package mutating func fit(rows: Int, room: Int) -> Range<Int> {
        self.rows = max(0, rows)
        self.room = max(1, room)
        first = min(first, last)
        return first..<min(self.rows, first + self.room)  // checked: both are of what is in memory and on a screen
    }

    /// Scrolls by a row, by a screen, or to an end, depending on the key.
    ///
    /// - Returns: whether it is a scrolling key.
    package mutating func move(_ key: Key) -> Bool {
        switch key {
        case .up, .character(UInt8(ascii: "k")): first -= 1
        case .down, .character(UInt8(ascii: "j")): first += 1
        case .pageUp: first -= room
        case .pageDown: first += room
        case .home: first = 0
        case .end: first = last
        case .character: return false
        }
        first = min(max(0, first), last)
        return true
    }

    /// Where the last screen begins.
    private var last: Int { max(0, rows - room) }
}
