// SPDX-License-Identifier: Apache-2.0

/// One option of a command: how it is written, and what help and completion say about it.
package struct CommandOption: Sendable, Equatable {
    /// What the option's value is, for completion.
    package enum Kind: Sendable, Equatable {
        case text, file, directory, transfers
        /// One of these words.
        case words([String])
    }

    /// The long name first, by which the command asks for it: `--request`, `-X`.
    package var names: [String]
    /// What stands for the value in the help; nil for a flag.
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

    /// Accepted by every command.
    package static let everywhere = [
        CommandOption("--json", help: "print JSON in a documented form (docs/json.md)"),
        CommandOption("--no-start", help: "do not start a daemon if none is running"),
        CommandOption("--help", "-h", help: "print this help"),
    ]
}
