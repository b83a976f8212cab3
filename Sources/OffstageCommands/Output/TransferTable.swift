// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// Transfers as rows of a table, with a column for the owner if some belong to an app.
package enum TransferTable {
    package static func table(_ rows: [TransferRow], now: Date) -> TextTable {
        let hasApps = rows.contains { $0.owner != AppIdentity.command }
        var table = TextTable(
            [
                .init("ID", isRightAligned: true), .init("STATE"), .init("DONE", isRightAligned: true),
                .init("SIZE", isRightAligned: true),
            ] + (hasApps ? [.init("OWNER")] : []) + [.init("TRANSFER", isFlexible: true)]
        )
        table.rows = rows.map { row in
            [
                .init("\(row.id)"), state(row), .init(done(row)), .init(row.bytesTotal.map(Format.bytes) ?? ""),
            ] + (hasApps ? [.init(owner(row))] : []) + [what(row, now: now)]
        }
        return table
    }

    /// An app's bundle identifier, or the name of its executable: `show` prints its path.
    private static func owner(_ row: TransferRow) -> String {
        (row.owner.pathParts.last ?? row.owner).redactedControls
    }

    /// The state in a word, coloured by its meaning.
    package static func state(_ row: TransferRow) -> TextTable.Cell {
        switch row.kind {
        case .queued: .init("queued", .faint)
        case .waiting: .init("waiting", .caution)
        case .running:
            switch row.reason.cause {
            case .saving: .init("saving", .strong)
            case .fileSystem: .init("stalled", .caution)
            default: .init("running", .strong)
            }
        case .paused: .init("paused", .caution)
        case .finished:
            switch row.reason.cause {
            case .completed(let status): status >= 400 ? .init("answered \(status)", .bad) : .init("done", .good)
            case .leftOut: .init("left out", .faint)
            case .cancelled: .init("cancelled", .faint)
            case .released: .init("let go", .faint)
            default: .init("failed", .bad)
            }
        }
    }

    private static func done(_ row: TransferRow) -> String {
        if let percent = Format.percent(done: row.bytesDone, total: row.bytesTotal) { return "\(percent)%" }
        return row.bytesDone > 0 ? Format.bytes(row.bytesDone) : ""
    }

    /// Label, name and host, with what matters now: why it does not run, or how long it will take. If there is too
    /// little room, the host is dropped first, then as much of the name's end as necessary.
    private static func what(_ row: TransferRow, now: Date) -> TextTable.Cell {
        let name = name(row)
        let way = way(row)
        guard let remark = remark(row, now: now) else { return .init(way, shorter: [name]) }
        let tail = " (\(remark))"
        let short = DisplayWidth.truncated(name, to: 10) + tail
        return .init(way + tail, shorter: [name + tail, short], elastic: .init(name, tail))
    }

    private static func name(_ row: TransferRow) -> String { (row.label.map { "\($0): " } ?? "") + row.fileName }

    /// `big.iso ← files.example`, in the direction of the bytes.
    package static func way(_ row: TransferRow) -> String {
        "\(name(row)) \(row.isUpload ? "→" : "←") \(place(row))"
    }

    /// The host, or the whole place of an upload to an account. The name beside it shows the remainder.
    private static func place(_ row: TransferRow) -> String {
        // The place where the server has put a file may be more useful than the host.
        guard row.dialect == nil || row.kind != .finished, let url = try? RequestURL(row.url) else { return row.url }
        let host = HostName.readable(url.host)
        if url.port == (url.scheme == "https" ? 443 : 80) { return host ?? url.host }
        return host.map { "\($0):\(url.port)" } ?? url.hostKey
    }

    /// Details beyond the state.
    private static func remark(_ row: TransferRow, now: Date) -> String? {
        switch row.kind {
        case .queued, .waiting: return RowReason.text(row, now: now)
        case .running:
            if case .fileSystem = row.reason.cause { return row.reason.summary }
            let left = Format.secondsLeft(done: row.bytesDone, total: row.bytesTotal, rate: row.rate)
            let parts = [
                row.standing, row.rate > 0 ? Format.rate(row.rate) : nil, left.map { "\(Format.duration($0)) left" },
            ].compactMap(\.self)
            return parts.isEmpty ? nil : parts.joined(separator: ", ")
        case .finished: if case .failed(let failure) = row.reason.cause { return failure.detail } else { return nil }
        case .paused: return nil
        }
    }
}
