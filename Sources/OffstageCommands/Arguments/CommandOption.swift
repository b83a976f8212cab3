// SPDX-License-Identifier: Apache-2.0

/// One option of a command: its names, and its description for help and completion.
package struct CommandOption: Sendable, Equatable {
    /// The kind of the option's value, for completion.
    package enum Kind: Sendable, Equatable {
        case text, file, directory, transfers
        /// One of these words.
        case words([String])
    }

    /// The option's names, beginning with the long one that the command uses: `--request`, `-X`.
    package var names: [String]
    /// The placeholder for the value in the help; nil for a flag.
    package var value: String?
    package var kind: Kind
    package var help: String
    /// Whether help and completion leave it out.
    package var isHidden = false

    /// An option that is accepted but not shown.
    package init(hiddenNames: [String], value: String? = nil) {
        names = hiddenNames
        self.value = value
        kind = .text
        help = ""
        isHidden = true
    }

    package init(_ names: String..., value: String? = nil, kind: Kind = .text, help: String) {
        self.names = names
        self.value = value
        self.kind = kind
        self.help = help
    }

    /// The options accepted by every command.
    package static let everywhere = [
        CommandOption("--json", help: "print JSON in a documented form (docs/json.md)"),
        CommandOption("--no-start", help: "do not start a daemon if none is running"),
        CommandOption("--help", "-h", help: "print this help"),
    ]
}
