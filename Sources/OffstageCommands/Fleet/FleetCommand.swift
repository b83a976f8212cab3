// SPDX-License-Identifier: Apache-2.0

/// A command for a fleet. This program only parses it: `offstage-fleet` carries it out, since neither the command nor the daemon
/// links the database's library.
package protocol FleetCommand: Command {
    /// The address of a database that was given as an operand; nil if none was.
    var database: String? { get }
}

extension FleetCommand {
    package var database: String? { nil }

    package func run(_ context: CommandContext) throws -> ExitStatus { try context.fleet(self, context) }
}
