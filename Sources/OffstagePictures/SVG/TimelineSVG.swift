// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The timeline as SVG: a self-contained file, identical for identical values.
package struct TimelineSVG: Sendable {
    private let facts: TimelineFacts
    private let picture: TimelinePicture
    private let sentences: TimelineSentences
    private let clock: TimelineClock
    private var body = ""
    private var height = 0

    // Measures in points; a unit of the line is two of them.
    private static let unit = 2
    private static let margin = 16
    private static let label = 176
    private static let line = 400 * unit
    private static let left = margin + label
    private static let right = left + line
    private static let width = right + margin
    private static let bar = 11
    private static let row = 14
    private static let band = 6
    /// The number of letters that fit before the line.
    private static let letters = 26
    /// Narrower bars of successes are drawn together, without a sentence for each.
    private static let narrow = 3

    /// Draws the timeline.
    ///
    /// - Parameters:
    ///   - facts: the data to draw.
    ///   - clock: local time.
    /// - Returns: the file.
    package static func text(_ facts: TimelineFacts, clock: TimelineClock) -> String {
        var drawing = TimelineSVG(facts, clock)
        drawing.draw()
        return drawing.whole
    }

    private init(_ facts: TimelineFacts, _ clock: TimelineClock) {
        self.facts = facts
        self.clock = clock
        picture = TimelinePicture(
            facts,
            in: .init(units: Self.line / Self.unit, rows: 4, spacing: 44 / Self.unit),
            clock: clock
        )
        sentences = TimelineSentences(facts, clock: clock)
    }

    private var whole: String {
        let summary = sentences.summary(picture)
        let start = """
            <svg xmlns="http://www.w3.org/2000/svg" class="offstage-timeline" role="img" width="\(Self.width)" \
            height="\(height)" viewBox="0 0 \(Self.width) \(height)" \
            aria-labelledby="offstage-title offstage-summary">
            <title id="offstage-title">Timeline of Offstage</title>
            <desc id="offstage-summary">\(MarkupText.escaped((summary + lanes).joined(separator: " ")))</desc>
            <style>\(SVGStyle.text)</style>
            \(SVGStyle.patterns)
            <rect class="ground" width="\(Self.width)" height="\(height)"/>

            """
        return start + body + "</svg>\n"
    }

    /// A sentence for each lane, for people who cannot see the picture.
    private var lanes: [String] {
        picture.groups.flatMap { group in group.lanes.map { Self.spoken("\(group.title), \($0.title)", $0) } }
            + picture.bands.map { Self.spoken($0.title, $0) }
    }

    private static func spoken(_ title: String, _ lane: TimelineLane) -> String {
        var tally: [TimelineLook: Int] = [:]
        for bar in lane.rows.joined() { tally.merge(bar.tally, uniquingKeysWith: +) }
        var words = TimelineLook.allCases.compactMap { look in tally[look].map { "\($0) × \(look.words)" } }
        if words.isEmpty {
            let looks = Set(lane.rows.joined().map(\.look))
            words = TimelineLook.allCases.filter { looks.contains($0) }.map(\.words)
        }
        let ahead = lane.marks.reduce(0) { $0 + $1.count }
        return "\(title): \((words + (ahead > 0 ? ["\(ahead) expected"] : [])).joined(separator: ", "))."
    }

    // MARK: From top to bottom

    private mutating func draw() {
        let summary = sentences.summary(picture)
        height = Self.margin + 12
        text("Timeline", Self.margin, height, "head")
        for line in summary {
            height += 17
            text(line, Self.margin, height, "faint")
        }
        height += 26
        let top = height
        // The elements beneath the bars are known only after the bars were drawn.
        let head = body
        body = ""
        height += 8
        for group in picture.groups { draw(group) }
        if picture.groups.isEmpty {
            height += Self.row
            text("Nothing on record for this time.", Self.left, height, "faint")
            height += 8
        }
        if !picture.bands.isEmpty {
            height += 6
            body += "<path class=\"grid\" d=\"M\(Self.margin) \(height)H\(Self.right)\"/>\n"
            height += 6
            for lane in picture.bands { draw(lane, height: Self.band, row: Self.row) }
        }
        let bars = body
        body = head
        drawGround(from: top, to: height)
        body += bars
        if let now = picture.nowUnit {
            let x = x(now)
            body += "<path class=\"now\" d=\"M\(x) \(top - 4)V\(height)\"/>\n"
        }
        drawLegend()
    }

    private mutating func drawGround(from top: Int, to bottom: Int) {
        if let now = picture.nowUnit {
            let x = x(now)
            body +=
                "<rect class=\"ahead\" x=\"\(x)\" y=\"\(top)\" width=\"\(Self.right - x)\" height=\"\(bottom - top)\"/>\n"
        }
        for tick in picture.ticks {
            let x = x(tick.unit)
            body += "<path class=\"grid\" d=\"M\(x) \(top)V\(bottom)\"/>\n"
            text(tick.label, x, top - 6, "faint", "middle")
        }
    }

    private mutating func draw(_ group: TimelineGroup) {
        height += Self.row
        text(group.title, Self.margin, height, "group", limit: Self.letters)
        if let note = group.note { text(note, Self.left, height, "faint") }
        height += 6
        for lane in group.lanes { draw(lane, height: Self.bar, row: Self.row) }
        height += 4
    }

    private mutating func draw(_ lane: TimelineLane, height bar: Int, row: Int) {
        let isBand = bar == Self.band
        text(
            lane.title,
            Self.margin + (isBand ? 0 : 8),
            height + bar - (isBand ? 0 : 2),
            "faint",
            limit: Self.letters
        )
        let top = height
        for bars in lane.rows {
            draw(bars, height: bar)
            height += row
        }
        if lane.rows.isEmpty { height += row }
        // Marks are in the first row, as there are no bars to the right of now.
        for mark in lane.marks { draw(mark, top + bar / 2) }
    }

    private mutating func draw(_ bars: [TimelineBar], height bar: Int) {
        var narrow: [TimelineLook: String] = [:]
        for one in bars {
            let (x, wide) = (x(one.from), (one.to - one.from) * Self.unit)
            // With a gap to the next one, if there is room for it.
            let width = wide > 3 * Self.unit ? wide - 1 : wide
            // Failures stand out, whatever their colour.
            let more = one.look == .failed ? 1 : 0
            if one.to - one.from < Self.narrow, one.look == .succeeded {
                narrow[one.look, default: ""] += "M\(x) \(height)h\(width)v\(bar)h-\(width)z"
                continue
            }
            body += "<rect class=\"\(one.look.rawValue)\" x=\"\(x)\" y=\"\(height - more)\" width=\"\(width)\" "
            body += "height=\"\(bar + 2 * more)\"><title>\(MarkupText.escaped(sentences.of(one)))</title></rect>\n"
        }
        for look in TimelineLook.allCases {
            if let path = narrow[look] { body += "<path class=\"\(look.rawValue)\" d=\"\(path)\"/>\n" }
        }
    }

    private mutating func draw(_ mark: TimelineMark, _ y: Int) {
        body += "<path class=\"mark\" d=\"\(Self.shape(mark.look, x(mark.unit), y))\">"
        body += "<title>\(MarkupText.escaped(sentences.of(mark)))</title></path>\n"
    }

    /// A circle, a triangle, a square or a diamond.
    private static func shape(_ look: TimelineMark.Look, _ x: Int, _ y: Int) -> String {
        switch look {
        case .retry: "M\(x - 3) \(y)a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"
        case .begin: "M\(x - 3) \(y - 4)l7 4l-7 4z"
        case .look: "M\(x - 3) \(y - 3)h6v6h-6z"
        case .run: "M\(x) \(y - 4)l4 4l-4 4l-4-4z"
        }
    }

    private mutating func drawLegend() {
        height += 20
        var x = Self.margin
        func place(_ words: String) -> (x: Int, y: Int) {
            let wide = 24 + words.count * 6 + 14
            if x + wide > Self.right {
                x = Self.margin
                height += 18
            }
            defer { x += wide }
            return (x, height)
        }
        for look in picture.looks {
            let (x, y) = place(look.words)
            body += "<rect class=\"\(look.rawValue)\" x=\"\(x)\" y=\"\(y - 9)\" width=\"16\" height=\"10\"/>"
            text(look.words, x + 22, y, "faint")
        }
        for look in picture.markLooks {
            let (x, y) = place(look.words)
            body += "<path class=\"mark\" d=\"\(Self.shape(look, x + 8, y - 4))\"/>"
            text(look.words, x + 22, y, "faint")
        }
        height += Self.margin
    }

    // MARK: Parts

    private func x(_ unit: Int) -> Int { Self.left + unit * Self.unit }

    private mutating func text(
        _ text: String,
        _ x: Int,
        _ y: Int,
        _ look: String,
        _ anchor: String? = nil,
        limit: Int? = nil
    ) {
        let shown = limit.map { MarkupText.cut(text, to: $0) } ?? text
        let place = anchor.map { " text-anchor=\"\($0)\"" } ?? ""
        // Shortened text has the full text as its tooltip.
        let whole = shown == text ? "" : "<title>\(MarkupText.escaped(text))</title>"
        body += "<text class=\"\(look)\" x=\"\(x)\" y=\"\(y)\"\(place)>\(MarkupText.escaped(shown))\(whole)</text>\n"
    }
}
