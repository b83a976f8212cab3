// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet prune` drops old ended rows, ten million at a time.
package struct FleetPruneCommand: FleetCommand {
    package static let path = ["fleet", "prune"]
    package static let summary = "Drop old partitions of the fleet's database whose rows have all ended."
    package static let synopsis = ["[OPTION…]"]
    package static let discussion = """
        Rows are kept in partitions of ten million. One whose rows have all ended, the last of them before the time
        that --older says, is dropped as a whole, with the records of its submissions: their keys may then be used
        again. The newest partition always stays. What devices have shown of earlier times is forgotten as well.
        """
    package static let options = [
        CommandOption("--older", value: "TIME", help: "only what ended longer ago than this (30d)"),
        CommandOption("--dry-run", help: "only say what would be dropped"),
    ]
    package static let examples = [CommandExample("offstage fleet prune --older 90d", "keep three months")]

    /// Seconds.
    package let age: Double
    package let isDryRun: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        age =
            try arguments.takeValue("--older", "a time such as 30d") { text in
                Quantity.seconds(text).flatMap { $0 <= 3_153_600_000 ? $0 : nil }
            } ?? 2_592_000
        isDryRun = arguments.takeFlag("--dry-run")
        try arguments.expectNoOperands()
    }
}
