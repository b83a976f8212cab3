// SPDX-License-Identifier: Apache-2.0

/// Limits for reading one hand-over journal.
package struct JournalBudget: Sendable, Hashable {
    /// Bytes that have not been accepted. No app normally writes more at a time.
    package var bytes: Int64 = 1 << 30
    /// Bytes that are not a record and are skipped in search of the next.
    package var damagedBytes: Int64 = 16 << 20
    /// The greatest step from a record's number to the next.
    package var gap: UInt64 = 1 << 20
    /// Tries to open a journal, a second apart, before the daemon continues without it.
    package var openings = 30

    package init() {}
}
