// SPDX-License-Identifier: Apache-2.0

/// What the daemon reads of one hand-over journal.
package struct JournalBudget: Sendable, Hashable {
    /// Bytes that have not been taken in. What holds more is no app's work of a moment.
    package var bytes: Int64 = 1 << 30
    /// Bytes that make no record and are passed over, in search of the next.
    package var damagedBytes: Int64 = 16 << 20
    /// How far a record's number may be ahead of the one before.
    package var gap: UInt64 = 1 << 20
    /// How often one is tried to be opened, a second apart, before the daemon goes on without it.
    package var openings = 30

    package init() {}
}
