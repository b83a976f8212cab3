// SPDX-License-Identifier: Apache-2.0

/// A completion script for zsh.
package enum ZshCompletion {
    package static func script(_ commands: [any Command.Type]) -> String {
        var text = helpers
        for first in CompletionWords.firstWords(commands) {
            let alone = commands.first { $0.path == [first] }
            text += "        \(quoted("\(first):\(alone?.summary ?? "")"))\n"
        }
        text += """
                )
                if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                fi
                local command=$words[2]

            """
        text += secondWords(commands) + "    shift words; (( CURRENT-- ))\n    case $command in\n"
        for command in commands { text += branch(command) }
        return text + "    esac\n}\n_offstage \"$@\"\n"
    }

    /// The helpers that offer numbers and names, and the beginning of the function itself.
    private static var helpers: String {
        """
        #compdef offstage offstage-fleet
        _offstage_transfers() {
            local -a ids
            ids=(${(f)"$(\(CompletionWords.idCommand))"})
            compadd -a ids
        }
        _offstage_apps() {
            local -a ids
            ids=(${(f)"$(\(CompletionWords.appCommand))"})
            compadd -a ids
        }
        _offstage_tasks() {
            local -a ids
            ids=(${(f)"$(\(CompletionWords.taskCommand))"})
            compadd -a ids
        }
        _offstage_targets() {
            local -a ids
            ids=(${(f)"$(\(CompletionWords.targetCommand))"})
            compadd -S '' -a ids
            _files
        }
        _offstage_accounts() {
            local -a ids
            ids=(${(f)"$(\(CompletionWords.accountCommand))"})
            compadd -a ids
        }
        _offstage_transfers_and_tasks() {
            _offstage_transfers
            _offstage_tasks
        }
        _offstage() {
            # The program of fleets by itself: its commands are those of "offstage fleet", and "upload".
            if [[ $service == offstage-fleet && $words[2] != upload ]]; then
                words=(offstage fleet "${(@)words[2,-1]}")
                (( CURRENT++ ))
            fi
            local -a commands
            commands=(

        """
    }

    /// Commands of two words.
    private static func secondWords(_ commands: [any Command.Type]) -> String {
        var text = ""
        for first in CompletionWords.firstWords(commands) {
            let second = CompletionWords.secondWords(commands, after: first)
            guard !second.isEmpty else { continue }
            let words = second.joined(separator: " ")
            text += "    if [[ $command == \(first) ]]; then\n"
            if CompletionWords.isAlone(commands, first) {
                // Options may follow immediately.
                text += "        if (( CURRENT == 3 )) && [[ $words[3] != -* ]]; then compadd \(words); return; fi\n"
                text += "        if [[ \" \(words) \" == *\" $words[3] \"* ]]; then\n"
                text +=
                    "            command=\"$command $words[3]\"\n            shift words; (( CURRENT-- ))\n        fi\n"
            } else {
                text += "        if (( CURRENT == 3 )); then compadd \(words); return; fi\n"
                text += "        command=\"$command $words[3]\"\n        shift words; (( CURRENT-- ))\n"
            }
            text += "    fi\n"
        }
        return text
    }

    private static func branch(_ command: any Command.Type) -> String {
        var text = "    (\(quoted(command.path.joined(separator: " "))))\n        _arguments"
        for option in command.shownOptions { text += " \\\n            \(specification(option))" }
        let operands =
            switch command.operands {
            case .none: ""
            case .files: "'*:file:_files'"
            case .filesAndAccounts: "'*:file:_offstage_targets'"
            case .transfers: "'*:transfer:_offstage_transfers'"
            case .apps: "'*:app:_offstage_apps'"
            case .tasks: "'*:task:_offstage_tasks'"
            case .accounts: "'*:account:_offstage_accounts'"
            case .transfersAndTasks: "'*:name:_offstage_transfers_and_tasks'"
            case .words(let words): "'*:word:(\(words.joined(separator: " ")))'"
            }
        return text + (operands.isEmpty ? "" : " \\\n            \(operands)") + "\n        ;;\n"
    }

    /// One option in the syntax of `_arguments`.
    private static func specification(_ option: CommandOption) -> String {
        let help = option.help.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
        var tail = "[\(help)]"
        if let value = option.value {
            let action =
                switch option.kind {
                case .text: " "
                case .file: "_files"
                case .directory: "_files -/"
                case .transfers: "_offstage_transfers"
                case .words(let words): "(\(words.joined(separator: " ")))"
                }
            tail += ":\(value.lowercased().filter { $0.isLetter }):\(action)"
        }
        let names = option.names
        guard names.count > 1 else { return quoted("*\(names[0])\(tail)") }
        return "'*'{\(names.joined(separator: ","))}\(quoted(tail))"
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
