// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCommands
import OffstageCore
import OffstagePictures
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

@Suite struct TimelineCommandTests {
    private let directory: TemporaryDirectory
    private let app = "org.example.photos"

    init() throws { directory = try TemporaryDirectory() }

    private func attempt(
        _ transfer: Int64,
        from began: Double,
        to ended: Double,
        _ outcome: TimelineOutcome,
        _ failure: TransferFailure.Code? = nil,
        owner: String = "command"
    ) -> TimelineSpan {
        let attempt = TimelineAttempt(
            transfer: TransferID(rawValue: transfer),
            number: 1,
            owner: owner,
            host: "files.example:443",
            isUpload: false,
            bytes: 1000,
            outcome: outcome,
            failure: failure
        )
        return TimelineSpan(began: noon + began, ended: noon + ended, .attempt(attempt))
    }

    private var spans: [TimelineSpan] {
        let hour = 3600.0
        return [
            attempt(1, from: -10 * hour, to: -8 * hour, .succeeded),
            attempt(2, from: -7 * hour, to: -6 * hour, .broken, .connectionLost),
            attempt(2, from: -5 * hour, to: -4 * hour, .failed, .diskFull),
            attempt(3, from: -3 * hour, to: -2 * hour, .paused), attempt(3, from: -1 * hour, to: 0, .underWay),
            attempt(4, from: -4 * hour, to: -3 * hour, .cancelled, owner: app),
            TimelineSpan(began: noon - 9 * hour, ended: noon - 8 * hour, .app(app, .active)),
            TimelineSpan(began: noon - 8 * hour, ended: noon - 7 * hour, .app(app, .background)),
            TimelineSpan(began: noon - 7 * hour, ended: noon - 3 * hour, .app(app, .suspended)),
            TimelineSpan(
                began: noon - 6 * hour,
                ended: noon - 5 * hour,
                .run(TimelineRun(app: app, identifier: "tidy", outcome: .expired))
            ),
            TimelineSpan(began: noon - 12 * hour, ended: noon - 6 * hour, .network(.unmetered)),
            TimelineSpan(began: noon - 6 * hour, ended: noon - 5 * hour, .network(.none)),
            TimelineSpan(began: noon - 5 * hour, ended: noon, .network(.metered)),
            TimelineSpan(began: noon - 12 * hour, ended: noon, .power(isExternal: false)),
            TimelineSpan(began: noon - 12 * hour, ended: noon, .daemon),
        ]
    }

    /// Answers as a daemon whose rows fill two pages.
    private func peer() throws -> ScriptedPeer {
        let rows = spans.map { TimelineRow($0) }
        let expected = TimelineExpectation(
            transfer: TransferID(rawValue: 9),
            owner: "command",
            host: "files.example:443",
            isUpload: false,
            path: "/home/me/later.bin",
            date: noon + 3600,
            cause: .retry
        )
        let present = ReadTimeline.Present(
            lasting: [],
            expected: [expected],
            hours: [TimelineHours(from: noon + 7200, until: noon + 10_800, transfers: false, rateLimit: nil)]
        )
        let files = [ReadTimeline.File(transfer: TransferID(rawValue: 1), path: "/home/me/disk.iso")]
        let start = TaskForecast(
            number: 3,
            app: app,
            identifier: "tidy",
            kind: .refresh,
            date: noon + 5400,
            reason: .earliestBegin
        )
        let machine = ConditionsReport(conditions: MachineConditions(), pretended: PretendedConditions(), sources: [:])
        return try ScriptedPeer(home: directory.path("h")) { _, name, payload in
            switch name {
            case Hello.name: return try ScriptedPeer.hello()
            case ReadTimeline.name:
                let query = try WireCoding.decode(ReadTimeline.self, from: payload).query
                let isSecond = query.after != nil
                let next = TimelineQuery.Position(ended: noon, number: 8)
                let reply = ReadTimeline.Reply(
                    now: noon,
                    rows: isSecond ? Array(rows.dropFirst(8)) : Array(rows.prefix(8)),
                    files: isSecond ? [] : files,
                    next: isSecond || query.from == query.until ? nil : next,
                    present: isSecond ? present : nil
                )
                return [try ScriptedPeer.reply(reply)]
            case ForecastTasks.name: return [try ScriptedPeer.reply(ForecastTasks.Reply(starts: [start], held: []))]
            case ListTasks.name:
                let budget = TaskBudgetRow(app: app, left: 200, daily: 600)
                let reply = ListTasks.Reply(rows: [], count: 0, history: [], budgets: [budget], machine: machine)
                return [try ScriptedPeer.reply(reply)]
            default: return [.close]
            }
        }
    }

