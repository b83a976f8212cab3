// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// `offstage fleet list` prints one page of a fleet's rows, newest first.
package struct FleetListCommand: FleetCommand {
    package static let path = ["fleet", "list"]
    package static let summary = "List the rows of the fleet, newest first."
    package static let synopsis = ["[OPTION…]"]
    package static let discussion = """
        A row is a file to be sent by a member. It waits, is leased by a member that carries it out, waits for later (its own
        time, or another try), is paused, or has ended: done, failed, cancelled, or unknown, if nobody knows whether the file
        has arrived and it must not be sent again unasked ('offstage fleet settle', 'offstage fleet retry').
        """
    package static let options = [
        CommandOption(
            "--state",
            value: "STATE",
            kind: .words(states),
            help: "only these: \(states.joined(separator: ", ")); repeatable"
        ),
        CommandOption("--failed", help: "only those that failed, or whose end is unknown"),
        CommandOption("--limit", "-n", value: "COUNT", help: "at most COUNT (100)"),
        CommandOption("--before", value: "ID", help: "only ones older than ID: the next page"),
        CommandOption("--all", "-a", help: "all pages"),
        CommandOption("--quiet", "-q", help: "print only numbers, one per line"),
    ]
    package static let examples = [
        CommandExample("offstage fleet list", "the newest hundred"),
        CommandExample("offstage fleet list --state leased", "what is under way, and where"),
        CommandExample("offstage fleet list --failed --all --json | jq '.rows[].detail'", "why rows failed"),
    ]

    static let states = FleetStanding.State.allCases.map(\.word)

    /// Nil for all.
    package let states: [FleetStanding.State]?
    package let most: Int
    package let before: Int64?
    package let listsAll: Bool
    package let isQuiet: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        var states: [FleetStanding.State] = []
        for word in arguments.takeValues("--state").flatMap({ $0.split(separator: ",").map(String.init) }) {
            guard let state = FleetStanding.State(word: word) else {
                throw UsageError("'\(word)' is not a state; choose from \(Self.states.joined(separator: ", "))")
            }
            states.append(state)
        }
        if arguments.takeFlag("--failed") { states += [.failed, .unknown] }
        self.states = states.isEmpty ? nil : states
        before = try arguments.takeValue("--before").map { text throws(UsageError) in
            try FleetRowArguments.parse([text])[0]  // checked: a word that was taken is at least one number
        }
        most = try arguments.takeValue("--limit", "a number from 1", Quantity.count) ?? 100
        guard most != 0 else { throw UsageError("--limit takes a number from 1") }
        listsAll = arguments.takeFlag("--all")
        isQuiet = arguments.takeFlag("--quiet")
        try arguments.expectNoOperands()
    }
}
