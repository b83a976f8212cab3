// SPDX-License-Identifier: Apache-2.0

/// The texts of `--help`, made from the commands' own descriptions.
package enum HelpText {
    /// The description of the program.
    static let introduction = """
        offstage sends and fetches files in the background: a transfer outlives the shell, the daemon and a restart.
        'offstage app' manages programs that leave the stage: they are suspended, woken and relaunched as on a phone.
        'offstage tasks' manages the work that they have deferred.
        'offstage fleet' is for several machines that send the files of one queue.
        """

    /// Examples for beginners.
    static let examples = [
        CommandExample("offstage upload backup.tar https://files.example/in/", "send a file"),
        CommandExample("offstage download https://files.example/disk.iso", "fetch a file"),
        CommandExample("offstage list", "see all transfers"),
        CommandExample("offstage why", "see why one is not moving"),
    ]

    package static func overview(_ commands: [any Command.Type]) -> String {
        var text = """
            \(introduction)

            Usage: offstage COMMAND [OPTION…] [ARGUMENT…]

            Commands:

            """
        let width = commands.map { $0.path.joined(separator: " ").count }.max() ?? 0
        for command in commands {
            let name = command.path.joined(separator: " ")
            text += "  \(pad(name, width))  \(command.summary)\n"
        }
        text += """

            Every command takes --json, --no-start and --help; 'offstage COMMAND --help' shows options and examples.

            Examples:
            \(examples.map { "  \($0.line)" }.joined(separator: "\n"))

            Exit status:

            """
        for (status, meaning) in ExitStatus.table { text += "  \(pad(String(status.code), 3))  \(meaning)\n" }
        return String(text.dropLast())
    }

    /// The commands that may follow `offstage daemon`, for example; nil if no command begins with the words.
    package static func family(_ words: [String], _ commands: [any Command.Type]) -> String? {
        guard let first = words.first else { return nil }
        let members = commands.filter { $0.path.count > 1 && $0.path[0] == first }
        guard !members.isEmpty else { return nil }
        let names = members.map { $0.path.joined(separator: " ") }
        let width = names.map(\.count).max() ?? 0
        let lines = zip(names, members).map { "  offstage \(pad($0, width))  \($1.summary)\n" }
        return "Usage:\n" + lines.joined()
    }

    package static func of(_ command: any Command.Type) -> String {
        let name = "offstage " + command.path.joined(separator: " ")
        var text = command.summary + "\n\nUsage:\n"
        for form in command.synopsis { text += "  \(name)\(form.isEmpty ? "" : " ")\(form)\n" }
        if !command.discussion.isEmpty { text += "\n" + command.discussion + "\n" }
        text += "\nOptions:\n"
        let lines = command.shownOptions.map { option in (spelled(option), option.help) }
        let width = min(28, lines.map(\.0.count).max() ?? 0)
        for (left, right) in lines {
            text +=
                left.count > width ? "  \(left)\n  \(pad("", width))  \(right)\n" : "  \(pad(left, width))  \(right)\n"
        }
        if !command.examples.isEmpty {
            text += "\nExamples:\n"
            for example in command.examples { text += "  \(example.line)\n      \(example.meaning)\n" }
        }
        return text
    }

    private static func spelled(_ option: CommandOption) -> String {
        // Short names first, as in manuals.
        let names = option.names.sorted { $0.count < $1.count }.joined(separator: ", ")
        return option.value.map { "\(names) \($0)" } ?? names
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
