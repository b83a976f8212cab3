// SPDX-License-Identifier: Apache-2.0

/// `offstage completion SHELL` prints a completion script, made from the commands' own tables.
package struct CompletionCommand: Command {
    package static let path = ["completion"]
    package static let summary = "Print a completion script for bash, zsh or fish."
    package static let synopsis = ["bash|zsh|fish"]
    package static let operands = OperandKind.words(["bash", "zsh", "fish"])
    package static let examples = [
        CommandExample("offstage completion bash > ~/.local/share/bash-completion/completions/offstage", "for bash"),
        CommandExample("offstage completion zsh > ~/.zfunc/_offstage", "for zsh, with ~/.zfunc in fpath"),
        CommandExample("offstage completion fish > ~/.config/fish/completions/offstage.fish", "for fish"),
    ]

    let shell: String

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let words = arguments.takeOperands()
        guard words.count == 1, ["bash", "zsh", "fish"].contains(words[0]) else {
            throw UsageError("name the shell: bash, zsh or fish")
        }
        shell = words[0]
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let commands = CommandLineTool.commands
        let script =
            switch shell {
            case "bash": BashCompletion.script(commands)
            case "zsh": ZshCompletion.script(commands)
            default: FishCompletion.script(commands)
            }
        if context.printsJSON {
            context.output.print(try JSONText.of(["shell": shell, "script": script]))
        } else {
            context.output.write(script)
        }
        return .success
    }
}

/// The parts that the scripts share.
enum CompletionWords {
    /// Prints the numbers of the newest transfers, if a daemon is running.
    static let idCommand = "offstage list --no-start --quiet --limit 50 2>/dev/null"

    /// Prints the identifiers of all apps, if a daemon is running.
    static let appCommand = "offstage app list --no-start --quiet 2>/dev/null"

    /// Prints the names of all tasks, if a daemon is running.
    static let taskCommand = "offstage tasks --no-start --quiet 2>/dev/null"

    /// Prints the names of all accounts, if a daemon is running.
    static let accountCommand = "offstage account list --no-start --quiet 2>/dev/null"

    /// Prints the accounts as an upload names them (`dropbox:/`), if a daemon is running.
    static let targetCommand = "\(accountCommand) | sed 's|$|:/|'"

    /// The first words of all commands, each once.
    static func firstWords(_ commands: [any Command.Type]) -> [String] {
        var words: [String] = []
        for command in commands where !words.contains(command.path[0]) { words.append(command.path[0]) }
        return words
    }

    /// The second words that may follow a first one.
    static func secondWords(_ commands: [any Command.Type], after first: String) -> [String] {
        commands.filter { $0.path.count > 1 && $0.path[0] == first }.map { $0.path[1] }
    }

    /// Whether the first word of two-word commands is also a command on its own.
    static func isAlone(_ commands: [any Command.Type], _ first: String) -> Bool {
        commands.contains { $0.path == [first] }
    }
}
