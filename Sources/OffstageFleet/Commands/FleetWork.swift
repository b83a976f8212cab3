// SPDX-License-Identifier: Apache-2.0
package import OffstageCommands

/// What this program does for a command that `offstage` only parses.
package protocol FleetWork: Command {
    /// - Throws: `CommandFailure`, `UsageError` or `DatabaseError`.
    func work(_ context: FleetContext) throws -> ExitStatus
}
