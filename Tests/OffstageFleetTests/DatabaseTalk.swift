// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFleet
import OffstageTestSupport

/// Waits for a connection as a program's loop would: with poll only.
final class DatabaseTalk {
    let connection: DatabaseConnection
    private var heard: [DatabaseEvent] = []

    /// Connects, and waits for the connection.
    init(_ words: String) throws {
        connection = DatabaseConnection(try DatabaseConnection.opened(try DatabaseAddress(words)).get())
    }

    /// The next event that the probe accepts; earlier events are skipped.
    @discardableResult
    func next<Found>(within seconds: Double = 20, _ probe: (DatabaseEvent) throws -> Found?) throws -> Found {
        let limit = TimeLimit(seconds: seconds)
        while true {
            while !heard.isEmpty {
                if let found = try probe(heard.removeFirst()) { return found }
            }
            heard += connection.proceed()
            guard heard.isEmpty else { continue }
            var events: Int16 = 0
            if connection.interest.contains(.reading) { events |= Int16(POLLIN) }
            if connection.interest.contains(.writing) { events |= Int16(POLLOUT) }
            var waited = pollfd(fd: connection.descriptor, events: events, revents: 0)
            guard !limit.isOver, connection.descriptor >= 0 else { throw TestError("nothing was heard") }
            _ = poll(&waited, 1, limit.milliseconds)
        }
    }

    /// The answer to a query.
    func answer(_ number: Int) throws -> [FleetRecord] {
        try next { event in
            switch event {
            case .answered(number, let records): return records
            case .refused(number, let error): throw error
            case .lost(let error, _): throw error
            default: return nil
            }
        }
    }

    func ask(_ text: StaticString, _ values: [String?] = []) throws -> [FleetRecord] {
        try answer(connection.ask(text, values))
    }

    /// Creates a login with a fleet role.
    func login(_ name: String, _ role: String) throws {
        _ = try ask("SELECT set_config('test.login', $1, false), set_config('test.role', $2, false)", [name, role])
        _ = try ask(
            """
            DO $$ BEGIN EXECUTE format('CREATE ROLE %I LOGIN INHERIT IN ROLE %I', current_setting('test.login'),
                'offstage_' || current_setting('test.role')); END $$
            """
        )
    }

    /// Creates the schema.
    func migrate() throws {
        for step in SchemaStep.all { _ = try answer(connection.ask(step)) }
    }
}
