// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage app log ID` prints the story of an app, or its output.
package struct AppLogCommand: Command {
    package static let path = ["app", "log"]
    package static let summary =
        "Show the story of an app in order: each launch, change of state, wake and kill, and why."
    package static let synopsis = ["[OPTION…] ID"]
    package static let options = [
        CommandOption("--follow", "-f", help: "continue as things happen, until Ctrl-C"),
        CommandOption("--output", "-o", help: "show its output instead, of launches by the daemon"),
        CommandOption("--lines", "-n", value: "COUNT", help: "only the last COUNT (200)"),
        CommandOption("--all", "-a", help: "from the beginning"),
    ]
    package static let operands = OperandKind.apps
    package static let examples = [
        CommandExample("offstage app log dropoff", "why it was suspended, woken or killed"),
        CommandExample("offstage app log --follow dropoff", "while it happens"),
        CommandExample("offstage app log --output -n 20 dropoff", "the last lines of its output"),
        CommandExample(
            "offstage app log --all --json dropoff | jq '.entries[] | select(.event == \"killed\")'",
            "kills"
        ),
    ]

    /// The number of entries in one answer, so that it fits a frame.
    private static let page = 1000

    let app: String
    let follows: Bool
    let printsOutput: Bool
    /// Nil for all.
    let count: Int?

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        follows = arguments.takeFlag("--follow")
        printsOutput = arguments.takeFlag("--output")
        let count = try arguments.takeValue("--lines", "a whole number", Quantity.count)
        guard count != 0 else { throw UsageError("--lines takes a number from 1") }
        let isWhole = arguments.takeFlag("--all")
        guard count == nil || !isWhole else { throw UsageError("give --all or --lines, not both") }
        self.count = isWhole ? nil : count ?? 200
        app = try AppName.parse(&arguments)
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        let id = try connection.app(app, context).id
        if printsOutput {
            let path = try connection.send(ShowApp(app: id)).logPath
            return try AppOutput(app: id, path: path, count: count, context).run(follows: follows)
        }
        let entries = try read(connection, id)
        if !follows { return try print(entries, id, context) }
        return try follow(connection, id, entries, context)
    }

    /// The last entries, or all of them.
    private func read(_ connection: DaemonConnection, _ id: String) throws -> [StoredAppEntry] {
        if let count, count <= Self.page {
            return try connection.send(ReadAppStory(app: id, limit: count)).entries
        }
        var entries: [StoredAppEntry] = []
        while true {
            let after = entries.last?.number ?? 0
            let page = try connection.send(ReadAppStory(app: id, after: after, limit: Self.page)).entries
            if page.isEmpty { break }
            entries += page
        }
        return count.map { entries.suffix($0) } ?? entries
    }

    private func print(_ entries: [StoredAppEntry], _ id: String, _ context: CommandContext) throws -> ExitStatus {
        if context.printsJSON {
            context.output.print(try JSONText.of(Document(app: id, entries: entries.map(AppEntryDocument.init))))
            return .success
        }
        if entries.isEmpty { context.output.print("Nothing has happened to \(id.redactedControls) yet.") }
        var day = Format.day(context.now())
        for entry in entries { show(entry, &day, context) }
        return .success
    }

    private func show(_ entry: StoredAppEntry, _ day: inout String, _ context: CommandContext) {
        for line in AppStoryText.lines(entry.entry, day: &day) { context.output.print(line) }
    }

    /// Polls a few times a second, only while a user watches.
    private func follow(
        _ connection: DaemonConnection,
        _ id: String,
        _ entries: [StoredAppEntry],
        _ context: CommandContext
    ) throws -> ExitStatus {
        let pause = FollowPause(context)
        do {
            return try follow(connection, id, entries, context, pause)
        } catch let error as OffstageError where error.code == .interrupted {
            return pause.detached
        }
    }

    private func follow(
        _ connection: DaemonConnection,
        _ id: String,
        _ entries: [StoredAppEntry],
        _ context: CommandContext,
        _ pause: borrowing FollowPause
    ) throws -> ExitStatus {
        var connection = connection
        connection.interruption = pause.interruption
        var day = Format.day(context.now())
        var last: Int64 = 0
        var new = entries
        while true {
            for entry in new {
                if context.printsJSON {
                    context.output.print(try JSONText.of(AppEntryDocument(entry)))
                } else {
                    show(entry, &day, context)
                }
                last = entry.number
            }
            if new.count < Self.page, let end = pause.wait() { return end }
            do throws(OffstageError) {
                new = try connection.send(ReadAppStory(app: id, after: last, limit: Self.page)).entries
            } catch {
                guard error.code == .connectionLost || error.code == .shuttingDown else { throw error }
                connection = try Reconnection.connect(context, after: error, unless: pause.interruption)
                new = []
            }
        }
    }

    struct Document: Encodable {
        let app: String
        let entries: [AppEntryDocument]
    }
}

/// The pause between two polls, which ends early with a signal, and when the reader of standard output has gone.
struct FollowPause: ~Copyable {
    /// Milliseconds.
    private static let length: Int32 = 200
    private let signals: Int32
    private let output: Int32

    init(_ context: CommandContext) {
        signals = context.catchSignals()
        output = context.output.descriptor
    }

    deinit { if signals >= 0 { close(signals) } }

    /// Ends the waits for the daemon as well.
    var interruption: Interruption { Interruption(descriptor: signals) }

    /// The status of a command ended by a signal.
    var detached: ExitStatus { .detached(bySignalOf: signals) }

    /// Waits. Returns nil to continue, otherwise the exit status.
    func wait() -> ExitStatus? {
        var entries = [
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            // No events are requested, as the system always reports a pipe without a reader.
            pollfd(fd: output, events: 0, revents: 0),
        ]
        guard poll(&entries, 2, Self.length) > 0 else { return nil }
        return entries[1].revents != 0 ? .readerGone : detached  // checked: two entries
    }
}
