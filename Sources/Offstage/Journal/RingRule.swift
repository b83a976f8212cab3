// SPDX-License-Identifier: Apache-2.0

/// Decides when to notify the daemon of new records in a journal: at most one ring is under way at a time, and the next
/// one reports the records appended in the meantime.
package struct RingRule: Sendable, Equatable {
    /// The last record in the journal.
    package private(set) var appended: UInt64 = 0
    /// The last record that the daemon has committed.
    package private(set) var committed: UInt64 = 0
    /// The last record in the journal when the daemon was last notified.
    package private(set) var lastRung: UInt64 = 0

    package init() {}

    /// Notes that a record is in the journal.
    ///
    /// - Returns: whether to notify the daemon.
    package mutating func append() -> Bool {
        appended += 1
        return ringIfQuiet()
    }

    /// Notes that the daemon has committed everything up to a record.
    ///
    /// - Returns: whether to notify the daemon of more.
    package mutating func commit(_ sequence: UInt64) -> Bool {
        committed = max(committed, sequence)
        guard appended > committed else { return false }
        return ringIfQuiet()
    }

    private mutating func ringIfQuiet() -> Bool {
        guard lastRung <= committed else { return false }
        lastRung = appended
        return true
    }
}
