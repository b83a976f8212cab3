// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage wait ID…` follows transfers until they have ended.
package struct WaitCommand: Command {
    package static let path = ["wait"]
    package static let summary = "Follow transfers until they have ended."
    package static let synopsis = ["[OPTION…] ID…", "[OPTION…]   (all that have not ended)"]
    package static let discussion =
        "The exit status is that of the transfers, as if they had been followed from the beginning."
    package static let options = [CommandOption("--quiet", "-q", help: "print nothing but errors")]
    package static let operands = OperandKind.transfers
    package static let examples = [
        CommandExample("offstage wait 7 && echo there", "continue a script once transfer 7 is done"),
        CommandExample("offstage wait", "follow everything that is under way"),
    ]

    let ids: [TransferID]
    let isQuiet: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        isQuiet = arguments.takeFlag("--quiet")
        ids = try IDArguments.parse(arguments.takeOperands())
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        var connection = try context.connect()
        let followed = ids.isEmpty ? try Self.unfinished(connection) : ids
        if followed.isEmpty, !isQuiet, !context.printsJSON { context.output.print("Every transfer has ended.") }
        let follower = Follower(followed, context, style: isQuiet || context.printsJSON ? .quiet : .lively)
        follower.greets = false
        return try follower.run(&connection)
    }

    private static func unfinished(_ connection: DaemonConnection) throws -> [TransferID] {
        var query = TransferQuery(kinds: TransferState.Kind.allCases.filter { $0 != .finished }, limit: 1000)
        var ids: [TransferID] = []
        while true {
            let page = try connection.send(ListTransfers(query: query))
            ids += page.rows.map(\.id)
            guard page.hasMore, let last = page.rows.last else { return ids.reversed() }
            query.before = last.id
        }
    }
}