    private func run(_ words: String..., environment: [String: String] = ["LANG": "en_US.UTF-8"]) throws -> CommandRun {
        let words = ["timeline", "--since", "12h", "--until", "+3h", "--no-start"] + words
        return withExtendedLifetime(try peer()) {
            CommandRun(words, home: directory.path("h"), environment: environment)
        }
    }

    @Test func `a terminal shows lanes, bands, what comes, and a legend`() throws {
        let text = try run().output
        for part in ["6 attempts", "1 succeeded", "1 interrupted", "Next: later.bin will be tried again at"] {
            #expect(text.contains(part), "\(part)")
        }
        for line in [
            "offstage", "  files.example ", "org.example.photos", "  state", "  deferred work", "network", "power",
        ] {
            #expect(text.contains("\n" + line), "\(line)")
        }
        for entry in [
            "█ succeeded", "▒ interrupted, tried again", "✗ failed", "‖ paused", "▓ under way", "▇ in front",
            "▁ suspended", "╳ no network", "┅ metered network", "▂ on battery", "↻ will be tried again",
            "◇ deferred work would run", "▞ held by the schedule",
        ] {
            #expect(text.contains(entry), "\(entry)")
        }
        #expect(text.contains("3 min of 10 min left today"))
        #expect(!text.contains("\u{1B}"))
        #expect(text.split(separator: "\n").allSatisfy { DisplayWidth.of(String($0)) <= 100 })
    }

    @Test func `each look has a character of its own, in each kind of locale`() {
        for isUnicode in [true, false] {
            let glyphs = TimelineGlyphs(isUnicode: isUnicode)
            let all =
                TimelineLook.allCases.map { glyphs.glyph($0) } + TimelineMark.Look.allCases.map { glyphs.glyph($0) }
            #expect(Set(all).count == all.count)
            if !isUnicode { #expect(all.allSatisfy { $0.isASCII }) }
        }
    }

    @Test(arguments: [
        (["LANG": "en_US.UTF-8"], true), (["LANG": "de_DE.utf8"], true),
        (["LC_ALL": "C", "LANG": "en_US.UTF-8"], false),
        (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], true), (["LANG": "de_DE.UTF-8@euro"], true),
        (["LANG": "de_DE.ISO-8859-1"], false), ([:], false),
    ])
    func `UTF-8 is a matter of the locale`(environment: [String: String], isUnicode: Bool) {
        #expect(TimelineGlyphs.isUnicode(environment) == isUnicode)
    }

    @Test func `without UTF-8 nothing but ASCII is printed`() throws {
        let run = try run(environment: ["LC_ALL": "POSIX"])
        #expect(run.output.utf8.allSatisfy { $0 < 128 }, "\(run.output)")
        #expect(run.output.contains("# succeeded"))
    }

    private func facts() -> TimelineFacts {
        var facts = TimelineFacts(from: noon - 43_200, until: noon + 10_800, now: noon)
        facts.spans = spans
        return facts
    }

