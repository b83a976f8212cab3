// SPDX-License-Identifier: Apache-2.0

/// One manual page: a value that renders itself in mdoc.
package struct ManualPage: Sendable {
    /// A part of a section.
    package enum Block: Sendable {
        /// Prose, with `code` in Markdown.
        case paragraph(String)
        /// Lines that are shown unchanged.
        case literal([String])
        /// Terms, as lines of mdoc after `.It`, with their explanations.
        case list([(term: String, meaning: String)])
        /// Commands with descriptions.
        case examples([CommandExample])
    }

    /// `offstage-upload`.
    package let name: String
    /// 1 for commands, 5 for files, 8 for daemons.
    package let section: Int
    /// A description in one line, without a full stop.
    package let summary: String
    /// The lines of mdoc that show how to call it; empty for a file.
    package var synopsis: [String] = []
    /// Placeholders for arguments.
    package var arguments: Set<String> = []
    package var description: [Block] = []
    /// Further sections, in the order required by mdoc.
    package var sections: [(title: String, blocks: [Block])] = []
    /// Other pages: their names, and their sections.
    package var related: [(name: String, section: Int)] = []

    /// - Parameters:
    ///   - name: the page's name.
    ///   - section: the manual's section.
    ///   - summary: a sentence, as in the help.
    package init(_ name: String, section: Int, summary: String) {
        self.name = name
        self.section = section
        self.summary = Self.asDescription(summary)
    }

    /// The page's path below a folder of manual pages.
    package var file: String { "man\(section)/\(name).\(section)" }

    /// The page in mdoc.
    ///
    /// - Parameters:
    ///   - date: a date such as `November 26, 2026`.
    ///   - version: the version of the programs.
    /// - Returns: the text of the file.
    package func mdoc(date: String, version: String) -> String {
        var lines = [
            ".\\\" Made by offstage manual from what --help says. SPDX-License-Identifier: Apache-2.0",
            ".Dd \(date)",
            ".Dt \(name.uppercased()) \(section)",
            MdocText.macro("Os", "Offstage \(version)"),
            ".Sh NAME", MdocText.macro("Nm", name), MdocText.macro("Nd", summary),
        ]
        if !synopsis.isEmpty { lines += [".Sh SYNOPSIS"] + synopsis }
        lines.append(".Sh DESCRIPTION")
        lines += rendered(description)
        for section in sections {
            lines.append(".Sh \(section.title)")
            lines += rendered(section.blocks)
        }
        let others = related.filter { $0.name != name }.sorted { ($0.section, $0.name) < ($1.section, $1.name) }
        if let last = others.last {
            lines.append(".Sh SEE ALSO")
            lines += others.dropLast().map { ".Xr \($0.name) \($0.section) ," } + [".Xr \(last.name) \(last.section)"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func rendered(_ blocks: [Block]) -> [String] {
        var lines: [String] = []
        for (index, block) in blocks.enumerated() {
            switch block {
            case .paragraph(let text):
                if index > 0 { lines.append(".Pp") }
                lines += MdocText.prose(text, arguments: arguments)
            case .literal(let text):
                lines += [".Bd -literal -offset indent"] + text.map(MdocText.literal) + [".Ed"]
            case .list(let items):
                lines.append(".Bl -tag -width Ds")
                for item in items {
                    lines.append(".It \(item.term)")
                    lines += MdocText.prose(item.meaning, arguments: arguments)
                }
                lines.append(".El")
            case .examples(let examples):
                for (number, example) in examples.enumerated() {
                    if index + number > 0 { lines.append(".Pp") }
                    lines += MdocText.prose(Self.asSentence(example.meaning) + ":")
                    lines += [".Bd -literal -offset indent", MdocText.literal(example.line), ".Ed"]
                }
            }
        }
        return lines
    }

    /// A sentence in the form of `Nd`, without its capital and its full stop.
    private static func asDescription(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
        guard text.dropFirst().first?.isUppercase != true else { return String(text) }
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    private static func asSentence(_ text: String) -> String {
        guard text.dropFirst().first?.isUppercase != true else { return text }
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
