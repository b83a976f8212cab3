// SPDX-License-Identifier: Apache-2.0

/// A command for a fleet. This program only parses it, and `offstage-fleet` carries it out, since neither this program
/// nor the daemon links the database's library.
package protocol FleetCommand: Command {
    /// The database's address, if it was given as an operand; nil otherwise.
    var database: String? { get }
}

extension FleetCommand {
    package var database: String? { nil }

    package func run(_ context: CommandContext) throws -> ExitStatus { try context.fleet(self, context) }
}
