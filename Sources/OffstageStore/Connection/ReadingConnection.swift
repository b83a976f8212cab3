// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The connection for reads: the loop uses it while a daemon starts, and the reader's thread from then on.
///
/// Both share one connection, because a second one would parse the whole schema again. That takes longer than all the
/// reads of a start from a small store.
final class ReadingConnection: Sendable {
    /// `@unchecked Sendable`: only used under the lock, by one thread at a time.
    private struct Held: @unchecked Sendable {
        let connection: SQLiteConnection
    }

    private let held: Mutex<Held>

    init(_ connection: SQLiteConnection) { held = Mutex(Held(connection: connection)) }

    /// Reads. Blocks while another thread is reading.
    ///
    /// - Parameter body: leaves no statements behind except those that the connection keeps.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`.
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
