// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage condition clear [NAME…]` restores the machine's own conditions.
package struct ConditionClearCommand: Command {
    package static let path = ["condition", "clear"]
    package static let summary = "Restore the machine's own conditions."
    package static let synopsis = ["[NAME…]"]
    package static let discussion = "Without a name: all of them."
    package static let operands = OperandKind.words(ConditionsText.names)
    package static let examples = [
        CommandExample("offstage condition clear", "stop pretending"),
        CommandExample("offstage condition clear network", "only the real network again"),
    ]

    let names: [String]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        names = arguments.takeOperands()
        for name in names where !ConditionsText.names.contains(name) {
            throw UsageError(
                "'\(name)' is not a condition; choose from \(ConditionsText.names.joined(separator: ", "))"
            )
        }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        var pretended = PretendedConditions()
        if !names.isEmpty {
            pretended = try connection.send(GetConditions()).machine.pretended
            for name in names { Self.clear(name, in: &pretended) }
        }
        let reply = try connection.send(PretendConditions(pretended: pretended))
        try ConditionCommand.show(reply.machine, context)
        return .success
    }

    private static func clear(_ name: String, in pretended: inout PretendedConditions) {
        switch name {
        case "network": pretended.network = nil
        case "power": pretended.hasExternalPower = nil
        case "battery": pretended.batteryCharge = nil
        case "load": pretended.isBusy = nil
        case "disk": pretended.isDiskFull = nil
        default: pretended.isDataLow = nil
        }
    }
}
