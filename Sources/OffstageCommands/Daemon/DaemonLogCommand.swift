// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore

/// `offstage daemon log` prints the end of the daemon's log.
package struct DaemonLogCommand: Command {
    package static let path = ["daemon", "log"]
    package static let summary = "Print the end of the daemon's log."
    package static let synopsis = ["[-n COUNT]"]
    package static let discussion = """
        A daemon that systemd started writes to the journal instead: journalctl --user -u offstaged.
        """
    package static let options = [CommandOption("--lines", "-n", value: "COUNT", help: "the last COUNT lines (50)")]
    package static let examples = [CommandExample("offstage daemon log -n 200", "the last 200 lines")]

    let count: Int

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        count = try arguments.takeValue("--lines", "a whole number", Quantity.count) ?? 50
        try arguments.expectNoOperands()
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let path = try context.paths().log
        guard access(path, F_OK) == 0 else {
            throw CommandFailure(
                "There is no log at \(path): no daemon has been started on demand yet (systemd keeps its own: journalctl --user -u offstaged)."
            )
        }
        let bytes = try FileBytes.read(path, limit: 64 << 20)
        let lines = bytes.split(separator: 10).suffix(count).map {
            String(decoding: $0, as: UTF8.self).redactedControls
        }
        if context.printsJSON {
            context.output.print(try JSONText.of(Document(path: path, lines: lines)))
        } else {
            for line in lines { context.output.print(line) }
        }
        return .success
    }

    struct Document: Encodable {
        let path: String
        let lines: [String]
    }
}
