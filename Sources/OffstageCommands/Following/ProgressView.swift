// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// The lines of a terminal that show the progress of transfers.
package struct ProgressView {
    /// The most transfers with their own line.
    package static let longest = 8

    package var columns: Int
    package var usesColour: Bool
    /// Whether block letters may be used (a UTF-8 locale).
    package var usesBlocks: Bool

    package init(columns: Int, usesColour: Bool, usesBlocks: Bool) {
        self.columns = columns
        self.usesColour = usesColour
        self.usesBlocks = usesBlocks
    }

    /// Running transfers first, then waiting ones, then one line for all other transfers.
    package func lines(_ transfers: FollowedTransfers, now: Date) -> [String] {
        var shown: [TransferRow] = transfers.running.prefix(Self.longest).compactMap { transfers.rows[$0] }
        if shown.count < Self.longest, transfers.unfinished.count <= Self.longest {
            shown += transfers.ids.compactMap { id in
                guard transfers.unfinished.contains(id), let row = transfers.rows[id], row.kind != .running else {
                    return nil
                }
                return row
            }
        }
        var lines = shown.map { $0.kind == .running ? bar($0) : waiting($0, now: now) }
        let rest = transfers.unfinished.count - shown.count
        if rest > 0 || transfers.ids.count > Self.longest {
            let ended = transfers.ids.count - transfers.unfinished.count
            lines.append(
                cut(
                    "\(ended) of \(transfers.ids.count) ended, \(transfers.running.count) running, \(max(0, transfers.unfinished.count - transfers.running.count)) waiting"
                )
            )
        }
        return lines
    }

    private func waiting(_ row: TransferRow, now: Date) -> String {
        let text = cut("\(row.id) \(row.fileName.redactedControls): \(RowReason.text(row, now: now))")
        return row.kind == .waiting ? Style.caution(text, usesColour) : Style.faint(text, usesColour)
    }

    /// `7 big.iso  [█████░░░░░]  45%  115 MiB of 256 MiB  12.3 MiB/s  0:11 left`, as much of it as fits.
    package func bar(_ row: TransferRow) -> String {
        let name = "\(row.id) " + DisplayWidth.truncated(row.fileName.redactedControls, to: 24)
        switch row.reason.cause {
        case .saving, .fileSystem: return cut("\(name): \(row.reason.summary)")
        default: break
        }
        var right: [String] = []
        let percent = Format.percent(done: row.bytesDone, total: row.bytesTotal)
        if let percent { right.append(padded("\(percent)%", 4)) }
        let amount = Format.bytes(row.bytesDone) + (row.bytesTotal.map { " of \(Format.bytes($0))" } ?? "")
        right.append(amount)
        right.append(padded(Format.rate(row.rate), 10))
        if let left = Format.secondsLeft(done: row.bytesDone, total: row.bytesTotal, rate: row.rate) {
            right.append("\(Format.duration(left)) left")
        }
        var tail = right.joined(separator: "  ")
        var room = columns - 1 - DisplayWidth.of(name) - DisplayWidth.of(tail) - 6
        if room < 10, right.count > 2 {
            right.remove(at: percent == nil ? 0 : 1)
            tail = right.joined(separator: "  ")
            room = columns - 1 - DisplayWidth.of(name) - DisplayWidth.of(tail) - 6
        }
        guard let percent, room >= 5 else { return cut("\(name)  \(tail)") }
        let width = min(40, room)
        let filled = width * percent / 100
        let full = String(repeating: usesBlocks ? "█" : "#", count: filled)
        let empty = String(repeating: usesBlocks ? "░" : "-", count: width - filled)
        return "\(name)  [\(Style.good(full, usesColour))\(empty)]  \(tail)"
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Truncates a line. One column is left free, so no terminal wraps the line.
    private func cut(_ text: String) -> String { DisplayWidth.truncated(text, to: max(1, columns - 1)) }
}
