// SPDX-License-Identifier: Apache-2.0
package import OffstageCommands
import OffstageCore

extension FleetPauseCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus { try FleetActing(Self.verb, order, context).run() }
}

extension FleetResumeCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus { try FleetActing(Self.verb, order, context).run() }
}

extension FleetCancelCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus { try FleetActing(Self.verb, order, context).run() }
}

extension FleetRetryCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus { try FleetActing(Self.verb, order, context).run() }
}

extension FleetSettleCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus { try FleetActing(Self.verb, order, context).run() }
}

/// Performs one action on rows of the fleet, a thousand at a time.
struct FleetActing {
    private let verb: FleetVerb
    private let order: FleetOrder
    private let context: FleetContext

    init(_ verb: FleetVerb, _ order: FleetOrder, _ context: FleetContext) {
        self.verb = verb
        self.order = order
        self.context = context
    }

    /// - Throws: `DatabaseError`; `UsageError` if confirmation is needed and there is no terminal.
    func run() throws -> ExitStatus {
        if order.asks, !context.output.isTerminal || context.command.printsJSON || context.command.keyboard() < 0 {
            let what =
                order.longRange.map { "\($0) names more than \(ActingDoubt.longestUndoubted) rows, which needs" }
                ?? "--all needs"
            throw UsageError("\(what) confirmation, and nobody can be asked here: add --yes. Nothing was done")
        }
        let database = try context.open()
        switch order.selection {
        case .queue(let name): return try pause(queue: name, database)
        case .ids(let ids):
            guard !order.asks || isConfirmed("\(verb.rawValue.capitalizedFirst) \(ids.count) rows?") else {
                return nothing
            }
            return try report(act(on: ids, database), ids, database)
        case .all:
            let counts = try database.totals()
            let count = verb.states.reduce(Int64(0)) { $0.addingClamped(counts[$1] ?? 0) }
            let words = verb.states.map(\.word).joined(separator: ", ")
            guard
                !order.asks || count <= 0
                    || isConfirmed("\(verb.rawValue.capitalizedFirst) all rows (\(count) \(words))?")
            else { return nothing }
            return try actOnAll(database)
        }
    }

    private var nothing: ExitStatus {
        context.output.print("Nothing was done.")
        return .failure
    }

    private func isConfirmed(_ question: String) -> Bool {
        context.output.write("\(question) [y/N] ")
        let answer = (try? context.command.readLine()) ?? ""
        return ["y", "yes"].contains(answer.lowercased().filter { !$0.isWhitespace })
    }

    private func pause(queue: String, _ database: DatabaseClient) throws -> ExitStatus {
        try database.ask("SELECT offstage.pause_queue($1, $2)", [queue, verb == .pause ? "t" : "f"])
        if context.command.printsJSON {
            context.output.print(try JSONText.of(["queue": queue, "state": verb == .pause ? "paused" : "open"]))
        } else {
            context.output.print("\(verb.pastTense) the queue \(queue).")
        }
        return .success
    }

    /// Performs the action on the rows that it applies to, and returns them.
    private func act(on ids: [Int64], _ database: DatabaseClient) throws -> [Int64] {
        var done: [Int64] = []
        for part in ids.parts(of: DatabaseClient.largestPage) {
            do {
                done += try actTogether(on: part, database)
            } catch {
                if !done.isEmpty { complain("\(verb.pastTense) \(spans(done.sorted())) before this.") }
                throw error
            }
        }
        return done.sorted()
    }

    private func complain(_ sentence: String) { context.output.complain("offstage: \(sentence)") }

    private func actTogether(on part: [Int64], _ database: DatabaseClient) throws -> [Int64] {
        let records: [FleetRecord]
        switch verb {
        case .cancel: records = try database.ask("SELECT offstage.stop_rows($1, 1::smallint) AS id", [part.array])
        case .pause: records = try database.ask("SELECT offstage.stop_rows($1, 2::smallint) AS id", [part.array])
        case .resume:
            // This verb must not retry a failed row.
            let paused = try database.rows(part).filter { $0.state == .paused }.map(\.id)
            records = try database.ask("SELECT offstage.retry_rows($1) AS id", [paused.array])
        case .retry: records = try database.ask("SELECT offstage.retry_rows($1) AS id", [part.array])
        case .settle:
            let result = order.settlesAsFailed ? "1" : "0"
            records = try database.ask("SELECT offstage.settle_rows($1, $2) AS id", [part.array, result])
        }
        return records.compactMap { $0.number("id", FleetRowNumbers.self) }
    }

