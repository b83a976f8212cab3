// SPDX-License-Identifier: Apache-2.0
import OffstageProtocol

/// The name of an account on a command line.
enum AccountName {
    /// Parses the single name that a command takes.
    static func parse(_ arguments: inout ArgumentCursor) throws(UsageError) -> String {
        let words = arguments.takeOperands()
        guard let word = words.first else { throw UsageError("name an account; 'offstage account list' shows them") }
        guard words.count == 1 else { throw UsageError("'\(words[1])' is one too many: name one account") }
        return word
    }

    /// The failure of a command that names an account that does not exist. `advice` is a sentence about what to do.
    static func absent(
        _ name: String,
        among rows: [AccountRow],
        advice: String = "'offstage account list' shows those that exist."
    ) -> CommandFailure {
        let close = rows.map(\.account.name).first { Spelling.areClose($0.lowercased(), name.lowercased()) }
        let guess = close.map { "did you mean '\($0)'? " } ?? ""
        return CommandFailure("There is no account '\(name)': \(guess)\(advice)", .notFound)
    }
}
