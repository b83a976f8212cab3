// SPDX-License-Identifier: Apache-2.0
import OffstageProtocol

/// The name of an account on a command line.
enum AccountName {
    /// The one word that a command takes.
    static func take(_ arguments: inout ArgumentCursor) throws(UsageError) -> String {
        let words = arguments.takeOperands()
        guard let word = words.first else { throw UsageError("name an account; 'offstage account list' shows them") }
        guard words.count == 1 else { throw UsageError("'\(words[1])' is too much: name one account") }
        return word
    }

    static func absent(_ name: String, among rows: [AccountRow]) -> CommandFailure {
        let close = rows.map(\.account.name).first { Spelling.areClose($0.lowercased(), name.lowercased()) }
        let advice = close.map { "did you mean '\($0)'?" } ?? "'offstage account list' shows those there are."
        return CommandFailure("There is no account '\(name)': \(advice)", .notFound)
    }
}
