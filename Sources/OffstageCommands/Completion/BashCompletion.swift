// SPDX-License-Identifier: Apache-2.0

/// A completion script for bash.
package enum BashCompletion {
    package static func script(_ commands: [any Command.Type]) -> String {
        var text = """
            # bash completion for offstage
            _offstage() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
                local command=${COMP_WORDS[1]} options="" operands=""
                # The typed part of a file's name, without its quotes: names are then quoted again (-o filenames).
                local file=${current//\\\\/}
                file=${file#[\\"\\']}
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W "\(CompletionWords.firstWords(commands).joined(separator: " ")) --help --version" -- "$current"))
                    return
                fi
                case "$command" in

            """
        text += secondWords(commands) + "    esac\n    case \"$command\" in\n"
        for command in commands { text += branch(command) }
        text += """
                esac
                case "$current" in
                -*) COMPREPLY=($(compgen -W "$options" -- "$current")); return ;;
                esac
                case "$operands" in
                files) mapfile -t COMPREPLY < <(compgen -f -- "$file") ;;
                targets)
                    mapfile -t COMPREPLY < <(
                        compgen -f -- "$file"
                        compgen -W "$(\(CompletionWords.targetCommand))" -- "$current"
                    ) ;;
                transfers) COMPREPLY=($(compgen -W "$(\(CompletionWords.idCommand))" -- "$current")) ;;
                apps) COMPREPLY=($(compgen -W "$(\(CompletionWords.appCommand))" -- "$current")) ;;
                accounts) COMPREPLY=($(compgen -W "$(\(CompletionWords.accountCommand))" -- "$current")) ;;
                tasks) COMPREPLY=($(compgen -W "$(\(CompletionWords.taskCommand))" -- "$current")) ;;
                both) COMPREPLY=($(compgen -W "$(\(CompletionWords.idCommand)) $(\(CompletionWords.taskCommand))" -- "$current")) ;;
                *) COMPREPLY=($(compgen -W "$operands" -- "$current")) ;;
                esac
            }
            # The program of fleets by itself: its commands are those of "offstage fleet", and "upload".
            _offstage_fleet() {
                case "${COMP_WORDS[1]}" in
                upload) COMP_WORDS=(offstage "${COMP_WORDS[@]:1}") ;;
                *) COMP_WORDS=(offstage fleet "${COMP_WORDS[@]:1}") COMP_CWORD=$((COMP_CWORD + 1)) ;;
                esac
                _offstage
            }
            complete -o filenames -F _offstage offstage
            complete -o filenames -F _offstage_fleet offstage-fleet

            """
        return text
    }

    /// Commands of two words.
    private static func secondWords(_ commands: [any Command.Type]) -> String {
        var text = ""
        for first in CompletionWords.firstWords(commands) {
            let second = CompletionWords.secondWords(commands, after: first)
            guard !second.isEmpty else { continue }
            let words = second.joined(separator: " ")
            text += "    \(first))\n"
            if CompletionWords.isAlone(commands, first) {
                // Options may follow immediately.
                text += "        if [ \"$COMP_CWORD\" -eq 2 ]; then operands=\"\(words)\"; fi\n"
                text += "        case \"${COMP_WORDS[2]}\" in\n        \(second.joined(separator: "|")))\n"
                text += "            if [ \"$COMP_CWORD\" -gt 2 ]; then command=\"$command ${COMP_WORDS[2]}\"; fi ;;\n"
                text += "        esac ;;\n"
                continue
            }
            text += "        if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
            text += "            COMPREPLY=($(compgen -W \"\(words)\" -- \"$current\"))\n"
            text += "            return\n        fi\n        command=\"$command ${COMP_WORDS[2]}\" ;;\n"
        }
        return text
    }

    private static func branch(_ command: any Command.Type) -> String {
        let names = command.shownOptions.flatMap(\.names).joined(separator: " ")
        var text = "    \"\(command.path.joined(separator: " "))\")\n        options=\"\(names)\"\n"
        switch command.operands {
        case .none: break
        case .files: text += "        operands=files\n"
        case .filesAndAccounts: text += "        operands=targets\n"
        case .transfers: text += "        operands=transfers\n"
        case .apps: text += "        operands=apps\n"
        case .tasks: text += "        operands=tasks\n"
        case .accounts: text += "        operands=accounts\n"
        case .transfersAndTasks: text += "        operands=both\n"
        case .words(let words): text += "        operands=\"\(words.joined(separator: " "))\"\n"
        }
        let valued = command.shownOptions.filter { $0.value != nil }
        guard !valued.isEmpty else { return text + "        ;;\n" }
        text += "        case \"$previous\" in\n"
        for option in valued {
            let reply =
                switch option.kind {
                case .text: "COMPREPLY=()"
                case .file: "mapfile -t COMPREPLY < <(compgen -f -- \"$file\")"
                case .directory: "mapfile -t COMPREPLY < <(compgen -d -- \"$file\")"
                case .transfers: "COMPREPLY=($(compgen -W \"$(\(CompletionWords.idCommand))\" -- \"$current\"))"
                case .words(let words): "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\"))"
                }
            text += "        \(option.names.joined(separator: "|"))) \(reply); return ;;\n"
        }
        return text + "        esac ;;\n"
    }
}
