// SPDX-License-Identifier: Apache-2.0

/// A record of one of the journals that a process has had, one after the other.
struct JournalPosition: Sendable, Hashable, Comparable {
    /// Counts the journals.
    var generation: Int
    var sequence: UInt64

    static func < (left: JournalPosition, right: JournalPosition) -> Bool {
        (left.generation, left.sequence) < (right.generation, right.sequence)
    }
}
