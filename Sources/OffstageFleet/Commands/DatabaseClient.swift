// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// A blocking connection for commands. The member does not use it.
///
/// A statement that conflicted with another transaction is repeated, since it had no effect.
package final class DatabaseClient {
    /// Seconds within which a question must be answered.
    package static let answerPatience = 120.0
    /// For statements that move millions of rows.
    package static let longPatience = 7200.0
    /// How often a conflicting statement is tried.
    private static let mostTries = 6

    private let connection: DatabaseConnection
    private var heard: [DatabaseEvent] = []
    /// Answers to questions from `begin` that `finish` has not collected yet.
    private var kept: [Int: Result<[FleetRecord], DatabaseError>] = [:]

    /// Connects. Each server of the address has as long as its `connect_timeout` says.
    ///
    /// - Throws: `DatabaseError`, also if no server answers in time.
    package init(_ address: DatabaseAddress) throws(DatabaseError) {
        connection = DatabaseConnection(try DatabaseConnection.opened(address).get())
    }

    /// Executes one statement with values.
    ///
    /// - Returns: the rows of its answer.
    /// - Throws: `DatabaseError`.
    @discardableResult
    package func ask(
        _ text: StaticString,
        _ values: [String?] = [],
        patience: Double = answerPatience
    ) throws(DatabaseError) -> [FleetRecord] {
        var tries = 1
        while true {
            do throws(DatabaseError) {
                return try answer(to: connection.ask(text, values), patience)
            } catch {
                guard error.kind == .contention, tries < Self.mostTries else { throw error }
                // Wait a random time, longer after each try.
                usleep(useconds_t(10_000 << tries) + .random(in: 0..<10_000))  // checked: constants
                tries += 1
            }
        }
    }

    /// Sends a statement without waiting for its answer.
    ///
    /// - Returns: its number, for `finish`.
    package func begin(_ text: StaticString, _ values: [String?] = []) -> Int {
        let number = connection.ask(text, values)
        heard += connection.proceed()
        return number
    }

    /// Waits for the answer to a question from `begin`. Several must be finished in order.
    package func finish(_ number: Int) throws(DatabaseError) -> [FleetRecord] {
        try answer(to: number, Self.longPatience)
    }

    /// Executes one statement with many sets of values, sent together.
    ///
    /// - Parameters:
    ///   - text: the statement.
    ///   - values: the values of each execution.
    /// - Returns: the rows of each answer, in order.
    /// - Throws: the `DatabaseError` of the first refusal.
    package func askEach(_ text: StaticString, _ values: [[String?]]) throws(DatabaseError) -> [[FleetRecord]] {
        var numbers: [Int] = []
        for one in values { numbers.append(connection.ask(text, one)) }
        var answers: [[FleetRecord]] = []
        for number in numbers { answers.append(try answer(to: number, Self.answerPatience)) }
        return answers
    }

    /// Applies a step of the schema.
    package func apply(_ step: SchemaStep) throws(DatabaseError) {
        _ = try answer(to: connection.ask(step), Self.longPatience)
    }

    /// Begins a COPY, to be followed by calls of `send` and `endCopy`.
    ///
    /// - Returns: the question's number.
    package func beginCopy(_ text: StaticString) throws(DatabaseError) -> Int {
        let number = connection.ask(text)
        let deadline = MemberClock.seconds + Self.answerPatience
        while true {
            switch try next(deadline) {
            case .copying(number): return number
            case .refused(number, let error), .lost(let error, _): throw error
            case .answered(let other, let records): kept[other] = .success(records)
            case .refused(let other, let error): kept[other] = .failure(error)
            case .copying, .notified: continue
            }
        }
    }

    /// Sends some of the rows of a COPY, as fast as the server accepts them.
    package func send(_ bytes: [UInt8]) throws(DatabaseError) {
        while !connection.copy(bytes) { try goOn() }
        heard += connection.proceed()
        try checkNotLost()
    }

    /// Ends a COPY.
    ///
    /// - Parameters:
    ///   - number: the number that `beginCopy` returned.
    ///   - reason: why the rows are to be discarded; nil if all were sent.
    /// - Throws: `DatabaseError`.
    package func endCopy(_ number: Int, reason: String? = nil) throws(DatabaseError) {
        while !connection.endCopy(reason: reason) { try goOn() }
        do throws(DatabaseError) {
            _ = try answer(to: number, Self.longPatience)
        } catch {
            // An abandoned COPY is refused, as expected.
            guard reason != nil, error.kind != .connection else { throw error }
        }
    }

    private func goOn() throws(DatabaseError) {
        try wait(MemberClock.seconds + Self.answerPatience)
        heard += connection.proceed()
        try checkNotLost()
    }

    private func checkNotLost() throws(DatabaseError) {
        for case .lost(let error, _) in heard { throw error }
    }

    private func answer(to number: Int, _ patience: Double) throws(DatabaseError) -> [FleetRecord] {
        let deadline = MemberClock.seconds + patience
        while true {
            if let answer = kept.removeValue(forKey: number) { return try answer.get() }
            switch try next(deadline) {
            case .answered(let other, let records): kept[other] = .success(records)
            case .refused(let other, let error): kept[other] = .failure(error)
            case .lost(let error, _): throw error
            case .copying, .notified: continue
            }
        }
    }

    private func next(_ deadline: Double) throws(DatabaseError) -> DatabaseEvent {
        while true {
            if !heard.isEmpty { return heard.removeFirst() }  // checked: there is one
            heard += connection.proceed()
            if heard.isEmpty { try wait(deadline) }
        }
    }

    private func wait(_ deadline: Double) throws(DatabaseError) {
        guard connection.descriptor >= 0 else { throw DatabaseError(.connection, "the connection is closed") }
        let left = deadline - MemberClock.seconds
        guard left > 0 else { throw DatabaseError(.connection, "it does not answer") }
        var events: Int16 = 0
        if connection.interest.contains(.reading) { events |= Int16(POLLIN) }
        if connection.interest.contains(.writing) { events |= Int16(POLLOUT) }
        var entry = pollfd(fd: connection.descriptor, events: events, revents: 0)
        _ = poll(&entry, 1, Int32(min(left, 1000) * 1000))  // checked: a million at most
    }
}
