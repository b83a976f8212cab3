// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCommands
package import OffstageCore

/// A row, as shown to people. It comes from untrusted values, and its texts are safe to show.
package struct ListedRow: Sendable, Encodable {
    package let id: Int64
    package let state: FleetStanding.State
    let queue: String
    let host: String
    let labels: [String]
    /// 0 to 1.
    let priority: Double
    let submitter: String
    let submittedAt: Date?
    let label: String?
    let path: String
    let destination: String
    let bytes: Int64
    let isRepeatable: Bool
    let fence: Int32
    let member: String?
    /// The requested action on a row under way: cancel or pause.
    let wanted: String?
    let readyAt: Date?
    let since: Date?
    let bytesDone: Int64
    let status: Int?
    let detail: String?
    let receipt: String?

    /// Returns nil for a record that is not a row, or whose state this version does not know.
    init?(_ record: FleetRecord) {
        guard let id = record.number("id", FleetRowNumbers.self),
            let state = record.number("state", Counts.self).flatMap(FleetStanding.State.init(rawValue:))
        else { return nil }
        self.id = id
        self.state = state
        queue = record.text("queue", longest: 63)?.description ?? ""
        host = record.text("host", longest: 253)?.description ?? ""
        labels = record.labels("requires", most: FleetLabels.mostOfRow)?.texts ?? []
        priority = Double(record.number("priority", Counts.self).map { min($0, 100) } ?? 50) / 100
        submitter = record.text("submitter", longest: 63)?.description ?? ""
        submittedAt = record.date("submitted_at")
        label = record.text("label", longest: 1000)?.description
        path = record.text("path")?.description ?? ""
        destination = record.text("destination", longest: 8192)?.description ?? ""
        bytes = record.number("bytes", ByteCounts.self) ?? 0
        isRepeatable = record.flag("is_repeatable") ?? false
        fence = record.number("fence", FleetFences.self) ?? 0
        member = record.text("member", longest: 63)?.description
        switch FleetWish(column: record.raw("wanted")) {
        case .cancel: wanted = "cancel"
        case .pause: wanted = "pause"
        case .moveOn, nil: wanted = nil
        }
        readyAt = record.date("ready_at")
        since = record.date("since")
        bytesDone = record.number("bytes_done", ByteCounts.self) ?? 0
        status = record.number("status", StatusCodes.self)
        detail = record.text("detail", longest: 4000)?.description
        receipt = record.text("receipt", longest: 65_536)?.description
    }

    private enum CodingKeys: String, CodingKey {
        case id, state, queue, host, labels, priority, submitter, submittedAt, label, path, url, bytesTotal,
            isRepeatable
        case fence, member, wanted, readyAt, since, bytesDone, status, detail, receipt
    }

    /// In `--json` output (docs/json.md).
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(state.word, forKey: .state)
        try container.encode(queue, forKey: .queue)
        try container.encode(host, forKey: .host)
        try container.encode(labels, forKey: .labels)
        try container.encode(priority, forKey: .priority)
        try container.encode(submitter, forKey: .submitter)
        try container.encodeIfPresent(submittedAt, forKey: .submittedAt)
        try container.encodeIfPresent(label, forKey: .label)
        try container.encode(path, forKey: .path)
        try container.encode(destination, forKey: .url)
        try container.encode(bytes, forKey: .bytesTotal)
        try container.encode(isRepeatable, forKey: .isRepeatable)
        try container.encode(fence, forKey: .fence)
        try container.encodeIfPresent(member, forKey: .member)
        try container.encodeIfPresent(wanted, forKey: .wanted)
        try container.encodeIfPresent(readyAt, forKey: .readyAt)
        try container.encodeIfPresent(since, forKey: .since)
        try container.encode(bytesDone, forKey: .bytesDone)
        try container.encodeIfPresent(status, forKey: .status)
        try container.encodeIfPresent(detail, forKey: .detail)
        try container.encodeIfPresent(receipt, forKey: .receipt)
    }

    /// The state as a word, coloured by its meaning.
    package var stateCell: TextTable.Cell {
        switch state {
        case .waiting: .init("waiting", .faint)
        case .leased: .init(wanted == nil ? "leased" : wanted == "pause" ? "pausing" : "cancelling", .strong)
        case .later: .init("later", .caution)
        case .paused: .init("paused", .caution)
        case .done: .init("done", .good)
        case .failed: .init("failed", .bad)
        case .cancelled: .init("cancelled", .faint)
        case .unknown: .init("unknown", .bad)
        }
    }

    /// `label: big.iso → files.example`.
    var way: String {
        "\(label.map { "\($0): " } ?? "")\(path.pathParts.last ?? path) → \(host)"
    }

    /// Rows as a table.
    package static func table(_ rows: [ListedRow]) -> TextTable {
        var table = TextTable([
            .init("ID", isRightAligned: true), .init("STATE"), .init("DONE", isRightAligned: true),
            .init("SIZE", isRightAligned: true), .init("MEMBER"), .init("FILE", isFlexible: true),
        ])
        table.rows = rows.map { row in
            let remark = row.state == .done ? nil : row.detail
            return [
                .init("\(row.id)"), row.stateCell, .init(row.doneText), .init(Format.bytes(row.bytes)),
                .init(row.member ?? ""), .init(row.way + (remark.map { " (\($0))" } ?? ""), shorter: [row.way]),
            ]
        }
        return table
    }

    private var doneText: String {
        guard state == .leased || state == .later || state == .paused, bytesDone > 0 else { return "" }
        return Format.percent(done: bytesDone, total: bytes).map { "\($0)%" } ?? ""
    }
}
