// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// Transfers as the rows of a table; whose they are is a column where some are an app's.
package enum TransferTable {
    package static func table(_ rows: [TransferRow], now: Date) -> TextTable {
        let hasApps = rows.contains { $0.owner != AppIdentity.command }
        var table = TextTable(
            [
                .init("ID", isRightAligned: true), .init("STATE"), .init("DONE", isRightAligned: true),
                .init("SIZE", isRightAligned: true), .init("RATE", isRightAligned: true),
            ] + (hasApps ? [.init("OWNER")] : []) + [.init("TRANSFER", isFlexible: true)]
        )
        table.rows = rows.map { row in
            [
                .init("\(row.id)"), state(row), .init(done(row)), .init(row.bytesTotal.map(Format.bytes) ?? ""),
                .init(row.rate > 0 ? Format.rate(row.rate) : ""),
            ] + (hasApps ? [.init(owner(row))] : []) + [.init(what(row, now: now))]
        }
        return table
    }

    /// An app's bundle identifier, or the name of its executable: `show` says where that is.
    private static func owner(_ row: TransferRow) -> String {
        (row.owner.split(separator: "/").last.map(String.init) ?? row.owner).redactedControls
    }

    /// How it stands, in a word, coloured by what it means.
    package static func state(_ row: TransferRow) -> TextTable.Cell {
        switch row.kind {
        case .queued: .init("queued", .faint)
        case .waiting: .init("waiting", .caution)
        case .running:
            if case .saving = row.reason.cause { .init("saving", .strong) } else { .init("running", .strong) }
        case .paused: .init("paused", .caution)
        case .finished:
            switch row.reason.cause {
            case .completed(let status): status >= 400 ? .init("answered \(status)", .bad) : .init("done", .good)
            case .cancelled: .init("cancelled", .faint)
            default: .init("failed", .bad)
            }
        }
    }

    private static func done(_ row: TransferRow) -> String {
        if let percent = Format.percent(done: row.bytesDone, total: row.bytesTotal) { return "\(percent)%" }
        return row.bytesDone > 0 ? Format.bytes(row.bytesDone) : ""
    }

    /// Label, way, and the reason where it says more than the state does.
    private static func what(_ row: TransferRow, now: Date) -> String {
        var text = row.label.map { "\($0): " } ?? ""
        text += row.isUpload ? "\(row.fileName) → \(row.url)" : "\(row.fileName) ← \(row.url)"
        switch row.kind {
        case .queued, .waiting: text += " (\(FollowLines.reason(row, now: now)))"
        case .running where row.standing != nil: text += " (\(row.standing ?? ""))"
        case .finished: if case .failed(let failure) = row.reason.cause { text += " (\(failure.detail))" }
        case .running, .paused: break
        }
        return text
    }
}
