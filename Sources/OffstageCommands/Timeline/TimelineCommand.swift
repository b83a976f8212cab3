// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
import OffstagePictures
import OffstageProtocol

/// `offstage timeline` draws past, present and expected events: attempts, apps, deferred work and the machine.
package struct TimelineCommand: Command {
    package static let path = ["timeline"]
    package static let summary = "Draw attempts, apps, deferred work, network and power over time, and what comes next."
    package static let synopsis = ["[OPTION…]"]
    package static let discussion = """
        Each app has lanes for its states, its deferred work and every host that it transfers with; network, power and
        the daemon are below. To the right of now is what is known about the future: retries, begin dates, deferred work
        and the hours of the schedule. A picture has only names that 'offstage list' shows, and no secrets.
        """
    package static let options = [
        CommandOption("--since", value: "WHEN", help: "where it begins: 24h, 7d, 08:00, 2026-05-01 (24h)"),
        CommandOption(
            "--until",
            value: "WHEN",
            help: "where it ends: now, +6h, 23:00, a date (a quarter of --since ahead)"
        ),
        CommandOption("--app", value: "APP", help: "only this app, and the machine"),
        CommandOption("--host", value: "HOST", help: "only attempts with this host, and the machine"),
        CommandOption("--svg", value: "FILE", kind: .file, help: "draw it into an SVG file; - for standard output"),
        CommandOption(
            "--html",
            value: "FILE",
            kind: .file,
            help: "draw it into a page, with tables; - for standard output"
        ),
    ]
    package static let examples = [
        CommandExample("offstage timeline", "the last day, and the next hours"),
        CommandExample("offstage timeline --since 7d --until now --host files.example", "a week with one host"),
        CommandExample("offstage timeline --since 12h --html night.html", "last night, for a report"),
    ]

    let since: String
    let until: String?
    let app: String?
    let host: String?
    let svg: String?
    let html: String?

    private static let longest = 366.0 * 86_400
    /// The most spans that are drawn. A daemon keeps fewer.
    private static let mostSpans = 50_000

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        since = arguments.takeValue("--since") ?? "24h"
        until = arguments.takeValue("--until")
        app = arguments.takeValue("--app")
        host = arguments.takeValue("--host")?.lowercased()
        svg = arguments.takeValue("--svg")
        html = arguments.takeValue("--html")
        try arguments.expectNoOperands()
        guard svg != "-" || html != "-" else {
            throw UsageError("only one of --svg and --html can go to standard output")
        }
    }

    /// The period to draw.
    func period(now: Date) throws(UsageError) -> (from: Date, until: Date) {
        let from: Date
        if let seconds = Quantity.seconds(since) {
            from = now - min(seconds, 1e10)
        } else {
            guard !since.hasPrefix("+"), var date = PointInTime.parse(since, now: now) else {
                throw UsageError("'\(since)' is not a time such as 24h, 7d, 08:00 or 2026-05-01, as --since requires")
            }
            // A time of day means the most recent one, not the next.
            if date > now, !since.contains("-") { date -= 86_400 }
            from = date
        }
        var end = now + max(60, now.timeIntervalSince(from) / 4)
        if let until {
            guard let date = PointInTime.parse(until, now: now) else {
                throw UsageError("'\(until)' is not a time such as now, +6h, 23:00 or 2026-05-01, as --until requires")
            }
            end = date
        }
        guard from < end else { throw UsageError("--until must be after --since") }
        guard end.timeIntervalSince(from) <= Self.longest * 2, now.timeIntervalSince(from) <= Self.longest else {
            throw UsageError("a timeline reaches up to 366d back and ahead")
        }
        return (from, end)
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        // Detect a mistyped time before starting a daemon for it.
        _ = try period(now: context.now())
        let connection = try context.connect()
        let app = try self.app.map { try connection.app($0, context).id }
        // The daemon's time, which 'offstage simulate advance' may have moved ahead.
        let here = context.now()
        let now = try connection.send(ReadTimeline(query: TimelineQuery(from: here, until: here))).now
        let (from, until) = try period(now: now)
        let query = TimelineQuery(from: from, until: until, app: app, host: host)
        let facts = try Self.facts(query, now: now, connection)
        let clock = TimelineClock(secondsEast: Format.secondsEast)
        if let svg { try write(TimelineSVG.text(facts, clock: clock), to: svg, context) }
        if let html { try write(TimelineHTML.text(facts, clock: clock), to: html, context) }
        if context.printsJSON, svg != "-", html != "-" {
            context.output.print(try JSONText.of(TimelineDocument(facts)))
        } else if svg == nil, html == nil {
            let glyphs = TimelineGlyphs(isUnicode: TimelineGlyphs.isUnicode(context.environment))
            let text = TimelineText(facts, width: context.output.columns, glyphs: glyphs, clock: clock)
            for line in text.lines(usesColour: context.output.usesColour) { context.output.print(line) }
        }
        return .success
    }

    /// Reads the timeline page by page, then the expected starts of deferred work.
    private static func facts(_ query: TimelineQuery, now: Date, _ connection: DaemonConnection) throws -> TimelineFacts
    {
        var facts = TimelineFacts(from: query.from, until: query.until, now: now)
        var query = query
        repeat {
            let reply = try connection.send(ReadTimeline(query: query))
            facts.add(reply) { SnapshotName.original($0) ?? $0.pathParts.last ?? $0 }
            query.after = reply.next
        } while query.after != nil && facts.spans.count < mostSpans
        facts.isCut = query.after != nil
        let ahead = query.until.timeIntervalSince(facts.now)
        guard query.host == nil, ahead > 0 else { return facts }
        facts.starts = try connection.send(ForecastTasks(app: query.app, seconds: min(ahead, longest))).starts
        let hasWork =
            !facts.starts.isEmpty || facts.spans.contains { if case .run = $0.subject { true } else { false } }
        if hasWork { facts.budgets = try connection.send(ListTasks(app: query.app, limit: 1000)).budgets }
        return facts
    }

    private func write(_ text: String, to file: String, _ context: CommandContext) throws {
        guard file != "-" else { return context.output.write(text) }
        let path = try context.absolute(file)
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw CommandFailure(
                "The file \(path.redactedControls) cannot be written: check that its folder exists and that you may write to it."
            )
        }
    }
}
