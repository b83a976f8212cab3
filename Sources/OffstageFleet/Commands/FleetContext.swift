// SPDX-License-Identifier: Apache-2.0
package import OffstageCommands
import OffstageCore

/// The context of a fleet command: the command line's context, and access to the database.
package struct FleetContext {
    package let command: CommandContext
    /// The address given as an operand, here or to `offstage`; nil if none was.
    let operand: String?

    package init(_ command: CommandContext, operand: String? = nil) {
        self.command = command
        let isOperand = command.environment[FleetProgram.operandVariable] == "1"
        self.operand = operand ?? (isOperand ? command.environment[FleetProgram.databaseVariable] : nil)
    }

    package var output: Output { command.output }

    /// Runs a command.
    ///
    /// - Throws: `CommandFailure` or `UsageError`.
    package static func carryOut(_ command: any Command, _ context: CommandContext) throws -> ExitStatus {
        guard let work = command as? any FleetWork else {
            throw CommandFailure("This program carries out commands for a fleet alone: use 'offstage'.")
        }
        do {
            return try work.work(FleetContext(context, operand: (command as? any FleetCommand)?.database))
        } catch let error as DatabaseError {
            throw failure(error)
        }
    }

    /// The address from the operand, from the environment, from this user's file, or from this machine's member
    /// settings, in this order.
    ///
    /// - Throws: `CommandFailure` if there is none.
    package func place() throws(CommandFailure) -> FleetPlace {
        let kept = try FleetPlace.read(command.paths().fleetPlace)
        if let named = operand ?? command.environment[FleetProgram.databaseVariable], !named.isEmpty {
            // It may be another address of the same fleet, with another login for example.
            return FleetPlace(database: named, fleet: kept?.fleet, fingerprint: kept?.fingerprint)
        }
        if kept == nil, let member = try? MemberSettings.read(command.paths().fleetMember) {
            return FleetPlace(database: member.database, fleet: member.fleet)
        }
        guard let kept else {
            throw CommandFailure(
                "No fleet is known: say which with 'offstage fleet use URL', or in \(FleetProgram.databaseVariable)."
            )
        }
        return kept
    }

    /// A connection to the fleet's database.
    package func open() throws -> DatabaseClient { try DatabaseClient(DatabaseAddress(place().database)) }

    /// One sentence for a person, without the address.
    private static func failure(_ error: DatabaseError) -> CommandFailure {
        let detail = error.description
        switch error.kind {
        case .address: return CommandFailure("\(detail).", .usage)
        case .connection:
            return CommandFailure("The fleet's database cannot be reached: \(detail).", .daemonUnreachable)
        case .rights:
            return CommandFailure(
                "This login may not do that in the fleet (\(detail)): 'offstage fleet grant' lets it, for whoever set the fleet up.",
                .daemonUnreachable
            )
        case .contention, .trouble:
            return CommandFailure("The fleet's database is busy (\(detail)): try again.", .daemonUnreachable)
        case .refused where ["3F000", "42P01", "42883", "42703"].contains(error.code):
            return CommandFailure(
                "This database has no fleet, or one with an older schema: 'offstage fleet init' makes or upgrades it (\(detail)).",
                .daemonUnreachable
            )
        case .fenced, .another, .version, .refused:
            return CommandFailure("The fleet's database refused: \(detail).", .daemonUnreachable)
        }
    }
}
