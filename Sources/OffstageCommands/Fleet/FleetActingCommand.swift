// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A command that performs one action on rows of a fleet.
package protocol FleetActingCommand: FleetCommand {
    static var verb: FleetVerb { get }
    var order: FleetOrder { get }
    init(order: FleetOrder)
}

/// The actions on rows.
package enum FleetVerb: String, Sendable, CaseIterable {
    case pause, resume, cancel, retry, settle

    /// The word for the affected rows.
    package var pastTense: String {
        switch self {
        case .pause: "Paused"
        case .resume: "Resumed"
        case .cancel: "Cancelled"
        case .retry: "Waiting again:"
        case .settle: "Settled"
        }
    }

    /// The states of the rows that `--all` selects.
    package var states: [FleetStanding.State] {
        switch self {
        case .pause: [.waiting, .leased, .later]
        case .resume: [.paused]
        case .cancel: [.waiting, .leased, .later, .paused]
        case .retry: [.failed]
        case .settle: [.unknown]
        }
    }

    /// Whether the action can be undone.
    var isHarmless: Bool {
        switch self {
        case .pause, .resume: true
        case .cancel, .retry, .settle: false
        }
    }
}

/// The rows that an action applies to.
package struct FleetOrder: Sendable, Equatable {
    package enum Selection: Sendable, Equatable {
        case ids([Int64])
        case all
        /// The queue itself.
        case queue(String)
    }

    package var selection: Selection
    /// A range on the command line that may be a mistake; nil if there is none.
    package var longRange: String?
    /// Whether the user must confirm the action.
    package var asks = false
    /// Whether a row is settled as failed.
    package var settlesAsFailed = false
}

extension FleetActingCommand {
    package static var path: [String] { ["fleet", verb.rawValue] }
    package static var synopsis: [String] {
        ["[OPTION…] ID…", "[OPTION…] --all"] + (verb.isHarmless ? ["--queue NAME"] : [])
    }
    package static var options: [CommandOption] {
        var options = [
            CommandOption("--all", "-a", help: "all rows that it applies to, and that this login may change"),
            CommandOption(
                "--yes",
                "-y",
                help: verb.isHarmless
                    ? "ask no questions (there are none)"
                    : "do not ask about --all or a range of more than \(ActingDoubt.longestUndoubted)"
            ),
        ]
        if verb.isHarmless {
            options.insert(CommandOption("--queue", value: "NAME", help: "the queue itself, for everybody"), at: 0)
        }
        if verb == .settle { options.insert(CommandOption("--failed", help: "the file has not arrived"), at: 0) }
        return options
    }

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        let (all, saysYes) = (arguments.takeFlag("--all"), arguments.takeFlag("--yes"))
        let queue = arguments.takeValue("--queue")
        let settlesAsFailed = arguments.takeFlag("--failed")
        let words = arguments.takeOperands()
        let ids = try FleetRowArguments.parse(words)
        guard [all, queue != nil, !ids.isEmpty].count(where: \.self) == 1 else {
            throw UsageError(
                all || queue != nil
                    ? "name rows, or give --all\(Self.verb.isHarmless ? ", or --queue" : "")"
                    : "name a row's number, or give --all; 'offstage fleet list' shows them"
            )
        }
        if let queue, !FleetText.isName(queue) { throw UsageError("'\(queue)' cannot be the name of a queue") }
        var order = FleetOrder(selection: queue.map { .queue($0) } ?? (all ? .all : .ids(ids)))
        order.longRange = IDArguments.range(ofMoreThan: ActingDoubt.longestUndoubted, in: words)
        order.asks = !saysYes && !Self.verb.isHarmless && (all || order.longRange != nil)
        order.settlesAsFailed = settlesAsFailed
        self.init(order: order)
    }
}

/// `offstage fleet pause ID…`.
package struct FleetPauseCommand: FleetActingCommand {
    package static let verb = FleetVerb.pause
    package static let summary = "Pause rows of the fleet, or a whole queue."
    package static let discussion = """
        A row under way is given back by its member, with what the server has kept of it. Of a paused queue no more rows are
        leased; those under way end.
        """
    package static let examples = [
        CommandExample("offstage fleet pause 7", "one row"),
        CommandExample("offstage fleet pause --queue nightly", "a queue, for everybody"),
    ]
    package let order: FleetOrder
    package init(order: FleetOrder) { self.order = order }
}

/// `offstage fleet resume ID…`.
package struct FleetResumeCommand: FleetActingCommand {
    package static let verb = FleetVerb.resume
    package static let summary = "Let paused rows of the fleet, or a paused queue, go on."
    package static let examples = [
        CommandExample("offstage fleet resume --all", "all paused rows"),
        CommandExample("offstage fleet resume --queue nightly", "a queue, for everybody"),
    ]
    package let order: FleetOrder
    package init(order: FleetOrder) { self.order = order }
}

/// `offstage fleet cancel ID…`.
package struct FleetCancelCommand: FleetActingCommand {
    package static let verb = FleetVerb.cancel
    package static let summary = "Cancel rows of the fleet."
    package static let discussion = "A row under way is cancelled by its member, as soon as that receives it."
    package static let examples = [CommandExample("offstage fleet cancel 7-12", "six rows")]
    package let order: FleetOrder
    package init(order: FleetOrder) { self.order = order }
}

/// `offstage fleet retry ID…`.
package struct FleetRetryCommand: FleetActingCommand {
    package static let verb = FleetVerb.retry
    package static let summary =
        "Let rows of the fleet that failed, or wait for another try, wait for a member at once."
    package static let discussion = """
        Also for rows that were cancelled, and for those whose end is unknown, which are then sent again. --all is for
        those that failed.
        """
    package static let examples = [CommandExample("offstage fleet retry --all", "retry everything that failed")]
    package let order: FleetOrder
    package init(order: FleetOrder) { self.order = order }
}

/// `offstage fleet settle ID…`.
package struct FleetSettleCommand: FleetActingCommand {
    package static let verb = FleetVerb.settle
    package static let summary = "Say how rows of the fleet ended whose end is unknown: done, or failed."
    package static let discussion = """
        The end of a row is unknown if its member was lost after it may have sent a request that must not be repeated.
        Look for the file where it should be; 'offstage fleet retry' sends it again instead.
        """
    package static let examples = [
        CommandExample("offstage fleet settle 7", "the file is there"),
        CommandExample("offstage fleet settle --failed 7", "it is not, and is not to be sent again"),
    ]
    package let order: FleetOrder
    package init(order: FleetOrder) { self.order = order }
}
