// SPDX-License-Identifier: Apache-2.0

/// A completion script for fish.
package enum FishCompletion {
    package static func script(_ commands: [any Command.Type]) -> String {
        var text = "# fish completion for offstage\ncomplete -c offstage -f\n"
        // The program offstage-fleet has the commands of "offstage fleet".
        text += "complete -c offstage-fleet -f -w 'offstage fleet'\n"
        for first in CompletionWords.firstWords(commands) {
            let alone = commands.first { $0.path == [first] }
            text += "complete -c offstage -n __fish_use_subcommand -a \(first)"
            text += alone.map { " -d \(quoted($0.summary))" } ?? ""
            text += "\n"
            let second = CompletionWords.secondWords(commands, after: first)
            for word in second {
                let condition =
                    "__fish_seen_subcommand_from \(first); and not __fish_seen_subcommand_from \(second.joined(separator: " "))"
                text += "complete -c offstage -n \(quoted(condition)) -a \(word)\n"
            }
        }
        for command in commands {
            let condition = quoted(command.path.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and "))
            for option in command.shownOptions { text += "complete -c offstage -n \(condition)\(words(option))\n" }
            switch command.operands {
            case .none: break
            case .files: text += "complete -c offstage -n \(condition) -F\n"
            case .filesAndAccounts:
                text += "complete -c offstage -n \(condition) -F -a \(quoted("(\(CompletionWords.targetCommand))"))\n"
            case .transfers:
                text += "complete -c offstage -n \(condition) -a \(quoted("(\(CompletionWords.idCommand))"))\n"
            case .apps:
                text += "complete -c offstage -n \(condition) -a \(quoted("(\(CompletionWords.appCommand))"))\n"
            case .tasks:
                text += "complete -c offstage -n \(condition) -a \(quoted("(\(CompletionWords.taskCommand))"))\n"
            case .accounts:
                text += "complete -c offstage -n \(condition) -a \(quoted("(\(CompletionWords.accountCommand))"))\n"
            case .transfersAndTasks:
                for list in [CompletionWords.idCommand, CompletionWords.taskCommand] {
                    text += "complete -c offstage -n \(condition) -a \(quoted("(\(list))"))\n"
                }
            case .words(let words):
                text += "complete -c offstage -n \(condition) -a \(quoted(words.joined(separator: " ")))\n"
            }
        }
        return text
    }

    private static func words(_ option: CommandOption) -> String {
        var text = ""
        for name in option.names {
            text += name.hasPrefix("--") ? " -l \(name.dropFirst(2))" : " -s \(name.dropFirst())"
        }
        if option.value != nil {
            switch option.kind {
            case .text: text += " -x"
            case .file, .directory: text += " -r -F"
            case .transfers: text += " -x -a \(quoted("(\(CompletionWords.idCommand))"))"
            case .words(let words): text += " -x -a \(quoted(words.joined(separator: " ")))"
            }
        }
        return text + " -d \(quoted(option.help))"
    }

    private static func quoted(_ text: String) -> String {
        var result = "'"
        for character in text {
            if character == "'" || character == "\\" { result.append("\\") }
            result.append(character)
        }
        return result + "'"
    }
}
