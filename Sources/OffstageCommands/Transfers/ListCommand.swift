// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage list` prints one page of transfers, newest first.
package struct ListCommand: Command {
    package static let path = ["list"]
    package static let summary = "List transfers, newest first."
    package static let synopsis = ["[OPTION…]"]
    package static let options = [
        CommandOption(
            "--state",
            value: "STATE",
            kind: .words(states),
            help: "only these: \(states.joined(separator: ", ")); repeatable"
        ),
        CommandOption("--failed", help: "only finished ones that failed"),
        CommandOption("--owner", value: "NAME", help: "only this owner's ('command', or an app)"),
        CommandOption("--text", value: "TEXT", help: "only those whose URL or path contains TEXT"),
        CommandOption("--limit", "-n", value: "COUNT", help: "at most COUNT (100)"),
        CommandOption("--before", value: "ID", help: "only ones older than ID: the next page"),
        CommandOption("--all", "-a", help: "all pages"),
        CommandOption("--quiet", "-q", help: "print only numbers, one per line"),
    ]
    package static let examples = [
        CommandExample("offstage list", "the newest hundred"),
        CommandExample("offstage list --state waiting --state running", "what is not done yet"),
        CommandExample("offstage list --failed --text backup", "failed transfers of anything named backup"),
        CommandExample("offstage list --all --json | jq '.transfers[].id'", "the numbers of all transfers"),
    ]

    private static let states =
        TransferState.Kind.allCases.map(\.rawValue) + TransferQuery.Result.allCases.map(\.rawValue)
    /// Few enough rows for an answer to fit into a frame, however long their URLs are.
    private static let largestPage = 500

    let query: TransferQuery
    let listsAll: Bool
    let isQuiet: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        var query = TransferQuery()
        for text in arguments.takeValues("--state").flatMap({ $0.split(separator: ",").map(String.init) }) {
            if let kind = TransferState.Kind(rawValue: text) {
                query.kinds = (query.kinds ?? []) + [kind]
            } else if let result = TransferQuery.Result(rawValue: text) {
                query.results = (query.results ?? []) + [result]
            } else {
                throw UsageError("'\(text)' is not a state; choose from \(Self.states.joined(separator: ", "))")
            }
        }
        if arguments.takeFlag("--failed") { query.results = (query.results ?? []) + [.failed] }
        if query.kinds != nil, query.results != nil, query.kinds != [.finished] {
            throw UsageError("a state of unfinished transfers cannot be combined with --failed")
        }
        query.owner = arguments.takeValue("--owner")
        query.text = arguments.takeValue("--text")
        if let text = arguments.takeValue("--before") {
            query.before = try IDArguments.parse([text]).last
        }
        let limit = try arguments.takeValue("--limit", "a number from 1", Quantity.count)
        guard limit != 0 else { throw UsageError("--limit takes a number from 1") }
        query.limit = limit ?? 100
        listsAll = arguments.takeFlag("--all")
        isQuiet = arguments.takeFlag("--quiet")
        self.query = query
        try arguments.expectNoOperands()
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        var rows: [TransferRow] = []
        var next = query
        var page: ListTransfers.Reply
        repeat {
            next.limit = listsAll ? Self.largestPage : min(Self.largestPage, query.limit - rows.count)
            page = try connection.send(ListTransfers(query: next))
            rows += page.rows
            next.before = page.rows.last?.id
        } while page.hasMore && !page.rows.isEmpty && (listsAll || rows.count < query.limit)
        if context.printsJSON {
            let document = Document(
                transfers: rows.map(TransferDocument.init),
                hasMore: page.hasMore,
                counts: page.counts
            )
            context.output.print(try JSONText.of(document))
        } else if isQuiet {
            context.output.write(rows.map { "\($0.id)\n" }.joined())
        } else {
            print(rows, page, context)
        }
        return .success
    }

    struct Document: Encodable {
        let transfers: [TransferDocument]
        let hasMore: Bool
        let counts: [String: Int]
    }

    private func print(_ rows: [TransferRow], _ page: ListTransfers.Reply, _ context: CommandContext) {
        let output = context.output
        if rows.isEmpty {
            let isWhole = query == TransferQuery(limit: query.limit)
            output.print(
                isWhole
                    ? "There are no transfers yet; 'offstage upload --help' shows how to begin."
                    : "No transfer matches."
            )
        } else {
            let table = TransferTable.table(rows, now: context.now())
            for line in table.lines(width: output.columns, usesColour: output.usesColour) { output.print(line) }
        }
        let total = page.counts.values.reduce(0, +)
        guard total > 0 else { return }
        var lines = [Self.counts(page.counts)]
        if page.hasMore, let last = rows.last {
            lines.append("\(rows.count) shown; older: offstage list --before \(last.id), everything: --all")
        }
        let whole = lines.joined(separator: " — ")
        if output.columns == 0 || DisplayWidth.of(whole) <= output.columns { lines = [whole] }
        for line in lines.flatMap({ DisplayWidth.wrapped($0, to: output.columns) }) {
            output.print(Style.faint(line, output.usesColour))
        }
    }

    /// `12 transfers: 3 running, 9 ended`: complete, failed and cancelled ones have all ended.
    static func counts(_ counts: [String: Int]) -> String {
        let total = counts.values.reduce(0, +)
        let parts = TransferState.Kind.allCases.compactMap { kind in
            counts[kind.rawValue].flatMap { $0 > 0 ? "\($0) \(kind == .finished ? "ended" : kind.rawValue)" : nil }
        }
        guard total > 0 else { return "none" }
        return "\(total) transfer\(total == 1 ? "" : "s"): \(parts.joined(separator: ", "))"
    }
}
