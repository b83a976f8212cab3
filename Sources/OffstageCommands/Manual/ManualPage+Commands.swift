// SPDX-License-Identifier: Apache-2.0

extension ManualPage {
    /// The page of one command, from the contents of its `--help`.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - commands: all commands, for references to related ones.
    package init(of command: any Command.Type, among commands: [any Command.Type]) {
        self.init(Self.name(of: command), section: 1, summary: command.summary)
        let options = command.shownOptions
        for text in command.synopsis + options.compactMap(\.value) { arguments.formUnion(Self.placeholders(in: text)) }
        for form in command.synopsis {
            synopsis += [".Nm offstage", MdocText.macro("Cm", command.path.joined(separator: " "))]
            synopsis += MdocText.prose(form, arguments: arguments, boldsOptions: true)
        }
        description = [.paragraph(command.summary)] + Self.paragraphs(of: command.discussion)
        description += [.paragraph("The options are as follows:"), .list(options.map(Self.item))]
        sections = [
            ("EXIT STATUS", [.paragraph("It is 0 if everything requested is done. offstage(1) lists the others.")]),
            ("EXAMPLES", [.examples(command.examples)]),
        ]
        related = [("offstage", 1)]
        for other in commands where other.path[0] == command.path[0] && other.path != command.path {
            related.append((Self.name(of: other), 1))
        }
        let texts = options.map(\.help) + [command.discussion]
        if texts.contains(where: { $0.contains("settings") }) { related.append(("offstage-settings", 5)) }
    }

    /// The page of the program as a whole.
    package init(ofAll commands: [any Command.Type]) {
        self.init("offstage", section: 1, summary: "background transfers, apps and deferred work")
        arguments = ["COMMAND", "OPTION", "ARGUMENT"]
        for form in ["COMMAND [OPTION…] [ARGUMENT…]", "help [COMMAND]", "--version"] {
            synopsis += [".Nm"] + MdocText.prose(form, arguments: arguments, boldsOptions: true)
        }
        description = [.paragraph(HelpText.introduction), .paragraph("The commands are as follows:")]
        description.append(
            .list(commands.map { ("Xr \(Self.name(of: $0)) 1", $0.summary) })
        )
        description += [
            .paragraph("Every command takes these options:"), .list(CommandOption.everywhere.map(Self.item)),
        ]
        sections = [
            ("ENVIRONMENT", Self.environment { _ in true }), ("FILES", Self.files),
            ("EXIT STATUS", [.list(ExitStatus.table.map { (MdocText.argument("\($0.status.code)"), $0.meaning) })]),
            ("EXAMPLES", [.examples(HelpText.examples)]),
        ]
        related = commands.map { (Self.name(of: $0), 1) }
        related += [("offstage-settings", 5), ("offstaged", 8)]
    }

    /// The page of the program that accesses a fleet's database.
    package init(ofFleet commands: [any Command.Type]) {
        self.init("offstage-fleet", section: 1, summary: "several machines that send the files of one queue")
        arguments = ["COMMAND", "OPTION", "ARGUMENT"]
        synopsis = [".Nm"] + MdocText.prose("COMMAND [OPTION…] [ARGUMENT…]", arguments: arguments, boldsOptions: true)
        description = [
            .paragraph(
                """
                A fleet is several machines that send the files of one queue, which is in a PostgreSQL database. `offstage fleet` \
                and `offstage upload --fleet` turn into this program, which alone speaks to the database. The commands are as \
                follows:
                """
            ), .list(commands.map { ("Xr \(Self.name(of: $0)) 1", $0.summary) }),
            .paragraph(
                """
                `offstage-fleet member run` is the process of this machine's member, which `offstage fleet join` has made. It runs \
                until SIGTERM, and leaves its transfers to the daemon: one that is started in time goes on with them. systemd starts \
                it as a person's `offstage-fleet.service`, or as `offstage-fleet@ACCOUNT.service` for an account that nobody logs \
                in to.
                """
            ),
        ]
        sections = [
            (
                "ENVIRONMENT",
                Self.environment { !$0.isForDaemon && $0.names.contains { $0.hasPrefix("OFFSTAGE_FLEET") } }
            ),
            ("EXIT STATUS", [.paragraph("It is 0 if everything requested is done. offstage(1) lists the others.")]),
        ]
        related = [("offstage", 1), ("offstage-upload", 1)] + commands.map { (Self.name(of: $0), 1) }
    }

    /// `offstage-account-add`.
    private static func name(of command: any Command.Type) -> String {
        (["offstage"] + command.path).joined(separator: "-")
    }

    /// `Fl X , Fl -request Ar METHOD`, and the text from the help.
    private static func item(_ option: CommandOption) -> (term: String, meaning: String) {
        let names = option.names.sorted { $0.count < $1.count }
            .map { "Fl \(MdocText.argument(String($0.dropFirst())))" }.joined(separator: " , ")
        return (option.value.map { "\(names) Ar \(MdocText.argument($0))" } ?? names, option.help)
    }

    /// The words in capitals that stand for an argument: `FILE… URL`.
    private static func placeholders(in text: String) -> Set<String> {
        let words = text.split { !($0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_")) }
        return Set(words.filter { $0.count > 1 && $0.contains { $0.isUppercase } }.map(String.init))
    }

    /// The paragraphs of a discussion. A line that begins with a sentence begins a paragraph, and indented lines stay
    /// unchanged.
    private static func paragraphs(of discussion: String) -> [Block] {
        var blocks: [Block] = []
        var paragraph = "", literal: [String] = []
        func close() {
            if !paragraph.isEmpty { blocks.append(.paragraph(paragraph)) }
            if !literal.isEmpty { blocks.append(.literal(literal)) }
            (paragraph, literal) = ("", [])
        }
        for line in discussion.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let isLiteral = line.hasPrefix("  ")
            let endsThere = paragraph.isEmpty ? !literal.isEmpty && !isLiteral : isLiteral || paragraph.hasSuffix(".")
            if line.isEmpty || endsThere { close() }
            if isLiteral {
                literal.append(String(line.drop { $0 == " " }))
            } else if !line.isEmpty {
                paragraph += (paragraph.isEmpty ? "" : " ") + line
            }
        }
        close()
        return blocks
    }
}
