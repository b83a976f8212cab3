// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore

/// Submits rows in batches, each all or nothing. While the database takes one in, the next is made.
///
/// A batch whose answer was lost is sent again under its id, and taken in once.
package final class FleetSubmission {
    /// Rows and bytes of a batch, at most.
    package static let mostRows = 20_000
    static let mostBytes = 32 << 20
    /// Seconds for which a batch is sent again, and between two tries: a standby takes over in less.
    private static let patience = 60.0
    private static let backoff = Backoff(first: 0.2, longest: 5)

    /// What has been taken in.
    package struct Result {
        package var rows: Int64 = 0
        /// Rows whose keys were there before.
        package var known: Int64 = 0
        /// The number of the first row; nil if there is none.
        package var first: Int64?
        /// The numbers of all rows, those that were there before included; fewer if an answer was lost.
        package var ids: [Int64] = []
        /// Rows of which it is not known whether they were taken in, as no answer has come.
        package var doubtful = 0
    }

    package private(set) var result = Result()
    private let connect: () throws -> DatabaseClient
    private var database: DatabaseClient?
    private var batch = newBatch()
    /// The batch that the database is taking in, and the question that says so.
    private var underWay: (batch: (id: String, text: IntakeText), questions: [Int])?

    /// - Parameter connect: makes a connection.
    /// - Throws: what that throws.
    package init(_ connect: @escaping () throws -> DatabaseClient) throws {
        self.connect = connect
        database = try connect()
    }

    /// The connection, for other questions: what is on its way is answered first, and counted.
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

    /// Sends what is left, and waits until everything was taken in.
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

    /// Waits for the batch under way, and sends it again as often as that may help.
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
                // A refusal is an answer, to this try: nothing of the batch is in.
                let isUnanswered = wasAsked && (error as? DatabaseError)?.mayPass ?? true
                if isLost || isUnanswered { result.doubtful = batch.text.rows }
                throw error
            }
        }
    }

    /// Copies a batch and asks that it be taken in.
    ///
    /// - Returns: the questions that are not answered yet, the one with the result first.
    private func start(_ batch: (id: String, text: IntakeText)) throws -> [Int] {
        let database = try connection()
        // What an earlier try has left.
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
    /// Whether the same may succeed if it is asked again.
    var mayPass: Bool { kind == .connection || kind == .contention }
}
