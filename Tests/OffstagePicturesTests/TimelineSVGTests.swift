// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstagePictures
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite struct TimelineSVGTests {
    private static let empty = TimelineFacts(
        from: PictureFixture.now - 86_400,
        until: PictureFixture.now + 21_600,
        now: PictureFixture.now
    )

    @Test func `a night is drawn as it was looked at`() throws {
        try Golden.expect("night.svg", TimelineSVG.text(PictureFixture.night, clock: .utc))
        try Golden.expect("night.html", TimelineHTML.text(PictureFixture.night, clock: .utc))
    }

    @Test func `a busy day is drawn as it was looked at, and is small`() throws {
        let text = TimelineSVG.text(PictureFixture.busyDay(2000), clock: .utc)
        try Golden.expect("busy-day.svg", text)
        #expect(text.utf8.count < 100_000)
    }

    @Test func `nothing on record is drawn, too`() throws {
        let text = TimelineSVG.text(Self.empty, clock: .utc)
        #expect(text.contains("Nothing on record"))
        #expect(text.contains("no attempts."))
    }

    /// Names that a hostile server, file or app may have.
    private static let hostile = [
        "</title><script>alert(1)</script>", "\"><image href=\"http://evil.example/x\"/>", "' onload='x", "&amp;&#x3c;",
        "\u{202E}gpj.exe", "line\nbreak\u{0}\u{1B}[31m", "]]><!--",
    ]

    @Test(arguments: hostile)
    func `a text from outside is nothing but text`(name: String) throws {
        var facts = PictureFixture.night
        for (transfer, _) in facts.names { facts.names[transfer] = name }
        facts.spans.append(
            PictureFixture.attempt(20, from: -90, to: -50, .failed, .diskFull, owner: "/opt/\(name)", host: name)
        )
        facts.spans.append(PictureFixture.span(.app(name, .active), from: -90, to: -50))
        facts.spans.append(
            PictureFixture.span(.run(TimelineRun(app: name, identifier: name, outcome: .failed)), from: -90, to: -50)
        )
        for text in [TimelineSVG.text(facts, clock: .utc), TimelineHTML.text(facts, clock: .utc)] {
            for bad in ["<script", "<image", "onload='", "\u{202E}", "\u{0}", "\u{1B}", "<!--"] {
                #expect(!text.contains(bad), "\(bad)")
            }
        }
        let plain = TimelineSVG.text(PictureFixture.night, clock: .utc)
        func elements(_ text: String) -> Set<String> {
            Set(
                text.split(separator: "<").dropFirst().map { String($0.prefix { $0 != " " && $0 != ">" && $0 != "/" }) }
            )
        }
        #expect(elements(TimelineSVG.text(facts, clock: .utc)).subtracting(elements(plain)).isEmpty)
    }

    @Test func `they ask for nothing from anywhere, run nothing, and can be read aloud`() {
        let svg = TimelineSVG.text(PictureFixture.night, clock: .utc)
        let html = TimelineHTML.text(PictureFixture.night, clock: .utc)
        for text in [svg, html] {
            for bad in ["<script", "href", "src=", "@import", "@font-face", "javascript:", "<foreignObject", "<use"] {
                #expect(!text.contains(bad), "\(bad)")
            }
            // Only references to its own patterns.
            let urls = text.split(separator: "url(").dropFirst()
            #expect(urls.allSatisfy { $0.hasPrefix("#offstage-") })
            #expect(
                text.replacing("xmlns=\"http://www.w3.org/2000/svg\"", with: "").firstRange(of: "http") == nil
                    || text.contains("http-equiv")
            )
            #expect(text.contains("prefers-color-scheme:dark"))
            #expect(text.contains("<title id=\"offstage-title\">"))
            #expect(text.contains("<desc id=\"offstage-summary\">"))
            #expect(text.contains("org.example.photos, deferred work: 1 × succeeded, 1 × had to end, 1 expected."))
        }
        #expect(html.contains("default-src 'none'"))
        #expect(html.contains("interrupted (connection lost), 1.00 MiB, attempt 1 of transfer 1"))
        #expect(html.contains("report &lt;final&gt; &amp; &quot;signed&quot;.pdf"))
    }

    @Test func `every look that occurs is explained, and is told apart by more than its colour or its name`() {
        let svg = TimelineSVG.text(PictureFixture.night, clock: .utc)
        for words in [
            "succeeded", "interrupted, tried again", "failed", "had to end", "paused", "cancelled", "under way",
            "in front", "suspended", "no network", "on battery", "held by the schedule", "will be tried again",
            "may begin",
        ] {
            #expect(svg.contains(">\(words)</text>"), "\(words)")
        }
    }

    @Test func `they are well-formed`() throws {
        let folder = try TemporaryDirectory()
        for (name, text) in [
            ("night.svg", TimelineSVG.text(PictureFixture.night, clock: .utc)),
            ("busy.svg", TimelineSVG.text(PictureFixture.busyDay(3000), clock: .utc)),
            ("empty.svg", TimelineSVG.text(Self.empty, clock: .utc)),
        ] {
            try TestFiles.write(text, to: folder.path(name))
            let parser = "import sys, xml.dom.minidom as dom; dom.parse(sys.argv[1])"
            let result = try ChildProcess("/usr/bin/python3", ["-c", parser, folder.path(name)]).result(within: 30)
            #expect(result.isSuccess, "\(name): \(result)")
        }
    }
}
