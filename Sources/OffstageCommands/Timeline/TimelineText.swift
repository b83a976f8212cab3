// SPDX-License-Identifier: Apache-2.0
package import OffstagePictures

/// The timeline in a terminal: a line for each lane, and a column for every few minutes.
package struct TimelineText: Sendable {
    private let picture: TimelinePicture
    private let sentences: TimelineSentences
    private let glyphs: TimelineGlyphs
    private let width: Int
    /// Columns before the line.
    private let margin: Int

    /// The columns used without a terminal, and the minimum number of columns.
    private static let usualWidth = 100
    private static let leastWidth = 40

    /// - Parameters:
    ///   - facts: the data to draw.
    ///   - width: columns of the terminal; 0 for none.
    ///   - glyphs: the characters to draw with.
    ///   - clock: local time.
    package init(_ facts: TimelineFacts, width: Int, glyphs: TimelineGlyphs, clock: TimelineClock) {
        self.width = max(Self.leastWidth, width == 0 ? Self.usualWidth : min(width, 400))
        self.glyphs = glyphs
        sentences = TimelineSentences(facts, clock: clock)
        margin = min(26, self.width / 3)
        let room = TimelinePicture.Room(units: self.width - margin, rows: 1, spacing: 9)
        picture = TimelinePicture(facts, in: room, clock: clock)
    }

    package func lines(usesColour: Bool) -> [String] {
        var lines = sentences.summary(picture).flatMap { DisplayWidth.wrapped(glyphs.fit($0), to: width) }
        lines += ["", ticks, ruler]
        for group in picture.groups {
            lines.append(Style.strong(glyphs.fit(DisplayWidth.truncated(group.title, to: width)), usesColour))
            if let note = group.note { lines.append(Style.faint(title(note, to: width), usesColour)) }
            lines += group.lanes.map { line($0, indent: 2, usesColour) }
        }
        if picture.groups.isEmpty { lines.append("Nothing on record for this time.") }
        if !picture.bands.isEmpty {
            lines.append("")
            lines += picture.bands.map { line($0, indent: 0, usesColour) }
        }
        return lines + legend(usesColour)
    }

    /// The labels, each at the position of its time.
    private var ticks: String {
        var text = String(repeating: " ", count: margin)
        for tick in picture.ticks {
            let column = margin + tick.unit
            guard column + tick.label.count <= width, column >= text.count else { continue }
            text += String(repeating: " ", count: column - text.count) + tick.label
        }
        return text
    }

    private var ruler: String {
        var cells = [Character](repeating: glyphs.ruler, count: picture.scale.units)
        for tick in picture.ticks { cells[tick.unit] = glyphs.tick }
        if let now = picture.nowUnit { cells[now] = glyphs.present }
        return String(repeating: " ", count: margin) + String(cells)
    }

    /// A title and its bars, overlaid with the marks.
    private func line(_ lane: TimelineLane, indent: Int, _ usesColour: Bool) -> String {
        var cells = [(glyph: Character, style: Style?)](repeating: (" ", nil), count: picture.scale.units)
        if let now = picture.nowUnit { cells[now] = (glyphs.now, .faint) }
        for bar in lane.rows.joined() {
            for unit in bar.from..<bar.to { cells[unit] = (glyphs.glyph(bar.look), TimelineGlyphs.style(bar.look)) }
        }
        for mark in lane.marks { cells[mark.unit] = (glyphs.glyph(mark.look), .strong) }
        let blank = String(repeating: " ", count: indent)
        return title(blank + lane.title, to: margin - 1) + " " + Self.drawn(cells, usesColour)
    }

    private func title(_ text: String, to width: Int) -> String {
        let shown = glyphs.fit(DisplayWidth.truncated(text, to: glyphs.isUnicode ? width : width - 1))
        return shown + String(repeating: " ", count: max(0, width - DisplayWidth.of(shown)))
    }

    /// The characters, grouped by style.
    private static func drawn(_ cells: [(glyph: Character, style: Style?)], _ usesColour: Bool) -> String {
        let end = cells.lastIndex { $0.glyph != " " }.map { $0 + 1 } ?? 0
        var text = ""
        var run = ""
        var style: Style?
        for cell in cells[..<end] {
            if cell.style != style {
                text += style.map { $0(run, usesColour) } ?? run
                (run, style) = ("", cell.style)
            }
            run.append(cell.glyph)
        }
        return text + (style.map { $0(run, usesColour) } ?? run)
    }

    private func legend(_ usesColour: Bool) -> [String] {
        let entries =
            picture.looks.map { (glyphs.glyph($0), TimelineGlyphs.style($0), $0.words) }
            + picture.markLooks.map { (glyphs.glyph($0), Style.strong as Style?, $0.words) }
        guard !entries.isEmpty else { return [] }
        var lines = ["", ""]
        var used = 0
        for (glyph, style, words) in entries {
            let wide = 2 + words.count
            if used > 0, used + 3 + wide > width {
                lines.append("")
                used = 0
            }
            if used > 0 {
                lines[lines.count - 1] += "   "
                used += 3
            }
            let drawn = style.map { $0(String(glyph), usesColour) } ?? String(glyph)
            lines[lines.count - 1] += "\(drawn) \(words)"
            used += wide
        }
        return lines
    }
}
