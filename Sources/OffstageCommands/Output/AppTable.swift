// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// Apps as rows of a table.
package enum AppTable {
    package static func table(_ rows: [AppRow], now: Date) -> TextTable {
        var table = TextTable([
            .init("APP", isFlexible: true), .init("STATE"), .init("SINCE"), .init("PROCESS", isRightAligned: true),
            .init("TRANSFERS", isRightAligned: true),
        ])
        table.rows = rows.map { row in
            [
                .init(row.id), .init(words(row), style(row.state)),
                .init(row.since.map { Format.time($0, now: now) } ?? ""), .init(row.process.map(String.init) ?? ""),
                .init(row.outstanding > 0 ? "\(row.outstanding)" : ""),
            ]
        }
        return table
    }

    /// The state, in a word or two.
    package static func words(_ row: AppRow) -> String {
        switch row.state {
        case .launching, .inactive, .active, .suspended: row.state.rawValue
        case .background: "in background"
        case .terminated: row.isQuit ? "quit" : "not running"
        }
    }

    private static func style(_ state: LifeState) -> Style? {
        switch state {
        case .active, .inactive: .good
        case .launching, .background: .strong
        case .suspended: .caution
        case .terminated: .faint
        }
    }
}