    @Test(arguments: [1, 40, 57, 80, 120, 250])
    func `it takes the width that there is`(width: Int) {
        let glyphs = TimelineGlyphs(isUnicode: true)
        let lines = TimelineText(facts(), width: width, glyphs: glyphs, clock: .utc).lines(usesColour: false)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= max(40, width) })
        let lane = lines.first { $0.hasPrefix("  files.") }
        #expect(lane?.contains("█") == true)
    }

    @Test func `colours only add to it`() {
        let glyphs = TimelineGlyphs(isUnicode: true)
        let text = TimelineText(facts(), width: 80, glyphs: glyphs, clock: .utc)
        let plain = text.lines(usesColour: false)
        let coloured = text.lines(usesColour: true)
        #expect(coloured != plain)
        let stripped = coloured.map { line in
            line.split(separator: "\u{1B}", omittingEmptySubsequences: false).enumerated().map { index, part in
                index == 0 ? String(part) : String(part.drop { $0 != "m" }.dropFirst())
            }.joined()
        }
        #expect(stripped == plain)
    }

    @Test func `each bar stands where its time is`() {
        let glyphs = TimelineGlyphs(isUnicode: true)
        // 26 columns for the title, and one column for each 15 minutes.
        let lines = TimelineText(facts(), width: 86, glyphs: glyphs, clock: .utc).lines(usesColour: false)
        let lane = Array(lines.first { $0.hasPrefix("  files.example") } ?? "")
        func columns(_ glyph: Character) -> [Int] { lane.indices.filter { lane[$0] == glyph }.map { $0 - 26 } }
        #expect(columns("█") == Array(8..<16))
        #expect(columns("▒") == Array(20..<24))
        #expect(columns("✗") == Array(28..<32))
        #expect(columns("‖") == Array(36..<40))
        #expect(columns("▓") == Array(44..<48))
    }

    @Test func `files are written, and standard output takes one of them`() throws {
        let svg = directory.path("t.svg")
        let html = directory.path("t.html")
        let run = try run("--svg", svg, "--html", html)
        #expect(run.status == .success && run.output.isEmpty, "\(run)")
        #expect(try TestFiles.text(svg).hasPrefix("<svg "))
        #expect(try TestFiles.text(html).hasPrefix("<!DOCTYPE html>"))
        #expect(try self.run("--svg", "-").output.hasSuffix("</svg>\n"))
        let lost = try self.run("--svg", directory.path("nowhere/t.svg"))
        #expect(lost.status == .failure)
        #expect(lost.errors.contains("cannot be written"))
    }

    @Test func `JSON has everything, of all pages`() throws {
        let document = try JSONValue(parsing: try run("--json").output)
        #expect(
            document.keys == ["attempts", "expected", "from", "isCut", "now", "runs", "schedule", "states", "until"]
        )
        #expect(document.attempts.array.count == 6)
        let first = document.attempts[0]
        #expect(
            first.keys == [
                "attempt", "began", "bytes", "direction", "ended", "file", "host", "outcome", "owner", "transfer",
            ]
        )
        #expect(first.file.string == "disk.iso")
        #expect(document.attempts.array.contains { $0.failure.string == "diskFull" && $0.outcome.string == "failed" })
        #expect(document.states.array.count == 8)
        #expect(document.runs[0].outcome.string == "expired")
        #expect(document.expected.array.map(\.what.string) == ["retry", "run"])
        #expect(document.schedule[0].transfers.bool == false)
    }

    @Test(arguments: [
        (["--since", "yesterday"], "'yesterday' is not a time"), (["--until", "soon"], "'soon' is not a time"),
        (["--since", "+2h"], "'+2h' is not a time"), (["--since", "9999d"], "up to 366d"),
        (["--svg", "-", "--html", "-"], "only one of"), (["--since", "0"], "--until must be after --since"),
        (["extra"], "extra"),
    ])
    func `what makes no sense is refused before a daemon is asked`(words: [String], message: String) {
        let until = words.contains("0") ? ["--until", "now"] : []
        let run = CommandRun(["timeline"] + words + until)
        #expect(run.status == .usage)
        #expect(run.errors.contains(message), "\(run.errors)")
    }
}
