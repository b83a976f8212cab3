// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Columns of text that fit a width: the flexible column shrinks.
package struct TextTable {
    package struct Column {
        package var title: String
        package var isRightAligned: Bool
        package var isFlexible: Bool

        package init(_ title: String, isRightAligned: Bool = false, isFlexible: Bool = false) {
            self.title = title
            self.isRightAligned = isRightAligned
            self.isFlexible = isFlexible
        }
    }

    /// A cell's text, its style, and shorter texts for narrower columns.
    package struct Cell: ExpressibleByStringInterpolation {
        package var text: String
        package var style: Style?
        /// Shorter forms, longest first. They drop the least important parts rather than the end.
        package var shorter: [String] = []
        /// The text that precedes the last of these if there is room.
        package var elastic: Elastic?

        package init(_ text: String, _ style: Style? = nil, shorter: [String] = [], elastic: Elastic? = nil) {
            self.text = text
            self.style = style
            self.shorter = shorter
            self.elastic = elastic
        }

        /// As much text as fits a width.
        func text(within width: Int) -> String {
            let forms = [text] + shorter
            let fitting =
                forms.first { DisplayWidth.of($0) <= width && $0 != shorter.last } ?? elastic?.text(within: width)
                ?? forms[forms.count - 1]
            return DisplayWidth.truncated(fitting, to: width)
        }

        package init(stringLiteral value: String) { self.init(value) }

        /// The cell without control characters.
        var clean: Cell {
            Cell(
                text.redactedControls,
                style,
                shorter: shorter.map(\.redactedControls),
                elastic: elastic.map { Elastic($0.head.redactedControls, $0.tail.redactedControls) }
            )
        }
    }

    /// A text whose beginning is cut so that its end remains.
    package struct Elastic {
        var head: String
        var tail: String
        /// The fewest cells of a cut head.
        private static let leastHead = 10

        package init(_ head: String, _ tail: String) { (self.head, self.tail) = (head, tail) }

        /// The shortened text; nil if too little of the head would remain.
        func text(within width: Int) -> String? {
            let room = width - DisplayWidth.of(tail)
            return room < Self.leastHead ? nil : DisplayWidth.truncated(head, to: room) + tail
        }
    }

    package var columns: [Column]
    package var rows: [[Cell]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// The table's lines.
    ///
    /// - Parameters:
    ///   - width: columns of the terminal; 0 for no limit.
    ///   - usesColour: whether styles are shown.
    /// - Returns: the head and one line for each row.
    package func lines(width: Int, usesColour: Bool) -> [String] {
        if width > 0, let narrower = narrowed(to: width) {
            return narrower.lines(width: width, usesColour: usesColour)
        }
        let clean = rows.map { row in row.map(\.clean) }
        var widths = columns.map { DisplayWidth.of($0.title) }
        for row in clean {
            for (index, cell) in row.enumerated() { widths[index] = max(widths[index], DisplayWidth.of(cell.text)) }
        }
        let total = widths.reduce(0, +) + 2 * (columns.count - 1)
        if width > 0, total > width, let flexible = columns.firstIndex(where: \.isFlexible) {
            widths[flexible] = max(Self.narrowest, widths[flexible] - (total - width))
        }
        let head = line(columns.map { Cell($0.title, .faint) }, widths, width, usesColour)
        return [head] + clean.map { line($0, widths, width, usesColour) }
    }

    /// The table without its last fixed column, if even the narrowest flexible column leaves it too wide.
    private func narrowed(to width: Int) -> TextTable? {
        // The first two columns, which identify the row, are dropped only if there is no room at all.
        let isTooWide = columns.count > 3 ? leastWidth(asNeeded: true) > width : leastWidth(asNeeded: false) > width
        guard isTooWide, columns.count > 2, let last = columns.lastIndex(where: { !$0.isFlexible }) else { return nil }
        var narrower = self
        narrower.columns.remove(at: last)
        for index in narrower.rows.indices { narrower.rows[index].remove(at: last) }
        return narrower
    }

    /// The width of the table with the narrowest possible flexible column.
    ///
    /// - Parameter asNeeded: whether its essential text is kept while other columns can be dropped.
    /// - Returns: the width in cells, including the spaces between columns.
    private func leastWidth(asNeeded: Bool) -> Int {
        var least = 2 * (columns.count - 1)
        for (index, column) in columns.enumerated() {
            guard column.isFlexible else {
                let widest = rows.map { DisplayWidth.of($0[index].text) }.max() ?? 0
                least += max(widest, DisplayWidth.of(column.title))
                continue
            }
            let needed = asNeeded ? rows.map { $0[index].shorter.last.map(DisplayWidth.of) ?? 0 }.max() ?? 0 : 0
            least += max(Self.narrowest, min(needed, Self.widestNeeded))
        }
        return least
    }

    /// The fewest cells of the flexible column.
    private static let narrowest = 8
    /// No other column is dropped to give the flexible one more than this many cells.
    private static let widestNeeded = 64

    private func line(_ cells: [Cell], _ widths: [Int], _ width: Int, _ usesColour: Bool) -> String {
        var parts: [String] = []
        for (index, cell) in cells.enumerated() {
            let text = cell.text(within: widths[index])
            let isLast = index == cells.count - 1
            let room = String(repeating: " ", count: max(0, widths[index] - DisplayWidth.of(text)))
            let shown = cell.style.map { $0(text, usesColour) } ?? text
            parts.append(columns[index].isRightAligned ? room + shown : isLast ? shown : shown + room)
        }
        return parts.joined(separator: "  ")
    }
}
