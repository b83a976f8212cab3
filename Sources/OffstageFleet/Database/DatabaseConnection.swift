// SPDX-License-Identifier: Apache-2.0
import CPostgreSQL
import OffstageCore

/// A non-blocking connection to a fleet's database. Its owner polls its descriptor, along with others, and calls
/// `proceed`. Questions are queued, and the values of each are separate from its text.
///
/// Belongs to one thread. No libpq pointer leaves this file. Only `opened` blocks; call it on a thread that may block.
package final class DatabaseConnection {
    /// The conditions to poll the descriptor for.
    package struct Interest: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let reading = Interest(rawValue: 1)
        package static let writing = Interest(rawValue: 2)
    }

    private enum Stage { case open, copying, ended }

    private struct Question {
        var number: Int
        var text: String
        var values: [String?]
        /// Several statements without values.
        var isScript: Bool
        var records: [FleetRecord] = []
        var error: DatabaseError?
    }

    /// The most rows in one answer. The functions of the schema return no more.
    private static let mostRows: Int32 = 20_000

    private var handle: OpaquePointer?
    private var stage = Stage.open
    private var line: [Question] = []
    private var underWay: Question?
    private var lastNumber = 0
    /// What to poll the descriptor for. Changes with each call.
    package private(set) var interest: Interest = .reading

    /// A connection that another thread has created and no longer uses.
    package struct Opened: @unchecked Sendable {
        // libpq allows any thread, one at a time. The handle moves with this value.
        fileprivate let handle: OpaquePointer
    }

    /// Connects, blocking until done.
    ///
    /// - Returns: a connection for `init(_:)`.
    package static func opened(_ address: DatabaseAddress) -> Result<Opened, DatabaseError> {
        var options = address.options
        do throws(DatabaseError) {
            if let peer = try DatabasePeer.expected(at: address) {
                options.append(.init(keyword: "requirepeer", value: peer))
            }
        } catch {
            return .failure(error)
        }
        let made = withTexts(options.map(\.keyword)) { keywords in
            withTexts(options.map(\.value)) { PQconnectdbParams(keywords, $0, 0) }
        }
        guard let made, PQstatus(made) == CONNECTION_OK, PQsetnonblocking(made, 1) == 0 else {
            let error = DatabaseError(.connection, words(PQerrorMessage(made)))
            PQfinish(made)
            return .failure(error)
        }
        offstage_pq_silence(made)
        return .success(Opened(handle: made))
    }

    /// Takes over an open connection. Questions are sent immediately.
    package init(_ opened: Opened) {
        handle = opened.handle
    }

    deinit { PQfinish(handle) }

    /// The descriptor to poll; -1 once the connection has ended.
    package var descriptor: Int32 { PQsocket(handle) }

    /// Whether no question is under way or queued.
    package var isIdle: Bool { stage == .open && underWay == nil && line.isEmpty }

    /// Enqueues a question.
    ///
    /// - Parameters:
    ///   - text: one statement with placeholders `$1`, `$2` and so on. A constant, which never contains external input.
    ///   - values: the values in PostgreSQL's text format; nil for NULL.
    /// - Returns: the question's number, which identifies its answer.
    @discardableResult
    package func ask(_ text: StaticString, _ values: [String?] = []) -> Int {
        enqueue(text.description, values)
    }

    /// Enqueues a step of the schema, which has several statements and no values. A constant, like all steps.
    package func ask(_ step: SchemaStep) -> Int { enqueue(step.transaction, nil) }

    private func enqueue(_ text: String, _ values: [String?]?) -> Int {
        lastNumber += 1
        line.append(Question(number: lastNumber, text: text, values: values ?? [], isScript: values == nil))
        return lastNumber
    }

    /// Closes the connection. No more questions are answered.
    package func close() {
        PQfinish(handle)
        handle = nil
        stage = .ended
    }

    /// Makes progress without blocking. Call it when the descriptor is ready for `interest`, and after `ask`.
    ///
    /// - Returns: what has happened, in order.
    package func proceed() -> [DatabaseEvent] {
        switch stage {
        case .open, .copying: converse()
        case .ended: []
        }
    }

    private func converse() -> [DatabaseEvent] {
        var events: [DatabaseEvent] = []
        guard PQconsumeInput(handle) == 1 else { return lose() }
        while stage == .open {
            if underWay == nil {
                guard let next = line.first else { break }
                line.removeFirst()  // checked: there is a first one
                underWay = next
                guard send(next) else { return lose(after: events) }
            }
            guard PQisBusy(handle) == 0 else { break }
            guard let result = PQgetResult(handle) else {
                if let event = conclude() { events.append(event) }
                continue
            }
            defer { PQclear(result) }
            if let event = consume(result) { events.append(event) }
        }
        while let note = PQnotifies(handle) {
            events.append(.notified(channel: Self.text(note.pointee.relname), payload: Self.text(note.pointee.extra)))
            PQfreemem(note)
        }
        guard PQstatus(handle) == CONNECTION_OK else { return lose(after: events) }
        return flush(events)
    }

    private func flush(_ events: [DatabaseEvent]) -> [DatabaseEvent] {
        switch PQflush(handle) {
        case 0: interest = .reading
        // The server may want to be read first.
        case 1: interest = [.reading, .writing]
        default: return lose(after: events)
        }
        return events
    }

    private func send(_ question: Question) -> Bool {
        if question.isScript { return PQsendQuery(handle, question.text) == 1 }
        let values = question.values
        // In C, a NUL would end the value, and PostgreSQL does not allow it in text.
        guard values.allSatisfy({ $0?.utf8.contains(0) != true }), let count = Int32(exactly: values.count) else {
            underWay?.error = DatabaseError(.refused, "a value that is no text", code: "22021")
            return true
        }
        return Self.withTexts(values) { texts in
            PQsendQueryParams(handle, question.text, count, nil, texts, nil, nil, 0) == 1
        }
    }

    /// Reads one result of the question under way.
    private func consume(_ result: OpaquePointer) -> DatabaseEvent? {
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK:
            if let records = Self.records(of: result) {
                underWay?.records.append(contentsOf: records)
            } else {
                // A partial answer could be mistaken for the whole.
                underWay?.error = DatabaseError(.refused, "the database answers with too many rows")
            }
        case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
        case PGRES_COPY_IN:
            stage = .copying
            return underWay.map { .copying($0.number) }
        default:
            let code = PQresultErrorField(result, offstage_pq_sqlstate).map { String(cString: $0) } ?? ""
            let words = PQresultErrorField(result, offstage_pq_primary) ?? PQresultErrorMessage(result)
            underWay?.error = DatabaseError(code: code, message: Self.words(words))
        }
        return nil
    }

    private func conclude() -> DatabaseEvent? {
        guard let question = underWay else { return nil }
        underWay = nil
        if let error = question.error { return .refused(question.number, error) }
        return .answered(question.number, question.records)
    }

    /// The rows of a result; nil if there are too many.
    private static func records(of result: OpaquePointer) -> [FleetRecord]? {
        let count = PQntuples(result)
        guard count <= mostRows else { return nil }
        // checked: libpq's own counts, which are not negative
        let columns = (0..<PQnfields(result)).map { ($0, text(PQfname(result, $0))) }
        return (0..<count).map { row in
            var values: [String: String] = [:]
            for (column, name) in columns where PQgetisnull(result, row, column) == 0 {
                values[name] = PQgetvalue(result, row, column).map { String(cString: $0) }
            }
            return FleetRecord(values)
        }
    }

    private func lose(after events: [DatabaseEvent] = []) -> [DatabaseEvent] {
        let error = DatabaseError(.connection, Self.words(PQerrorMessage(handle)))
        var unanswered = line.map(\.number)
        if let underWay { unanswered.insert(underWay.number, at: 0) }  // checked: the beginning
        underWay = nil
        line = []
        close()
        return events + [.lost(error, unanswered: unanswered)]  // checked: arrays
    }

    private static func text(_ bytes: UnsafePointer<CChar>?) -> String { bytes.map { String(cString: $0) } ?? "" }

    /// A libpq message, which contains no password. Lines are joined, without a final full stop, for use in a sentence.
    private static func words(_ text: UnsafePointer<CChar>?) -> String {
        let lines = (text.map { String(cString: $0) } ?? "no connection").split(whereSeparator: \.isNewline)
        var words = ""
        for line in lines {
            // A tab marks a continuation line.
            words.append(words.isEmpty ? "" : line.hasPrefix("\t") ? " " : "; ")
            words.append(contentsOf: line.drop { $0.isWhitespace })
        }
        return FleetText(words.hasSuffix(".") ? String(words.dropLast()) : words, longest: 1000).description
    }

    /// Calls `body` with a NULL-terminated array of C strings that are valid only during the call.
    private static func withTexts<Result>(
        _ texts: [String?],
        _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        var places: [Int?] = []
        for text in texts {
            places.append(text.map { _ in bytes.count })
            if let text { bytes.append(contentsOf: text.utf8CString) }
        }
        return bytes.withUnsafeBufferPointer { buffer in
            body(places.map { place in place.flatMap { buffer.baseAddress?.advanced(by: $0) } } + [nil])
        }
    }
}

extension DatabaseConnection {
    /// Sends some of the rows of a COPY.
    ///
    /// - Returns: whether they were accepted; if not, wait for the descriptor and call `proceed` before trying again.
    package func copy(_ bytes: [UInt8]) -> Bool {
        guard stage == .copying, let count = Int32(exactly: bytes.count) else { return false }
        let taken = bytes.withUnsafeBytes { raw in
            PQputCopyData(handle, raw.baseAddress?.assumingMemoryBound(to: CChar.self), count)
        }
        interest = [.reading, .writing]
        return taken == 1
    }

    /// Ends a COPY; the answer to its question follows.
    ///
    /// - Parameter reason: why it ends before all rows were sent, so the server discards them; nil if all were.
    /// - Returns: whether this was accepted, as for `copy`.
    package func endCopy(reason: String? = nil) -> Bool {
        guard stage == .copying, PQputCopyEnd(handle, reason) == 1 else { return false }
        stage = .open
        return true
    }
}
