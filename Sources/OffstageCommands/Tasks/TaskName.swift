// SPDX-License-Identifier: Apache-2.0

/// The names of a task on a command line: its identifier, `APP/IDENTIFIER`, or its number, `task:12`.
package enum TaskName {
    /// Parses the single name that a command takes, in the daemon's form.
    ///
    /// - Throws: `UsageError` if there is none, or more than one.
    static func parse(_ arguments: inout ArgumentCursor) throws(UsageError) -> String {
        let words = arguments.takeOperands()
        guard let word = words.first, !word.isEmpty else {
            throw UsageError("name a task; 'offstage tasks' shows them")
        }
        guard words.count == 1 else { throw UsageError("'\(words[1])' is one too many: name one task") }
        return full(word)
    }

    /// `task:12` for `12`, since only a task can be meant; any other word unchanged.
    package static func full(_ word: String) -> String { UInt64(word) == nil ? word : "task:\(word)" }

    /// Whether a word names transfers (`7`, `7-12`) rather than a task.
    package static func isTransfers(_ word: String) -> Bool {
        !word.isEmpty && word.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
