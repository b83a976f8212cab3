// SPDX-License-Identifier: Apache-2.0

/// The position of a record in one of the journals that a process has had, one after another.
package struct JournalPosition: Sendable, Hashable, Comparable {
    /// Counts the journals.
    package var generation: Int
    package var sequence: UInt64

    package init(generation: Int, sequence: UInt64) {
        self.generation = generation
        self.sequence = sequence
    }

    package static func < (left: JournalPosition, right: JournalPosition) -> Bool {
        (left.generation, left.sequence) < (right.generation, right.sequence)
    }
}
