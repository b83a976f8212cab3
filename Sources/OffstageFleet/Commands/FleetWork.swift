// SPDX-License-Identifier: Apache-2.0
package import OffstageCommands

/// A command that `offstage` only parses, and that this program carries out.
package protocol FleetWork: Command {
    /// - Throws: `CommandFailure`, `UsageError` or `DatabaseError`.
    func work(_ context: FleetContext) throws -> ExitStatus
}
