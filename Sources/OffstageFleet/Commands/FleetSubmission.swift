// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore

/// Submits rows in atomic batches. While the database stores one, the next is prepared.
///
/// A batch whose answer was lost is sent again with its id, and stored only once.
package final class FleetSubmission {
    /// The most rows and bytes of a batch.
    package static let mostRows = 20_000
    static let mostBytes = 32 << 20
    /// Seconds for which a batch is retried, and between two tries. A standby takes over in less.
    private static let patience = 60.0
    private static let backoff = Backoff(first: 0.2, longest: 5)

    /// The rows submitted so far.
    package struct Result {
        package var rows: Int64 = 0
        /// The number of rows whose keys existed before.
        package var known: Int64 = 0
        /// The number of the first row; nil if there is none.
        package var first: Int64?
        /// The numbers of all rows, including those that existed before; incomplete if an answer was lost.
        package var ids: [Int64] = []
        /// The number of rows that may or may not have been stored, as no answer was received.
        package var doubtful = 0
    }

    package private(set) var result = Result()
    private let connect: () throws -> DatabaseClient
    private var database: DatabaseClient?
    private var batch = newBatch()
    /// The batch that the database is storing, and the questions whose answers confirm it.
    private var underWay: (batch: (id: String, text: IntakeText), questions: [Int])?

    /// - Parameter connect: makes a connection.
    /// - Throws: any error of `connect`.
    package init(_ connect: @escaping () throws -> DatabaseClient) throws {
        self.connect = connect
        database = try connect()
    }

    /// The connection, for other questions. First waits for the batch under way, and counts it.
    func connection() throws -> DatabaseClient {
        try settle()
        if let database { return database }
        let made = try connect()
        database = made
        return made
    }

    private static func newBatch() -> (id: String, text: IntakeText) {
        let id = RandomKey.make()
        return (id, IntakeText(batch: id))
    }

    /// - Throws: `DatabaseError`; the rows before this batch are then in the fleet.
    package func add(_ row: SubmittedRow) throws {
        batch.text.add(row)
        if batch.text.rows >= Self.mostRows || batch.text.bytes.count >= Self.mostBytes { try send() }
    }

    /// Sends the remaining rows, and waits until everything was stored.
    package func finish() throws {
        if batch.text.rows > 0 { try send() }
        try settle()
    }

    private func send() throws {
        try settle()
        let next = batch
        batch = Self.newBatch()
        do {
            underWay = (next, try start(next))
        } catch let error as DatabaseError where error.mayPass {
            if error.kind == .connection { database = nil }
            underWay = (next, [])
        }
    }

    /// Waits for the batch under way, and resends it as often as that may help.
    private func settle() throws {
        guard let asked = underWay else { return }
        let batch = asked.batch
        var questions = asked.questions
        underWay = nil
        var (wasAsked, isLost) = (!questions.isEmpty, false)
        var (pause, deadline) = (Self.backoff.first, Double.infinity)
        while true {
            do {
                if questions.isEmpty { questions = try start(batch) }
                wasAsked = true
                let answers = try questions.map { try connection().finish($0) }
                return record(answers.first?.first)
            } catch let error as DatabaseError where error.mayPass && MemberClock.seconds < deadline {
                if error.kind == .connection {
                    database = nil
                    isLost = isLost || wasAsked
                }
                questions = []
                deadline = min(deadline, MemberClock.seconds + Self.patience)  // checked: floating point
                usleep(useconds_t(pause * 1_000_000))  // checked: a few seconds
                pause = Self.backoff.delay(following: pause)
            } catch {
                // A refusal is an answer to this try: nothing of the batch was stored.
                let isUnanswered = wasAsked && (error as? DatabaseError)?.mayPass ?? true
                if isLost || isUnanswered { result.doubtful = batch.text.rows }
                throw error
            }
        }
    }

    /// Copies a batch to the database, and asks for it to be stored.
    ///
    /// - Returns: the unanswered questions, beginning with the one whose answer is the result.
    private func start(_ batch: (id: String, text: IntakeText)) throws -> [Int] {
        let database = try connection()
        // Clean up after an earlier try.
        try database.ask("ROLLBACK")
        try database.ask("BEGIN")
        let copy = try database.beginCopy(IntakeText.statement)
        for part in batch.text.bytes.parts(of: 1 << 18) { try database.send(part) }
        try database.endCopy(copy)
        return [
            database.begin("SELECT first_id, rows, known, ids FROM offstage.submit($1)", [batch.id]),
            database.begin("COMMIT"),
        ]
    }

    private func record(_ answer: FleetRecord?) {
        let rows = answer?.number("rows", FleetTallies.self) ?? 0
        result.rows = result.rows.addingClamped(rows)
        result.known = result.known.addingClamped(answer?.number("known", FleetTallies.self) ?? 0)
        if result.first == nil { result.first = answer?.number("first_id", FleetRowNumbers.self) }
        let ids = answer?.raw("ids")?.utf8.dropFirst().dropLast().split(separator: UInt8(ascii: ",")) ?? []
        result.ids += ids.compactMap { Int64(digits: String(decoding: $0, as: UTF8.self)) }
            .filter(FleetRowNumbers.range.contains)
    }
}

extension DatabaseError {
    /// Whether a retry may succeed.
    var mayPass: Bool { kind == .connection || kind == .contention }
}
