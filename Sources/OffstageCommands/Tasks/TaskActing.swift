// SPDX-License-Identifier: Apache-2.0
package import OffstageClient
package import OffstageCore

/// A command that performs one action on a task: `tasks cancel`, `simulate launch`, `simulate expire`.
package protocol TaskActing: Command {
    var task: String { get }
    /// Makes the daemon perform the action.
    ///
    /// - Returns: the task's previous state.
    func act(_ connection: DaemonConnection) throws(OffstageError) -> TaskRecord
    /// The message after the action.
    func sentence(_ record: TaskRecord, name: String) -> String
}

extension TaskActing {
    package static var operands: OperandKind { .tasks }

    /// - Throws: `CommandFailure` when the name is ambiguous; `OffstageError`.
    private func found(_ connection: DaemonConnection) throws -> TaskRecord {
        do throws(OffstageError) {
            return try act(connection)
        } catch {
            // Handled like a word that matches several apps.
            guard error.code == .badRequest else { throw error }
            throw CommandFailure(error.description, .usage)
        }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let record = try found(context.connect())
        let request = record.request
        if context.printsJSON {
            context.output.print(try JSONText.of(TaskDocument(record)))
        } else {
            let name = "task:\(request.number) (\(TaskText.name(request.identifier, of: request.app)))"
            context.output.print(sentence(record, name: name))
        }
        return .success
    }
}
