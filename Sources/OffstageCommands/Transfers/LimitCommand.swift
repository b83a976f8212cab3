// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
package import OffstageCore
import OffstageProtocol

/// `offstage limit [ID] SPEED` changes a bandwidth limit of running transfers.
package struct LimitCommand: Command {
    package static let path = ["limit"]
    package static let summary = "Show or change the bandwidth limit of all transfers or of one."
    package static let synopsis = ["", "SPEED", "ID SPEED"]
    package static let discussion = """
        SPEED is in bytes per second as for --limit-rate (500k, 2M), or 'none'; small numbers need a unit (1234B), since
        they could be a transfer's. The limit of all transfers lasts until the daemon stops, or the settings' schedule next
        changes; rateLimit in the settings is permanent.
        """
    package static let operands = OperandKind.words(["none"])
    package static let examples = [
        CommandExample("offstage limit 2M", "all transfers together: 2 MiB per second"),
        CommandExample("offstage limit 7 none", "let transfer 7 run freely"),
    ]

    /// The requested operation.
    package enum Request: Equatable {
        case show
        case set(TransferID?, Int64?)
    }

    package let request: Request

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let words = arguments.takeOperands()
        switch words.count {
        case 0: request = .show
        case 1: request = .set(nil, try Self.speed(words[0], isForAll: true))
        case 2:
            let ids = try IDArguments.parse([words[0]])
            guard ids.count == 1 else { throw UsageError("a limit is set for one transfer at a time") }
            request = .set(ids.first, try Self.speed(words[1]))
        default: throw UsageError("give a speed, or a transfer's number and a speed")
        }
    }

    /// A smaller number as the limit of all transfers needs a unit, as it is more likely a transfer's number.
    private static let smallestBareNumberForAll: Int64 = 1_000_000

    private static func speed(_ text: String, isForAll: Bool = false) throws(UsageError) -> Int64? {
        if text == "none" || text == "0" { return nil }
        guard let bytes = Quantity.bytes(text), bytes > 0 else {
            throw UsageError("'\(text)' is not a speed such as 500k or 2M, or none")
        }
        if Quantity.isSlip(text, bytes) {
            let hint = isForAll ? "; 'offstage show \(text)' shows a transfer" : ""
            throw UsageError(
                "\(text) bytes per second is next to nothing: write \(text)k or \(text)M, or \(text)B if you mean it\(hint)"
            )
        }
        guard !isForAll || bytes >= smallestBareNumberForAll || !Quantity.isBare(text) else {
            throw UsageError(
                "'\(text)' could be a transfer's number: write \(text)B to limit all transfers together to \(Format.rate(Double(bytes))), or 'offstage limit \(text) SPEED' to limit that one"
            )
        }
        return bytes
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        let limit: Int64?
        let id: TransferID?
        var schedule: ScheduleStatus?
        switch request {
        case .show:
            let status = try connection.send(GetStatus())
            (id, limit, schedule) = (nil, status.rateLimit, status.schedule)
        case .set(let transfer, let bytes):
            _ = try connection.send(SetRateLimit(id: transfer, bytesPerSecond: bytes))
            (id, limit) = (transfer, bytes)
        }
        if context.printsJSON {
            let document = Document(
                id: id?.rawValue,
                rateLimit: limit,
                isPausedBySchedule: schedule.map { $0.isInForce && $0.isPause },
                until: schedule?.until
            )
            context.output.print(try JSONText.of(document))
        } else {
            context.output.print(Self.sentence(id, limit, schedule, now: context.now()))
        }
        return .success
    }

    static func sentence(_ id: TransferID?, _ limit: Int64?, _ schedule: ScheduleStatus?, now: Date) -> String {
        let until = schedule?.until.map { " until \(Format.time($0, now: now))" } ?? ""
        if let schedule, schedule.isInForce, schedule.isPause {
            return "The schedule in the settings allows no transfers\(until)."
        }
        let who = id.map { "Transfer \($0) has" } ?? "All transfers together have"
        let what = limit.map { "a limit of \(Format.rate(Double($0)))" } ?? "no limit"
        let why = schedule.map { $0.isInForce ? ", by the schedule in the settings" : "" } ?? ""
        return "\(who) \(what)\(until)\(why)."
    }

    struct Document: Encodable {
        let id: Int64?
        let rateLimit: Int64?
        /// Left out if the settings have no schedule.
        let isPausedBySchedule: Bool?
        let until: Date?
    }
}
