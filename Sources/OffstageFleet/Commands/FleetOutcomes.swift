// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCommands
import OffstageCore

extension FleetOutcomesCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let found = try DeviceOutcome.last(of: members, most, onlyFailed: showsFailed, context.open())
        if context.command.printsJSON {
            context.output.print(try JSONText.of(["outcomes": found]))
        } else if found.isEmpty {
            context.output.print(
                "No device has shown how such a transfer ended ('offstage fleet join --device --shows')."
            )
        } else {
            context.print(DeviceOutcome.table(found, now: context.command.now()))
        }
        return .success
    }
}

/// How a device's own transfer ended, as reported by the device; in `--json` output (docs/json.md).
struct DeviceOutcome: Encodable {
    let member: String
    /// The transfer's number on the device.
    let transfer: Int64
    let result: String
    let endedAt: Date?
    let path: String
    let url: String
    let bytes: Int64
    let detail: String?

    private init?(_ record: FleetRecord) {
        guard let member = record.text("member", longest: 63),
            let transfer = record.number("transfer", ByteCounts.self),
            let number = record.number("result", Counts.self),
            let result = FleetEnd.Result(rawValue: Int16(clamping: number))
        else { return nil }
        self.member = member.description
        self.transfer = transfer
        switch result {
        case .done: self.result = "done"
        case .failed: self.result = "failed"
        case .cancelled: self.result = "cancelled"
        case .unknown: self.result = "unknown"
        }
        endedAt = record.date("ended_at")
        path = record.text("path")?.description ?? ""
        url = record.text("destination", longest: 8192)?.description ?? ""
        bytes = record.number("bytes", ByteCounts.self) ?? 0
        detail = record.text("detail", longest: 4000)?.description
    }

    /// The last outcomes.
    ///
    /// - Parameters:
    ///   - members: the members whose outcomes to return; all members if empty.
    ///   - most: the maximum number of outcomes.
    ///   - onlyFailed: whether to leave out successful transfers.
    ///   - database: the fleet's database.
    /// - Returns: the outcomes, latest first.
    /// - Throws: `DatabaseError`.
    static func last(
        of members: [String] = [],
        _ most: Int,
        onlyFailed: Bool = false,
        _ database: DatabaseClient
    ) throws(DatabaseError) -> [DeviceOutcome] {
        try database.ask(
            """
            SELECT member, transfer, result, extract(epoch FROM ended_at) AS ended_at, path, destination, bytes, detail \
            FROM offstage.outcomes($1, $2, NULL, $3)
            """,
            [members.isEmpty ? nil : FleetArray.texts(members), onlyFailed ? "t" : "f", "\(most)"]
        ).compactMap(DeviceOutcome.init)
    }

    static func table(_ outcomes: [DeviceOutcome], now: Date) -> TextTable {
        var table = TextTable([
            .init("MEMBER"), .init("ID", isRightAligned: true), .init("ENDED"), .init("RESULT"),
            .init("SIZE", isRightAligned: true), .init("FILE", isFlexible: true),
        ])
        table.rows = outcomes.map { one in
            let name = one.path.pathParts.last ?? one.url
            return [
                .init(one.member), .init("\(one.transfer)"), .init(one.endedAt.map { Format.time($0, now: now) } ?? ""),
                .init(one.result, one.result == "done" ? .good : one.result == "cancelled" ? .faint : .bad),
                .init(Format.bytes(one.bytes)), .init(name + (one.detail.map { " (\($0))" } ?? ""), shorter: [name]),
            ]
        }
        return table
    }
}
