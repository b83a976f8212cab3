// SPDX-License-Identifier: Apache-2.0

/// One command: a value that is created from the words after its name, and runs in a context.
package protocol Command {
    /// The words of its name: `["daemon", "status"]`.
    static var path: [String] { get }
    /// A description in one line.
    static var summary: String { get }
    /// The arguments after the name, one line for each form.
    static var synopsis: [String] { get }
    /// Further explanations beyond the options; may be empty.
    static var discussion: String { get }
    static var options: [CommandOption] { get }
    static var operands: OperandKind { get }
    /// The message about words from another program's command lines, without a full stop; nil if there are none.
    static func misunderstanding(_ words: [String]) -> String?
    /// Working command lines, with descriptions.
    static var examples: [CommandExample] { get }

    /// - Throws: `UsageError`.
    init(_ arguments: inout ArgumentCursor) throws(UsageError)
    /// - Throws: `CommandFailure`, `OffstageError` or `UsageError`, which the tool prints.
    func run(_ context: CommandContext) throws -> ExitStatus
}

extension Command {
    package static var discussion: String { "" }
    package static var options: [CommandOption] { [] }
    package static var operands: OperandKind { .none }
    package static func misunderstanding(_ words: [String]) -> String? { nil }
    static var allOptions: [CommandOption] { options + CommandOption.everywhere }
    /// The options that help and completion show.
    static var shownOptions: [CommandOption] { allOptions.filter { !$0.isHidden } }
}

/// The kind of a command's operands, for completion.
package enum OperandKind: Sendable {
    case none, files, filesAndAccounts, transfers, apps, tasks, transfersAndTasks, accounts, words([String])
}

/// One line of the examples in a command's help.
package struct CommandExample: Sendable {
    package let line: String
    package let meaning: String

    package init(_ line: String, _ meaning: String) {
        self.line = line
        self.meaning = meaning
    }
}
