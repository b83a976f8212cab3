// SPDX-License-Identifier: Apache-2.0

/// `offstage fleet watch` shows a live table of a fleet: counts, members, and what is under way.
package struct FleetWatchCommand: FleetCommand {
    package static let path = ["fleet", "watch"]
    package static let summary = "Show a live view of the fleet: counts, members, and rows under way."
    package static let synopsis = ["[OPTION…]"]
    package static let discussion = """
        Needs a terminal; 'offstage fleet list --json' is for scripts. The key q and Ctrl-C end it. It asks the
        database once in two seconds, or as often as --every says.
        """
    package static let options = [CommandOption("--every", value: "TIME", help: "time between two looks (2s)")]
    package static let examples = [CommandExample("offstage fleet watch", "watch until q or Ctrl-C")]

    /// Seconds.
    package let period: Double

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        period =
            try arguments.takeValue("--every", "a time from 0.5s to 1h") { text in
                Quantity.seconds(text).flatMap { (0.5...3600).contains($0) ? $0 : nil }
            } ?? 2
        try arguments.expectNoOperands()
    }
}
