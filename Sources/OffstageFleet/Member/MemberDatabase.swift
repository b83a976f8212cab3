// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The member's connection to its database. It reconnects as often as necessary, to whichever server of the address
/// accepts writes, and passes each answer to its caller.
///
/// Belongs to the loop's thread.
final class MemberDatabase {
    typealias Answer = (Result<[FleetRecord], DatabaseError>) -> Void

    private struct Waiting {
        var text: StaticString
        var values: [String?]
        /// Seconds on the boot-time clock.
        var limit: Double
        var repetitions = 0
        var then: Answer
    }

    enum Event {
        case connected(isTold: Bool)
        case disconnected(DatabaseError)
        /// A notification on a channel.
        case notified(channel: String, payload: String)
    }

    /// Seconds for an answer. A server whose machine is down does not answer at all.
    static let patience = 12.0
    /// How often a question that conflicted with another transaction is repeated.
    private static let mostRepetitions = 10
    /// Seconds until the next connection, after one on which the database's state could not be determined.
    private static let pauseBeforeNew = 5.0

    private let address: DatabaseAddress
    private let threads: SideThreads
    private let listens: Bool
    /// Events for the owner, to be taken after each call.
    private(set) var events: [Event] = []
    private var connection: DatabaseConnection?
    private var isConnecting = false
    /// When to try next, in seconds on the boot-time clock.
    private var nextTry: Double? = 0
    private var pause = RetryPause(longest: 10)
    private var waiting: [Int: Waiting] = [:]
    /// The number of questions asked, for statistics.
    private(set) var asked = 0

    /// - Parameters:
    ///   - address: the address of all servers.
    ///   - threads: the threads to connect on.
    ///   - listens: whether to receive notifications of new rows, which a pooler in between may not support.
    init(_ address: DatabaseAddress, _ threads: SideThreads, listens: Bool) {
        self.address = address
        self.threads = threads
        self.listens = listens
    }

    var isConnected: Bool { connection != nil }
    var descriptor: Int32 { connection?.descriptor ?? -1 }
    var interest: DatabaseConnection.Interest { connection?.interest ?? [] }

    /// When the next action is due; nil if none is.
    var due: Double? {
        [connection == nil && !isConnecting ? nextTry : nil, waiting.values.map(\.limit).min()].compactMap { $0 }.min()
    }

    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    // MARK: - Connecting

    /// Performs due actions: connects, and gives up on late answers.
    func turn(now: Double) {
        if let limit = waiting.values.map(\.limit).min(), limit <= now {
            lose(DatabaseError(.connection, "the database has not answered in \(Int(Self.patience)) s"))
        }
        guard connection == nil, !isConnecting, let due = nextTry, due <= now else { return }
        isConnecting = true
        let address = address
        threads.run({ DatabaseConnection.opened(address) }) { [weak self] in self?.opened($0) }
    }

    private func opened(_ result: Result<DatabaseConnection.Opened, DatabaseError>?) {
        isConnecting = false
        switch result ?? .failure(DatabaseError(.connection, "the system allows no more threads")) {
        case .failure(let error):
            nextTry = MemberClock.seconds + pause.failed()
            events.append(.disconnected(error))
        case .success(let opened):
            connection = DatabaseConnection(opened)
            nextTry = nil
            guard listens else { return begin(isTold: false) }
            ask("LISTEN offstage_work") { [weak self] work in
                self?.ask("LISTEN offstage_member") { [weak self] member in
                    guard let self, isConnected else { return }
                    begin(isTold: (try? work.get()) != nil && (try? member.get()) != nil)
                }
            }
        }
    }

    private func begin(isTold: Bool) {
        pause.succeeded()
        events.append(.connected(isTold: isTold))
    }

    /// Ends the connection, and schedules a reconnection soon.
    private func lose(_ error: DatabaseError) {
        connection?.close()
        connection = nil
        nextTry = MemberClock.seconds + pause.failed()
        events.append(.disconnected(error))
        let unanswered = waiting.sorted { $0.key < $1.key }.map(\.value.then)
        waiting = [:]
        for then in unanswered { then(.failure(error)) }
    }

    /// Reconnects after a pause, as nothing can be done until the database's state is known.
    func startAnew(_ error: DatabaseError) {
        guard connection != nil else { return }
        lose(error)
        nextTry = MemberClock.seconds + Self.pauseBeforeNew  // checked: floating point
    }

    /// Ends the connection for good.
    func close() {
        connection?.close()
        connection = nil
        nextTry = nil
        waiting = [:]
    }

    // MARK: - Questions

    /// Asks a question.
    ///
    /// - Parameters:
    ///   - text: the statement, as for `DatabaseConnection.ask`.
    ///   - values: its values, as for `DatabaseConnection.ask`.
    ///   - then: receives the answer, once. After a failure of the kind `connection`, it is unknown whether it had any
    ///     effect.
    func ask(_ text: StaticString, _ values: [String?] = [], then: @escaping Answer) {
        // checked: floating point
        send(Waiting(text: text, values: values, limit: MemberClock.seconds + Self.patience, then: then))
    }

    private func send(_ question: Waiting) {
        guard let connection else {
            return question.then(.failure(DatabaseError(.connection, "the database cannot be reached")))
        }
        asked += 1
        waiting[connection.ask(question.text, question.values)] = question
        handle(connection.proceed())
    }

    /// Continues once the descriptor is ready.
    func proceed() {
        guard let connection else { return }
        handle(connection.proceed())
    }

    private func handle(_ happened: [DatabaseEvent]) {
        for event in happened {
            switch event {
            case .answered(let number, let records): waiting.removeValue(forKey: number)?.then(.success(records))
            case .refused(let number, let error): refused(number, error)
            case .notified(let channel, let payload): events.append(.notified(channel: channel, payload: payload))
            case .lost(let error, _): lose(error)
            case .copying: break
            }
        }
    }

    private func refused(_ number: Int, _ error: DatabaseError) {
        guard var question = waiting.removeValue(forKey: number) else { return }
        switch error.kind {
        case .contention where question.repetitions < Self.mostRepetitions:
            question.repetitions += 1
            send(question)
        case .connection:
            // The server is shutting down, or no longer accepts writes, but another one of the address does.
            waiting[number] = question
            lose(error)
        case .address, .contention, .fenced, .another, .version, .rights, .trouble, .refused:
            question.then(.failure(error))
        }
    }
}
