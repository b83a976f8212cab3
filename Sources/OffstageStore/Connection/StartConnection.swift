// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The connection of the reads that happen once, at a start: opened by the first one, shared by all, and closed after the
/// last one, so that an idle daemon does not hold it.
final class StartConnection: Sendable {
    /// `@unchecked Sendable`: only used under the lock.
    private struct Held: @unchecked Sendable {
        var connection: SQLiteConnection?
    }

    private let path: String
    private let held = Mutex(Held())

    init(path: String) { self.path = path }

    /// Reads, and keeps the connection for the next read unless this one fails.
    func use<Value>(_ body: (SQLiteConnection) throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        let connection = try taken()
        do throws(SQLiteError) {
            let value = try body(connection)
            held.withLock { $0.connection = connection }
            return value
        } catch {
            connection.close()
            throw error
        }
    }

    private func taken() throws(SQLiteError) -> SQLiteConnection {
        if let connection = held.withLock({ $0.connection.take() }) { return connection }
        return try StoreOpening.connect(path)
    }

    func close() {
        held.withLock { $0.connection.take() }?.close()
    }
}