    /// Acts page by page, newest first. Rows acted on no longer have the states in question, or are skipped.
    private func actOnAll(_ database: DatabaseClient) throws -> ExitStatus {
        var (done, seen): ([Int64], Int) = ([], 0)
        var before: Int64?
        do {
            while let last = try actOnPage(before: before, database, &done, &seen) { before = last }
        } catch {
            if !done.isEmpty { complain("\(verb.pastTense) \(Format.count(done.count, "row")) before this.") }
            throw error
        }
        if context.command.printsJSON {
            context.output.print(try JSONText.of(Document(done: done, refused: [])))
        } else {
            let others = max(0, seen - done.count)
            context.output.print(
                done.isEmpty
                    ? "There is no row to which this applies\(others > 0 ? ", and that this login may change" : "")."
                    : "\(verb.pastTense) \(Format.count(done.count, "row"))."
                        + (others > 0
                            ? " \(Format.count(others, "other")) cannot be changed by this login, or have ended." : "")
            )
        }
        return .success
    }

    /// - Returns: the lowest number of the page; nil if it is empty.
    private func actOnPage(
        before: Int64?,
        _ database: DatabaseClient,
        _ done: inout [Int64],
        _ seen: inout Int
    ) throws -> Int64? {
        let page = try database.rows(before: before, states: verb.states, most: DatabaseClient.largestPage)
        guard let last = page.last else { return nil }
        seen += page.count  // checked: rows that were read one by one
        done += try actTogether(on: page.map(\.id), database)
        return last.id
    }

    struct Document: Encodable {
        struct Refusal: Encodable {
            let id: Int64
            /// `notFound`, `notApplicable` or `notYours`.
            let code: String
            let message: String
        }

        let done: [Int64]
        let refused: [Refusal]
    }

    private func report(_ done: [Int64], _ ids: [Int64], _ database: DatabaseClient) throws -> ExitStatus {
        let left = Set(ids).subtracting(done).sorted()
        let there = Dictionary(uniqueKeysWithValues: try database.rows(left).map { ($0.id, $0) })
        let refused = left.map { id -> Document.Refusal in
            guard let row = there[id] else {
                return .init(id: id, code: "notFound", message: "There is no row \(id).")
            }
            guard !verb.applies(to: row.state) else {
                return .init(
                    id: id,
                    code: "notYours",
                    message: "Row \(id) was submitted by \(row.submitter), and this login does not operate the fleet."
                )
            }
            return .init(
                id: id,
                code: "notApplicable",
                message: "Row \(id) is \(row.state.word): it cannot be \(verb.participle)."
            )
        }
        if context.command.printsJSON {
            context.output.print(try JSONText.of(Document(done: done, refused: refused)))
        } else if !done.isEmpty {
            context.output.print("\(verb.pastTense) \(spans(done)).")
        }
        for refusal in refused.prefix(10) { complain(refusal.message) }
        if refused.count > 10 { complain("… and \(refused.count - 10) more.") }
        if refused.contains(where: { $0.code != "notFound" }) { return .failure }
        return refused.isEmpty ? .success : .notFound
    }

    private func spans(_ ids: [Int64]) -> String { Submission.spans(ids.map { TransferID(rawValue: $0) }) }
}

extension FleetVerb {
    /// Whether the action applies to a row in a state, for a user who may change the row.
    func applies(to state: FleetStanding.State) -> Bool {
        switch self {
        case .pause, .cancel, .resume: states.contains(state)
        case .retry: [.later, .paused, .failed, .cancelled, .unknown].contains(state)
        case .settle: state == .unknown
        }
    }

    var participle: String {
        switch self {
        case .pause: "paused"
        case .resume: "resumed"
        case .cancel: "cancelled"
        case .retry: "retried"
        case .settle: "settled"
        }
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
