// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The connection that is read with: by the loop while a daemon starts, and by the reader's thread from then on.
///
/// One connection for both, because a second one would parse the whole schema again, which takes longer than all that a
/// start reads from a small store.
final class ReadingConnection: Sendable {
    /// `@unchecked Sendable`: only used under the lock, by one thread at a time.
    private struct Held: @unchecked Sendable {
        let connection: SQLiteConnection
    }

    private let held: Mutex<Held>

    init(_ connection: SQLiteConnection) { held = Mutex(Held(connection: connection)) }

    /// Reads. Blocks while another thread does.
    ///
    /// - Parameter body: leaves no statement behind but those that the connection keeps.
    /// - Returns: what it has read.
    /// - Throws: what it throws.
    func use<Value: Sendable>(
        _ body: (SQLiteConnection) throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> Value {
        try held.withLock { (held) throws(SQLiteError) in try body(held.connection) }
    }

    /// Gives back the memory of pages that have been read.
    func releasePages() { held.withLock { $0.connection.releasePages() } }

    /// Closes the file. Reads fail from then on.
    func close() { held.withLock { $0.connection.close() } }
}
