// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// `offstage fleet rules NAME …` sets the rules for members with certain labels.
package struct FleetRulesCommand: FleetCommand {
    package static let path = ["fleet", "rules"]
    package static let summary =
        "Show or set rules for members with some labels: limits, hours, metered networks, a pause."
    package static let synopsis = ["", "NAME [--on LABEL]… RULES"]
    package static let discussion = """
        RULES is JSON with any of paused, rateLimit (bytes a second), maximumRunning, metered (false forbids it) and
        hours (as schedule in the settings), or '{}' for no rules. Of several sets that reach a member the strictest
        of each kind counts. Members hear of them with their next turn.
        """
    package static let options = [
        CommandOption("--on", value: "LABEL", help: "only members with this label, such as site=seoul; repeatable")
    ]
    package static let examples = [
        CommandExample("offstage fleet rules", "all rules"),
        CommandExample(
            "offstage fleet rules phones --on kind=phone '{\"metered\":false,\"rateLimit\":500000}'",
            "phones spare their contract"
        ),
    ]

    package enum Request: Sendable, Equatable {
        case show
        case set(name: String, labels: FleetLabels, rules: String)
    }

    package let request: Request

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let labels = try FleetLabelArguments.parse(&arguments)
        let words = arguments.takeOperands()
        switch words.count {
        case 0 where labels == .none: request = .show
        case 2:
            guard FleetText.isName(words[0]) else {
                throw UsageError("'\(words[0])' cannot be the name of a set of rules: letters, digits, . _ and -")
            }
            do {
                _ = try FleetPolicy(json: words[1])
            } catch {
                throw UsageError("'\(words[1])' are no rules: write JSON such as {\"paused\":true}")
            }
            request = .set(name: words[0], labels: labels, rules: words[1])
        default: throw UsageError("give a name and the rules in JSON, or nothing to see all rules")
        }
    }
}
