// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The address of a fleet's database as the single operand of a command.
enum FleetAddressArgument {
    /// - Throws: `UsageError` for several operands, or for one that is not an address. The error does not repeat it.
    static func parse(_ arguments: inout ArgumentCursor) throws(UsageError) -> String? {
        let words = arguments.takeOperands()
        guard words.count < 2 else { throw UsageError("give one URL; words of libpq go between quotes") }
        guard let word = words.first else { return nil }
        guard word.contains("://") || word.contains("=") else {
            throw UsageError(
                "'\(word.redactedControls)' is not the URL of a database: write postgresql://USER@HOST/NAME"
            )
        }
        return word
    }
}
