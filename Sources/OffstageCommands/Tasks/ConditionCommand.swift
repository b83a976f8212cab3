// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageProtocol

/// `offstage condition` shows the machine's conditions that affect deferred work.
package struct ConditionCommand: Command {
    package static let path = ["condition"]
    package static let summary = "Show the conditions that deferred tasks depend on, and where each comes from."
    package static let synopsis = [""]
    package static let examples = [CommandExample("offstage condition", "network, power, battery, load and disk")]

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) { try arguments.expectNoOperands() }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let reply = try context.connect().send(GetConditions())
        try Self.show(reply.machine, context)
        return .success
    }

    static func show(_ machine: ConditionsReport, _ context: CommandContext) throws {
        let output = context.output
        if context.printsJSON {
            output.print(try JSONText.of(ConditionsDocument(machine)))
            return
        }
        for line in ConditionsText.lines(machine) { output.print(line) }
        for line in ConditionsText.warnings(machine, usesColour: output.usesColour) { output.print(line) }
    }
}
