// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Arranges spans in rows of bars that do not overlap. However many spans there are, a row has no more bars than the
/// line has units.
struct TimelineStrip {
    private struct Piece {
        var span: TimelineSpan
        var look: TimelineLook
        var units: Range<Int>

        var isNarrow: Bool { units.count == 1 }
    }

    /// One unit of a row.
    private struct Cell {
        /// The first piece that covers the cell; -1 if there is none.
        var piece = -1
        var isShared = false
        var look = TimelineLook.daemon
    }

    /// The end of a row, which decides where the next piece is placed.
    private struct End {
        var pieces: [Int] = []
        var unit = 0
        /// The unit of the narrow pieces at the row's end; nil if the last piece is wide.
        var narrow: Int?
    }

    private let scale: TimelineScale
    private var pieces: [Piece]

    /// - Parameters:
    ///   - spans: the spans to draw, in any order. Spans outside the line are left out.
    ///   - scale: the line.
    init(_ spans: some Sequence<TimelineSpan>, on scale: TimelineScale) {
        self.scale = scale
        pieces = spans.compactMap { span in
            guard let look = TimelineLook(span.subject), let units = scale.range(span.began, span.ended) else {
                return nil
            }
            return Piece(span: span, look: look, units: units)
        }
        // The order depends only on the values, so equal values make equal pictures.
        pieces.sort { left, right in
            if left.units.lowerBound != right.units.lowerBound { return left.units.lowerBound < right.units.lowerBound }
            if left.span.began != right.span.began { return left.span.began < right.span.began }
            if left.span.ended != right.span.ended { return left.span.ended > right.span.ended }
            return left.span.order < right.span.order
        }
    }

    /// The bars, in at most `limit` rows. A bar in the last row may represent several simultaneous spans.
    func rows(atMost limit: Int) -> [[TimelineBar]] {
        var ends: [End] = []
        for (index, piece) in pieces.enumerated() {
            let start = piece.units.lowerBound
            var row = ends.firstIndex { $0.unit <= start || piece.isNarrow && $0.narrow == start }
            if row == nil, ends.count < max(1, limit) {
                ends.append(End())
                row = ends.count - 1
            }
            let place = row ?? ends.count - 1
            ends[place].pieces.append(index)
            ends[place].unit = max(ends[place].unit, piece.units.upperBound)
            ends[place].narrow = piece.isNarrow ? start : nil
        }
        return ends.map { bars($0.pieces) }
    }

    private func bars(_ indices: [Int]) -> [TimelineBar] {
        let cells = cells(indices)
        var bars: [TimelineBar] = []
        /// The bar that covers a unit.
        var places = [Int](repeating: -1, count: cells.count)
        for (unit, cell) in cells.enumerated() where cell.piece >= 0 {
            if unit > 0, cells[unit - 1].piece >= 0, isSameBar(cells[unit - 1], cell) {
                bars[bars.count - 1].to = unit + 1
            } else {
                let span = pieces[cell.piece].span
                bars.append(
                    TimelineBar(
                        from: unit,
                        to: unit + 1,
                        look: cell.look,
                        began: span.began,
                        ended: span.ended,
                        single: span,
                        tally: [:]
                    )
                )
            }
            places[unit] = bars.count - 1
        }
        for index in indices {
            let piece = pieces[index]
            let place = places[piece.units.lowerBound]
            let isFirst = bars[place].tally.isEmpty
            bars[place].single = isFirst ? piece.span : nil
            bars[place].began = isFirst ? piece.span.began : min(bars[place].began, piece.span.began)
            bars[place].ended = isFirst ? piece.span.ended : max(bars[place].ended, piece.span.ended)
            bars[place].tally[piece.look, default: 0] += 1
        }
        return bars
    }

    private func cells(_ indices: [Int]) -> [Cell] {
        var cells = [Cell](repeating: Cell(), count: scale.units)
        for index in indices {
            let look = pieces[index].look
            for unit in pieces[index].units {
                if cells[unit].piece < 0 {
                    cells[unit] = Cell(piece: index, isShared: false, look: look)
                } else {
                    cells[unit].isShared = true
                    if look.weight > cells[unit].look.weight { cells[unit].look = look }
                }
            }
        }
        return cells
    }

    /// Whether two adjacent units belong to one bar: to the same span, or to narrow spans that look the same.
    private func isSameBar(_ left: Cell, _ right: Cell) -> Bool {
        if !left.isShared, !right.isShared, left.piece == right.piece { return true }
        func isMerged(_ cell: Cell) -> Bool { cell.isShared || pieces[cell.piece].isNarrow }
        return isMerged(left) && isMerged(right) && left.look == right.look
    }
}

extension TimelineSpan {
    /// Orders spans with the same times.
    fileprivate var order: String {
        switch subject {
        case .attempt(let attempt): "\(attempt.transfer)/\(attempt.number)/\(attempt.outcome.rawValue)"
        case .run(let run): "\(run.identifier)/\(run.outcome.rawValue)"
        case .app(let app, let state): "\(app)/\(state.rawValue)"
        case .network(let network): network.rawValue
        case .power(let isExternal): "\(isExternal)"
        case .daemon: ""
        }
    }
}
