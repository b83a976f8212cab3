// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The timeline as a page for a report: the picture, and tables of the failures and of the expected events. It is a
/// single file that has no scripts and makes no requests.
package enum TimelineHTML {
    /// The most rows of a table.
    private static let mostRows = 200

    private static let style = """
        :root{color-scheme:light dark}
        body{font:15px/1.5 system-ui,"Noto Sans","DejaVu Sans",sans-serif;margin:2rem auto;padding:0 1rem;max-width:66rem;
        background:#fff;color:#1d2329}
        svg{width:100%;height:auto}
        table{border-collapse:collapse;width:100%}
        th,td{text-align:left;padding:.25rem .75rem .25rem 0;vertical-align:top;border-bottom:1px solid #e3e7eb;
        overflow-wrap:anywhere}
        figure{margin:1rem 0}
        @media(prefers-color-scheme:dark){body{background:#14181c;color:#e4e8ec}th,td{border-color:#2a3138}}
        """

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - facts: the data to draw.
    ///   - clock: local time.
    /// - Returns: the file.
    package static func text(_ facts: TimelineFacts, clock: TimelineClock) -> String {
        let picture = TimelinePicture(facts, in: .init(units: 400, rows: 1, spacing: 40), clock: clock)
        let sentences = TimelineSentences(facts, clock: clock)
        let summary = sentences.summary(picture).map { "<p>\(MarkupText.escaped($0))</p>" }.joined(separator: "\n")
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Timeline of Offstage</title>
            <style>\(style)</style>
            </head>
            <body>
            <h1>Timeline of Offstage</h1>
            \(summary)
            <figure>
            \(TimelineSVG.text(facts, clock: clock))</figure>
            \(troubles(facts, picture, sentences))\(expected(picture, sentences))</body>
            </html>

            """
    }

    /// The attempts that broke off or failed, latest first.
    private static func troubles(
        _ facts: TimelineFacts,
        _ picture: TimelinePicture,
        _ sentences: TimelineSentences
    ) -> String {
        let all = facts.attempts.filter { span, attempt in
            [.broken, .failed].contains(attempt.outcome) && picture.scale.range(span.began, span.ended) != nil
        }.sorted { left, right in
            (right.span.ended, right.attempt.transfer, right.attempt.number)
                < (left.span.ended, left.attempt.transfer, left.attempt.number)
        }
        let rows = all.prefix(mostRows).map { span, attempt in
            [
                sentences.time(span.began, span.ended), sentences.file(attempt.transfer),
                TimelineWords.host(attempt.host), sentences.outcome(attempt),
            ]
        }
        return table("Attempts that were interrupted or failed", ["When", "File", "Host", "What"], rows, of: all.count)
    }

    private static func expected(_ picture: TimelinePicture, _ sentences: TimelineSentences) -> String {
        let all = picture.groups.flatMap { group in
            group.lanes.flatMap { lane in lane.marks.map { (group.title, lane.title, $0) } }
        }.sorted { ($0.2.date, $0.0, $0.1) < ($1.2.date, $1.0, $1.1) }
        let rows = all.prefix(mostRows).map { owner, lane, mark in
            [sentences.moment(mark.date), owner, lane, sentences.of(mark)]
        }
        return table("Expected", ["When", "Whose", "Where", "What"], rows, of: all.count)
    }

    private static func table(_ title: String, _ heads: [String], _ rows: [[String]], of count: Int) -> String {
        guard !rows.isEmpty else { return "" }
        func row(_ cells: [String], _ tag: String) -> String {
            "<tr>" + cells.map { "<\(tag)>\(MarkupText.escaped($0))</\(tag)>" }.joined() + "</tr>\n"
        }
        let more = count > rows.count ? "<p>\(count - rows.count) more are not listed.</p>\n" : ""
        return "<h2>\(title)</h2>\n<table>\n<thead>\(row(heads, "th"))</thead>\n<tbody>\n"
            + rows.map { row($0, "td") }.joined() + "</tbody>\n</table>\n\(more)"
    }
}
